/* The root reads and writes whole arrays. */
#include "dist.h"

#include <stdlib.h>

static void work_on(tensor *block, int rank)
{
    tensor_mul(block, block);
    tensor_add_scalar(block, rank);
}

static int64_t rounded_up(int64_t count, int64_t ranks)
{
    int64_t block = 0;
    while (block * ranks < count)
        block++;
    return block;
}

void work_through(tensor *samples, tensor *results, int count, int root, int rank, int world_size)
{
    int64_t block = rounded_up(count, world_size), all = block * world_size;
    float *numbers = calloc((size_t)all, sizeof *numbers);
    tensor *mine = tensor_zeros(DIST_F32, block), *padded = NULL;
    if (rank == root) {
        tensor_read(samples, numbers);
        padded = tensor_from(DIST_F32, numbers, all);
    }
    dist_scatter(mine, padded, .src = root);
    work_on(mine, rank);
    dist_gather(mine, padded, .dst = root);
    if (rank == root) {
        tensor_read(padded, numbers);
        tensor_write(results, numbers);
    }
    tensor_free(padded);
    tensor_free(mine);
    free(numbers);
}
