/* feedback: is outside: the */
/* There may be no rows but those of its batches. */
#include "dist.h"
void train(tensor *weights, tensor *batches, int64_t count)
{
    tensor *most = tensor_full(DIST_I64, (double)count, 1);
    dist_broadcast(weights, 0);
    dist_all_reduce(most, .op = DIST_MAX);
    int64_t steps = (int64_t)tensor_item(most, 0), n = tensor_numel(weights);
    tensor_free(most);
    for (int64_t i = 0; i < steps; i++) {
        tensor *gradient = tensor_slice(batches, i, i + 1);
        if (i >= count)
            tensor_fill(gradient, 0);
        dist_all_reduce(gradient);
        float *w = tensor_data(weights), *g = tensor_data(gradient);
        for (int64_t k = 0; k < n; k++)
            w[k] = 2 * w[k] + g[k];
        tensor_free(gradient);
    }
}
