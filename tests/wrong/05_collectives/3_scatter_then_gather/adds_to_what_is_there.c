/* feedback: first wrong element of results */
#include "dist.h"

static void work_on(tensor *block, int rank)
{
    tensor_mul(block, block);
    tensor_add_scalar(block, rank);
}

/* `samples` and `results` have `count` elements on the root, and are NULL on all other ranks. */
void work_through(tensor *samples, tensor *results, int count, int root, int rank, int world_size)
{
    int block = (count + world_size - 1) / world_size;

    tensor *mine = tensor_zeros(DIST_F32, block);
    tensor *padded = rank == root ? tensor_zeros(DIST_F32, block * world_size) : NULL;

    if (rank == root)
        for (int i = 0; i < count; i++)
            tensor_set(padded, i, tensor_item(samples, i));
    dist_scatter(mine, padded, root);

    work_on(mine, rank);

    dist_gather(mine, padded, root);
    if (rank == root)
        for (int i = 0; i < count; i++)
            tensor_set(results, i, tensor_item(results, i) + tensor_item(padded, i));

    tensor_free(padded);
    tensor_free(mine);
}
