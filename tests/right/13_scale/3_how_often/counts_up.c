/* Counts steps up until the next one is too many; no root is taken. */
#include "dist.h"

int64_t steps_between(double step, double write, double mean_of_one, int world_size)
{
    tensor *t = tensor_zeros(DIST_F64, 2);
    tensor_set(t, 0, step);
    tensor_set(t, 1, write);
    dist_wait(dist_all_reduce(t, .op = DIST_MAX, .async_op = true));
    double longest = tensor_item(t, 0),
           square = 2 * tensor_item(t, 1) * mean_of_one / world_size; /* of the seconds of work */
    int64_t steps = 1;
    while ((steps + 0.5) * longest * ((steps + 0.5) * longest) <= square)
        steps++;
    tensor_free(t);
    return steps;
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
