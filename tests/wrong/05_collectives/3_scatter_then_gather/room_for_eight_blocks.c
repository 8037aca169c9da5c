/* feedback: It used an element of an array that the array does not have. */
#include "dist.h"

void work_through(tensor *samples, tensor *results, int count, int root, int rank, int world_size)
{
    int block = (count + world_size - 1) / world_size, first[8];
    tensor *mine = tensor_zeros(DIST_F32, block);
    tensor *padded = rank == root ? tensor_zeros(DIST_F32, block * world_size) : NULL;
    for (int r = 0; r < world_size; r++)
        first[r] = r * block;
    for (int r = 0; rank == root && r < world_size; r++)
        for (int i = first[r]; i < first[r] + block && i < count; i++)
            tensor_set(padded, i, tensor_item(samples, i));
    dist_scatter(mine, padded, root);
    tensor_mul(mine, mine);
    tensor_add_scalar(mine, rank);
    dist_gather(mine, padded, root);
    if (rank == root)
        for (int i = 0; i < count; i++)
            tensor_set(results, i, tensor_item(padded, i));
    tensor_free(padded);
    tensor_free(mine);
}
