/* feedback: first wrong element */
/* `all` is added to, and was never 0. */
#include "dist.h"

#include <stdlib.h>

void average_by_samples(tensor **gradients, int count, int samples)
{
    double *all = malloc(sizeof *all);
    tensor *total = tensor_full(DIST_F64, samples, 1);
    dist_all_reduce(total);
    *all += tensor_item(total, 0);
    tensor_free(total);
    for (int i = 0; i < count; i++) {
        tensor_mul_scalar(gradients[i], samples / *all);
        dist_all_reduce(gradients[i]);
    }
    free(all);
}
