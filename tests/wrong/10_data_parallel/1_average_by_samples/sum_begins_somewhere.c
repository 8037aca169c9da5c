/* feedback: first wrong element */
/* The sum was never 0. */
#include "dist.h"

void average_by_samples(tensor **gradients, int count, int samples)
{
    tensor *total = tensor_full(DIST_F64, samples, 1);
    double all[1];
    dist_all_reduce(total);
    for (int i = 0; i < 1; i++)
        all[i] += tensor_item(total, i);
    tensor_free(total);
    for (int i = 0; i < count; i++) {
        tensor_mul_scalar(gradients[i], samples / all[0]);
        dist_all_reduce(gradients[i]);
    }
}
