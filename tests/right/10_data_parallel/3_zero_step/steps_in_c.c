/* The step in C, number by number; what is gathered comes from a tensor of its own. */
#include "dist.h"

#include <stdlib.h>

void zero_step(tensor *weights, tensor *gradients, tensor *velocity, int rank, int world_size)
{
    int64_t block = tensor_numel(weights) / world_size;
    tensor *sum = tensor_zeros(DIST_F32, block), *mine = tensor_zeros(DIST_F32, block);
    float *w = malloc((size_t)(block * world_size) * sizeof *w), *v = malloc((size_t)block * sizeof *v);
    if (!w || !v)
        goto done;
    dist_reduce_scatter(sum, gradients);
    tensor_read(weights, w);
    tensor_read(velocity, v);
    for (int64_t i = 0; i < block; i++) {
        v[i] = 0.5f * v[i] + (float)tensor_item(sum, i) / (float)world_size;
        tensor_set(mine, i, w[rank * block + i] - 0.25f * v[i]);
    }
    tensor_write(velocity, v);
    dist_all_gather(weights, mine);
done:
    free(v);
    free(w);
    tensor_free(mine);
    tensor_free(sum);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *weights = tensor_full(DIST_F32, 8, 2 * world_size), *velocity = tensor_zeros(DIST_F32, 2);
    tensor *gradients = tensor_arange(DIST_F32, rank, rank + 2 * world_size);
    zero_step(weights, gradients, velocity, rank, world_size);
    tensor_print(weights, "rank %d has", rank);
    tensor_free(gradients);
    tensor_free(velocity);
    tensor_free(weights);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
