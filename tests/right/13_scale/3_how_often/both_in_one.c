/* Both times in one tensor, and one call. */
#include "dist.h"

#include <math.h>

int64_t steps_between(double step, double write, double mean_of_one, int world_size)
{
    tensor *both = tensor_from(DIST_F64, (double[]){ step, write }, 2);
    dist_all_reduce(both, .op = DIST_MAX);
    double slowest = tensor_item(both, 0), cost = tensor_item(both, 1);
    tensor_free(both);
    int64_t steps = (int64_t)floor(sqrt(2 * cost * mean_of_one / world_size) / slowest + 0.5);
    return steps < 1 ? 1 : steps;
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int64_t steps = steps_between(5 + 0.1 * rank, 60 - rank, 3.1 * 3600 * world_size, world_size);
    printf("rank %d writes every %lld steps\n", rank, (long long)steps);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
