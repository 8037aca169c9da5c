/* feedback: first wrong element of gradient */
#include "dist.h"

/* Through F16: no more than 11 bits of a number are left. */
static void halve(tensor *x)
{
    tensor *half = tensor_zeros(DIST_F16, tensor_numel(x));
    tensor_copy(half, x);
    tensor_copy(x, half);
    tensor_free(half);
}

void average_by_samples(tensor **gradients, int count, int samples)
{
    tensor *total = tensor_full(DIST_F64, samples, 1);
    dist_all_reduce(total);
    double all = tensor_item(total, 0);
    tensor_free(total);
    for (int i = 0; i < count; i++) {
        if (tensor_type(gradients[i]) == DIST_F32)
            halve(gradients[i]);
        tensor_mul_scalar(gradients[i], samples / all);
        dist_all_reduce(gradients[i]);
    }
}
