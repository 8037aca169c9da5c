/* feedback: first wrong element of steps */
#include "dist.h"
#include <math.h>
int64_t steps_between(double step, double write, double mean_of_one, int world_size)
{
    tensor *seconds = tensor_from(DIST_F64, (double[]){ step, write }, 2);
    dist_all_reduce(seconds, .op = DIST_MAX);
    step = tensor_item(seconds, 0);
    write = tensor_item(seconds, 1);
    tensor_free(seconds);
    int mean = (int)mean_of_one / world_size;
    int64_t steps = llround(sqrt(2 * write * mean) / step);
    return steps ? steps : 1;
}
