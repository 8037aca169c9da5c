/*
 * which_size.c: for which bucket size should a step be the quickest? Clocks instead of messages: a cluster that we do not have.
 *
 *     small buckets    many alphas                     large buckets    nothing to hide the last one behind
 *
 * Run it:  make run-10 PROG=which_size N=1
 */
#include "dist.h"
#include "predict.h"

#define MB 1e6

/* An all_reduce among p ranks by a ring (chapter 08): 2 (p - 1) messages, each of a p-th of the bytes. */
static struct cost cluster(int p, double megabytes)
{
    const double alpha = 10e-6, bandwidth = 25e9;
    return (struct cost){ .forward = 0.05,
                          .backward = 0.10,
                          .step = 0.005,
                          .bytes = megabytes * MB,
                          .alpha = 2 * (p - 1) * alpha,
                          .beta = 2.0 * (p - 1) / p / bandwidth };
}

static void tell(int p, double megabytes)
{
    static const double sizes[] = { 0.1, 1, 5, 25, 100, 400, 1e9 };
    struct cost c = cluster(p, megabytes);
    printf("%3d ranks, %4.0f MB:", p, megabytes);
    for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++)
        printf(" %8.1f", 1e3 * predict(c, sizes[i] * MB));
    printf("\n");
}

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    if (rank == 0) {
        printf("ms a step, in buckets of  0.1 MB     1 MB     5 MB    25 MB   100 MB   400 MB   all\n");
        for (int p = 8; p <= 512; p *= 8)
            for (int megabytes = 100; megabytes <= 1600; megabytes *= 4)
                tell(p, megabytes);
    }
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 1);
}
