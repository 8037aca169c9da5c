/*
 * one_bucket.c: gradients are summed when backward is over.
 *
 *     one bucket      [ forward ][ backward 4 3 2 1 0 ]                 [ step ]
 *                                                      [ all_reduce ]
 *
 * Run it:  make run-10 PROG=one_bucket N=2
 */
#include "buckets.h"

static void run(int rank, int world_size)
{
    run_buckets(ALL, rank, world_size);
}

int main(void)
{
    setenv("DIST_SIM", "20:0.25", 0); /* how quick the simulated links are: 20 us, 0.25 GB/s */
    return dist_spawn(run, 2);
}
