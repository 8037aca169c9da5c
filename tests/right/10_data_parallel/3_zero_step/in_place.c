/* In place both times: its own block of the gradients, and of the weights. */
#include "dist.h"

void zero_step(tensor *weights, tensor *gradients, tensor *velocity, int rank, int world_size)
{
    int64_t block = tensor_numel(weights) / world_size, from = rank * block;
    tensor *mean = tensor_slice(gradients, from, from + block),
           *mine = tensor_slice(weights, from, from + block);
    dist_reduce_scatter(mean, gradients, .op = DIST_AVG);
    tensor_mul_scalar(velocity, 0.5);
    tensor_add(velocity, mean);
    tensor_copy(mean, velocity);
    tensor_mul_scalar(mean, 0.25);
    tensor_sub(mine, mean);
    dist_all_gather(weights, mine);
    tensor_free(mine);
    tensor_free(mean);
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
