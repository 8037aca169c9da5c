/* The root works on its own block of the large tensor, in place. */
#include "dist.h"

static void work_on(tensor *block, int rank)
{
    tensor_mul(block, block);
    tensor_add_scalar(block, rank);
}

void work_through(tensor *samples, tensor *results, int count, int root, int rank, int world_size)
{
    int block = (count - 1) / world_size + 1;
    tensor *all = rank == root ? tensor_zeros(DIST_F32, block * world_size) : NULL;
    tensor *mine = all ? tensor_slice(all, block * rank, block * (rank + 1)) : tensor_zeros(DIST_F32, block);
    for (int i = 0; all && i < count; i++)
        tensor_set(all, i, tensor_item(samples, i));
    dist_scatter(mine, all, root);
    work_on(mine, rank);
    dist_gather(mine, all, root);
    for (int i = 0; all && i < count; i++)
        tensor_set(results, i, tensor_item(all, i));
    tensor_free(mine);
    tensor_free(all);
}
