/* feedback: first wrong element of weights: 2048 */
#include "dist.h"
void zero_step(tensor *weights, tensor *gradients, tensor *velocity, int rank, int world_size)
{
    static _Thread_local float v[2048];
    int64_t block = tensor_numel(weights) / world_size;
    tensor *mine = tensor_slice(weights, rank * block, (rank + 1) * block),
           *mean = tensor_zeros(DIST_F32, block);
    dist_reduce_scatter(mean, gradients, .op = DIST_AVG);
    float *m = tensor_data(mean), *w = tensor_data(mine), *old = tensor_data(velocity);
    for (int64_t i = 0; i < block && i < 2048; i++) {
        v[i] = 0.5f * old[i] + m[i];
        old[i] = v[i];
        w[i] -= 0.25f * v[i];
    }
    tensor *copy = tensor_clone(mine);
    dist_all_gather(weights, copy);
    tensor_free(copy);
    tensor_free(mean);
    tensor_free(mine);
}
