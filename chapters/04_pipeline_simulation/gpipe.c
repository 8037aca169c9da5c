/*
 * gpipe.c: the batch in 8 micro-batches: all of them forward, then all of them backward.
 *
 *     rank 0  F0 F1 F2 F3 ..                     B0    B1    B2    B3 ..
 *     rank 1     F0 F1 F2 F3 ..            B0    B1    B2    B3 ..
 *     rank 2        F0 F1 F2 F3 ..   B0    B1    B2    B3 ..
 *
 * Run it:  make run-04 PROG=gpipe N=4
 */
#include "stage.h"

static void gpipe(struct stage *s)
{
    for (int i = 0; i < s->pieces; i++)
        forward(s, i);
    for (int i = 0; i < s->pieces; i++)
        backward(s, i);
}

static void run(int rank, int world_size)
{
    (void)rank, (void)world_size;
    run_schedule("gpipe", 8, gpipe);
}

int main(void)
{
    return dist_spawn(run, 4);
}
