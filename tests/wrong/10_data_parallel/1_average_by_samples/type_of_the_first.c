/* feedback: something on their way is an F32 */
#include "dist.h"

void average_by_samples(tensor **gradients, int count, int samples)
{
    int64_t length = 1;
    for (int i = 0; i < count; i++)
        length += tensor_numel(gradients[i]);
    tensor *flat = tensor_zeros(tensor_type(gradients[0]), length);
    int64_t at = 0;
    for (int i = 0; i < count; i++) {
        tensor *to = tensor_slice(flat, at, at + tensor_numel(gradients[i]));
        tensor_mul_scalar(gradients[i], samples);
        tensor_copy(to, gradients[i]);
        at += tensor_numel(gradients[i]);
        tensor_free(to);
    }
    tensor_set(flat, at, samples);
    dist_all_reduce(flat);
    double all = tensor_item(flat, at);
    at = 0;
    for (int i = 0; i < count; i++) {
        tensor *from = tensor_slice(flat, at, at + tensor_numel(gradients[i]));
        tensor_copy(gradients[i], from);
        tensor_mul_scalar(gradients[i], 1 / all);
        at += tensor_numel(gradients[i]);
        tensor_free(from);
    }
    tensor_free(flat);
}
