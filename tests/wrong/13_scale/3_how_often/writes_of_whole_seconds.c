/* feedback: first wrong element */
/*
 * 3_how_often.c: exercise 13.3. Every how many steps should a job write a checkpoint?
 *
 *     | step step step step | write | step step step step | write | ...
 *
 * Young's answer: so that sqrt(2 C M) seconds of work lie between two writes. C is the time to write, M the mean time between failures of
 * the whole job; one rank fails every `mean_of_one` seconds, and if any rank fails, the job does.
 *
 * Ranks have measured how long a step and a write take, each its own, and they differ: a job waits for its slowest rank. All ranks must
 * come to the same answer, or they will write at different steps. It is the nearest whole number of steps, and at least 1. The only
 * collective that you need is dist_all_reduce; two calls at most; no messages.
 *
 * Grade it:  make exercise-13.3        Run it:  make try-13.3 N=4        A hint:  make hint-13.3
 */
#include "dist.h"

#include <math.h>

/* Steps from one checkpoint to the next. step, write: seconds on this rank. */
int64_t steps_between(double step, double write, double mean_of_one, int world_size)
{
    int64_t steps = 0;
    /* TODO: how long do they take for the job? */
    tensor *seconds = tensor_from(DIST_F64, (double[]){ step, write }, 2);
    dist_all_reduce(seconds, .op = DIST_MAX);
    step = tensor_item(seconds, 0);
    write = tensor_item(seconds, 1);
    tensor_free(seconds);
    /* end of TODO */

    /* TODO: Young's interval, in steps. */
    int seconds_of_a_write = (int)write;
    double mean = mean_of_one / world_size;
    steps = llround(sqrt(2 * seconds_of_a_write * mean) / step);
    steps = steps < 1 ? 1 : steps;
    /* end of TODO */
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
