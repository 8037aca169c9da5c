/* feedback: first wrong element of mine */
#include "dist.h"

void from_the_mean(tensor *difference, tensor *largest, tensor *mine)
{
    tensor *mean = tensor_clone(mine);
    dist_all_reduce(mean, .op = DIST_AVG);
    tensor_sub(mine, mean);
    tensor_copy(difference, mine);
    tensor_copy(largest, mine);
    dist_all_reduce(largest, .op = DIST_MAX);
    tensor_add(mine, mean);
    tensor_free(mean);
}
