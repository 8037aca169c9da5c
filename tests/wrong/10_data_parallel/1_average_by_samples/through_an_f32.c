/* feedback: something on their way is an F32 */
#include "dist.h"
void average_by_samples(tensor **gradients, int count, int samples)
{
    tensor *total = tensor_full(DIST_F64, samples, 1);
    dist_all_reduce(total);
    double all = tensor_item(total, 0);
    tensor_free(total);
    for (int i = 0; i < count; i++) {
        tensor *t = tensor_zeros(DIST_F32, tensor_numel(gradients[i]));
        tensor_copy(t, gradients[i]);
        tensor_mul_scalar(t, samples / all);
        dist_all_reduce(t);
        tensor_copy(gradients[i], t);
        tensor_free(t);
    }
}
