# train.py: the model of chapter 10 in PyTorch: the losses of its first 50 steps, one a line.
#
#   python train.py                      on one rank
#   torchrun --nproc-per-node 4 ...      with DistributedDataParallel, over gloo; rank 0 prints
#
# The start weights and the order of the pictures come from the same small generator as in chapters/10_data_parallel/digits.h.
import os
import torch
import torch.distributed as dist
import torch.nn.functional as F

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../chapters/10_data_parallel")
IMAGES, BATCH, STEPS, TOLD = 1797, 64, 24, 50


class Draw:
    def __init__(self, seed):
        self.state = seed

    def __call__(self):
        for left, by in ((True, 13), (False, 17), (True, 5)):
            self.state ^= (self.state << by if left else self.state >> by) & 0xFFFFFFFF
        return self.state


def shuffle(order, count, seed):
    draw = Draw(seed)
    for i in range(count - 1, 0, -1):
        j = draw() % (i + 1)
        order[i], order[j] = order[j], order[i]


def order_of(epoch):
    order = list(range(IMAGES))
    shuffle(order, IMAGES, 1)
    shuffle(order, STEPS * BATCH, 1000 + epoch)
    return order


def read_digits():
    with open(os.path.join(FOLDER, "digits.txt")) as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    pixels = [["0123456789abcdefg".index(shade) / 16 for shade in line[0]] for line in lines]
    return torch.tensor(pixels), torch.tensor([int(line[1]) for line in lines])


def make_model():
    model, draw = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)), Draw(2024)
    with torch.no_grad():
        for layer in (model[0], model[2]):
            inputs, outputs = layer.in_features, layer.out_features
            numbers = [(draw() / 2147483648.0 - 1) / inputs**0.5 for _ in range((inputs + 1) * outputs)]
            layer.weight.copy_(torch.tensor(numbers[: inputs * outputs]).view(inputs, outputs).t())
            layer.bias.copy_(torch.tensor(numbers[inputs * outputs :]))
    return model


def main():
    many = "RANK" in os.environ
    if many:
        dist.init_process_group("gloo")
    rank, n = (dist.get_rank(), dist.get_world_size()) if many else (0, 1)
    torch.set_num_threads(1)
    pixels, digits = read_digits()
    model = torch.nn.parallel.DistributedDataParallel(make_model()) if many else make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for step in range(TOLD):
        begin = step % STEPS * BATCH
        mine = order_of(1 + step // STEPS)[begin + BATCH * rank // n : begin + BATCH * (rank + 1) // n]
        loss = F.cross_entropy(model(pixels[mine]), digits[mine])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean = loss.detach().double()
        if many:
            dist.all_reduce(mean)
        if rank == 0:
            print(step + 1, "%.9g" % (mean.item() / n))
    if many:
        dist.destroy_process_group()


main()
