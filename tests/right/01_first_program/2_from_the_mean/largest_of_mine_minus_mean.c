/* The largest of all, minus the mean: both all_reduces are under way at the same time. */
#include "dist.h"

void from_the_mean(tensor *difference, tensor *largest, tensor *mine)
{
    tensor *mean = tensor_clone(mine);
    tensor_copy(largest, mine);
    dist_work *works[] = { dist_all_reduce(mean, .op = DIST_AVG, .async_op = true),
                           dist_all_reduce(largest, .op = DIST_MAX, .async_op = true) };
    dist_wait_all(works, 2);
    tensor_copy(difference, mine);
    tensor_sub(difference, mean);
    tensor_sub(largest, mean);
    tensor_free(mean);
}
