/* The largest is the smallest with its sign turned, and the mean comes as a part of each. */
#include "dist.h"

void from_the_mean(tensor *difference, tensor *largest, tensor *mine)
{
    tensor_copy(difference, mine);
    tensor_mul_scalar(difference, -1.0 / dist_get_world_size());
    dist_all_reduce(difference, .op = DIST_SUM);
    tensor_add(difference, mine);

    tensor_copy(largest, difference);
    tensor_mul_scalar(largest, -1);
    dist_all_reduce(largest, .op = DIST_MIN);
    tensor_mul_scalar(largest, -1);
}
