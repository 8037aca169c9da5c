/*
 * buckets.c: gradients are summed while backward still computes others.
 *
 *     five buckets    [ forward ][ backward 4 3 2 1 0 ]     [ step ]
 *                                       [ 0 ][ 1 ][ 2 ][ 3 ][ 4 ]
 *
 * Run it:  make run-10 PROG=buckets N=2
 */
#include "buckets.h"

static void run(int rank, int world_size)
{
    run_buckets(50 * 1000, rank, world_size);
}

int main(void)
{
    setenv("DIST_SIM", "20:0.25", 0); /* how quick the simulated links are: 20 us, 0.25 GB/s */
    return dist_spawn(run, 2);
}
