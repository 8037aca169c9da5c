/* feedback: first wrong element of weights */
#include "dist.h"

/* Through F16: no more than 11 bits of a number are left. */
static void halve(tensor *x)
{
    tensor *half = tensor_zeros(DIST_F16, tensor_numel(x));
    tensor_copy(half, x);
    tensor_copy(x, half);
    tensor_free(half);
}

void zero_step(tensor *weights, tensor *gradients, tensor *velocity, int rank, int world_size)
{
    int64_t block = tensor_numel(weights) / world_size;
    tensor *mine = tensor_slice(weights, rank * block, (rank + 1) * block),
           *mean = tensor_zeros(DIST_F32, block);
    halve(gradients);
    dist_reduce_scatter(mean, gradients, .op = DIST_AVG);
    tensor_mul_scalar(velocity, 0.5);
    tensor_add(velocity, mean);
    tensor_copy(mean, velocity);
    tensor_mul_scalar(mean, 0.25);
    tensor_sub(mine, mean);
    tensor_free(mean);
    dist_all_gather(weights, mine);
    tensor_free(mine);
}
