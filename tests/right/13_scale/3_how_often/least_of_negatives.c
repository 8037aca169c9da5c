/* The largest as minus the least of negatives, both started at once. */
#include "dist.h"

#include <math.h>

int64_t steps_between(double step, double write, double mean_of_one, int world_size)
{
    tensor *times[] = { tensor_full(DIST_F64, -step, 1), tensor_full(DIST_F64, -write, 1) };
    dist_work *works[2];
    for (int i = 0; i < 2; i++)
        works[i] = dist_all_reduce(times[i], .op = DIST_MIN, .async_op = true);
    dist_wait_all(works, 2);
    double late = -tensor_item(times[0], 0), mean = mean_of_one / world_size;
    long steps = lround(sqrt(-2 * tensor_item(times[1], 0) * mean) / late);
    for (int i = 0; i < 2; i++)
        tensor_free(times[i]);
    return steps > 0 ? steps : 1;
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
