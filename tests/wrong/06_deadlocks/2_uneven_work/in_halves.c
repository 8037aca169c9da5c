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

void train(tensor *weights, tensor *batches, int64_t count)
{
    tensor *gradient = tensor_zeros(DIST_F32, tensor_numel(weights));
    tensor *most = tensor_full(DIST_I64, (double)count, 1);
    dist_broadcast(weights, 0);
    dist_all_reduce(most, .op = DIST_MAX);
    int64_t steps = (int64_t)tensor_item(most, 0);
    tensor_free(most);
    for (int64_t i = 0; i < steps; i++) {
        tensor_fill(gradient, 0);
        if (i < count) {
            tensor *batch = tensor_slice(batches, i, i + 1);
            tensor_copy(gradient, batch);
            tensor_free(batch);
            halve(gradient);
        }
        dist_all_reduce(gradient);
        tensor_mul_scalar(weights, 2);
        tensor_add(weights, gradient);
    }
    tensor_free(gradient);
}
