/* A struct, a helper for the slowest, and a print. */
#include "dist.h"

#include <math.h>

struct times {
    double step, write, between_failures;
};

static double max(double mine)
{
    tensor *t = tensor_zeros(DIST_F64, 1);
    tensor_fill(t, mine);
    dist_all_reduce(t, .op = DIST_MAX);
    mine = tensor_item(t, 0);
    tensor_free(t);
    return mine;
}

int64_t steps_between(double step, double write, double mean_of_one, int world_size)
{
    struct times job = { .between_failures = mean_of_one / world_size };
    job.write = max(write);
    job.step = max(step);
    fprintf(stderr, "a step takes %g s, a write %g s\n", job.step, job.write);
    int64_t steps = llround(pow(2 * job.write * job.between_failures, 0.5) / job.step);
    return steps ? steps : 1;
}
