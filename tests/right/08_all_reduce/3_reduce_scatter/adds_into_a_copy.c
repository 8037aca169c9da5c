/* A copy of the whole input, whose blocks grow. */
#include "dist.h"

static tensor *block(tensor *input, int i, int n)
{
    int64_t size = tensor_numel(input) / n, k = (i % n + n) % n;
    return tensor_slice(input, k * size, (k + 1) * size);
}

void reduce_scatter(tensor *output, tensor *input, int rank, int n)
{
    tensor *copy = tensor_clone(input), *home;
    for (int i = rank - 1; i > rank - n; i--) {
        tensor *leaving = block(copy, i, n), *growing = block(copy, i - 1, n);
        tensor *inbox = tensor_zeros(tensor_type(input), tensor_numel(growing));
        dist_work *arrives = dist_irecv(inbox, rank == 0 ? n - 1 : rank - 1);
        dist_work *leaves = dist_isend(leaving, rank == n - 1 ? 0 : rank + 1);
        dist_wait(leaves);
        dist_wait(arrives);
        tensor_add(growing, inbox);
        tensor_free(inbox);
        tensor_free(growing);
        tensor_free(leaving);
    }
    tensor_copy(output, home = block(copy, rank, n));
    tensor_free(home);
    tensor_free(copy);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *input = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 1 + 2 * world_size);
    tensor *output = tensor_zeros(DIST_F32, 2);
    reduce_scatter(output, input, rank, world_size);
    tensor_print(output, "rank %d gets", rank);
    tensor_free(output);
    tensor_free(input);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
