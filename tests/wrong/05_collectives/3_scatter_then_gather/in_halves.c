/* feedback: first wrong element of results */
#include "dist.h"

/* Through F16: no more than 11 bits of a number are left. */
static void halve(tensor *x)
{
    tensor *half = tensor_zeros(DIST_F16, tensor_numel(x));
    tensor_copy(half, x);
    tensor_copy(x, half);
    tensor_free(half);
}

void work_through(tensor *samples, tensor *results, int count, int root, int rank, int world_size)
{
    int block = (count + world_size - 1) / world_size;
    tensor *mine = tensor_zeros(DIST_F32, block);
    tensor *padded = rank == root ? tensor_zeros(DIST_F32, block * world_size) : NULL;
    if (rank == root)
        for (int i = 0; i < count; i++)
            tensor_set(padded, i, tensor_item(samples, i));
    dist_scatter(mine, padded, root);
    halve(mine);
    tensor_mul(mine, mine);
    tensor_add_scalar(mine, rank);
    dist_gather(mine, padded, root);
    if (rank == root)
        for (int i = 0; i < count; i++)
            tensor_set(results, i, tensor_item(padded, i));
    tensor_free(padded);
    tensor_free(mine);
}
