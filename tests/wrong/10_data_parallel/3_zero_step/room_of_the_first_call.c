/* feedback: with 4 ranks and output of */
#include "dist.h"

void zero_step(tensor *weights, tensor *gradients, tensor *velocity, int rank, int world_size)
{
    int64_t block = tensor_numel(weights) / world_size;
    tensor *mine = tensor_slice(weights, rank * block, (rank + 1) * block);
    static tensor *mean;
    if (!mean)
        mean = tensor_zeros(DIST_F32, block);
    dist_reduce_scatter(mean, gradients, .op = DIST_AVG);
    tensor_mul_scalar(velocity, 0.5);
    tensor_add(velocity, mean);
    tensor_copy(mean, velocity);
    tensor_mul_scalar(mean, 0.25);
    tensor_sub(mine, mean);
    dist_all_gather(weights, mine);
    tensor_free(mine);
}
