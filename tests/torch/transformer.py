# transformer.py FILE: chapter 11's transformer in PyTorch, with the weights that build/tests/torch/transformer has written: are its loss, logits and
# gradients ours, within 1e-5 of the largest of each?
import sys
import torch
import torch.nn.functional as F

PARAMETERS = {
    "first": ["letters", "places"],
    "layer": ["gain1", "bias1", "wq", "wk", "wv", "wo", "gain2", "bias2", "w1", "w2"],
    "last": ["gain", "bias", "out"],
}


def shapes(layers, width, heads, length, kinds):
    of = {"letters": (kinds, width), "places": (length, width), "out": (kinds, width)}
    of.update({name: (width,) for name in ("gain", "bias", "gain1", "bias1", "gain2", "bias2")})
    of.update({name: (heads, width, width // heads) for name in ("wq", "wk", "wv")})
    of.update({"wo": (width, width), "w1": (4 * width, width), "w2": (4 * width, width)})
    return of


def forward(blocks, ids):
    x = F.embedding(ids, blocks[0]["letters"]) + blocks[0]["places"]
    for b in blocks[1:-1]:
        n = F.layer_norm(x, x.shape[-1:], b["gain1"], b["bias1"])
        q, k, v = (n @ b[name] for name in ("wq", "wk", "wv"))  # heads x length x size
        o = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + o.transpose(0, 1).reshape(x.shape) @ b["wo"]
        n = F.layer_norm(x, x.shape[-1:], b["gain2"], b["bias2"])
        x = x + F.gelu(n @ b["w1"].t()) @ b["w2"]
    return F.layer_norm(x, x.shape[-1:], blocks[-1]["gain"], blocks[-1]["bias"]) @ blocks[-1]["out"].t()


def main():
    with open(sys.argv[1]) as file:
        config = [int(word) for word in file.readline().split()]
        sample = torch.tensor([int(word) for word in file.readline().split()])
        numbers = torch.tensor([float(line) for line in file])
    layers, _, _, length, kinds = config
    place = 0

    def take(shape):
        nonlocal place
        count = torch.Size(shape).numel()
        place += count
        return numbers[place - count : place].clone().view(shape)

    ours = {"loss": take(()), "logits": take((length, kinds))}
    of, blocks, gradients = shapes(*config), [], []
    for i in range(layers + 2):
        names = PARAMETERS["first" if i == 0 else "last" if i == layers + 1 else "layer"]
        blocks.append({})
        for name in names:
            blocks[i][name] = take(of[name]).requires_grad_()
            gradients.append((f"gradient of {name} in block {i}", blocks[i][name], take(of[name])))
    assert place == len(numbers), f"{len(numbers) - place} numbers are left"

    logits = forward(blocks, sample[:-1])
    loss = F.cross_entropy(logits, sample[1:])
    loss.backward()
    seen = [("loss", loss, ours["loss"]), ("logits", logits, ours["logits"])]
    seen += [(name, parameter.grad, right) for name, parameter, right in gradients]
    most = 0.0
    for name, theirs, mine in seen:
        apart = ((theirs - mine).abs().max() / theirs.abs().max()).item()
        most = max(most, apart)
        if not apart < 1e-5:
            print(f"FAILED  {name}: {apart:.1e} apart from PyTorch's")
            sys.exit(1)
    print(f"passed: loss, logits and {len(gradients)} gradients of chapter 11 are PyTorch's, to within {most:.0e}")


main()
