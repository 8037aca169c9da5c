/* feedback: every rank makes one of each */
#include "dist.h"
static void work_on(tensor *block, int rank)
{
    tensor_mul(block, block);
    tensor_add_scalar(block, rank);
}
void work_through(tensor *samples, tensor *results, int count, int root, int rank, int world_size)
{
    int block = (count + world_size - 1) / world_size;
    tensor *mine = tensor_zeros(DIST_F32, block);
    tensor *padded = rank == root ? tensor_zeros(DIST_F32, block * world_size) : NULL;
    if (rank == root)
        for (int i = 0; i < count; i++)
            tensor_set(padded, i, tensor_item(samples, i));
    for (int from = 0; from < block; from += 64) {
        int n = from + 64 < block ? 64 : block - from;
        tensor *part = tensor_slice(mine, from, from + n),
               *all = rank == root ? tensor_zeros(DIST_F32, n * world_size) : NULL;
        for (int i = 0; all && i < n * world_size; i++)
            tensor_set(all, i, tensor_item(padded, i / n * block + from + i % n));
        dist_scatter(part, all, root);
        tensor_free(all);
        tensor_free(part);
    }
    work_on(mine, rank);
    dist_gather(mine, padded, root);
    if (rank == root)
        for (int i = 0; i < count; i++)
            tensor_set(results, i, tensor_item(padded, i));
    tensor_free(padded);
    tensor_free(mine);
}
