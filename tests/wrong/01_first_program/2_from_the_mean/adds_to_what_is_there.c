/* feedback: first wrong element of difference */
#include "dist.h"

/* All three have the same number of elements. It may be called again in the same run. */
void from_the_mean(tensor *difference, tensor *largest, tensor *mine)
{
    tensor *mean = tensor_clone(mine);
    dist_all_reduce(mean, .op = DIST_AVG);
    tensor_add(difference, mine);
    tensor_sub(difference, mean);
    tensor_free(mean);

    tensor_add(largest, difference);
    dist_all_reduce(largest, .op = DIST_MAX);
}
