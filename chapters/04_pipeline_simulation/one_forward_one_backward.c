/*
 * one_forward_one_backward.c: as soon as a micro-batch can go backward, it does. Known as 1F1B.
 *
 *     rank 0  F0 F1 F2       B0 F3 B1 F4 B2 ..
 *     rank 1     F0 F1    B0 F2 B1 F3 B2 ..
 *     rank 2        F0 B0 F1 B1 F2 B2 ..
 *
 * Run it:  make run-04 PROG=one_forward_one_backward N=4
 */
#include "stage.h"

static void one_forward_one_backward(struct stage *s)
{
    int ahead = s->size - 1 - s->rank; /* as many as there are stages after this one */
    if (ahead > s->pieces)
        ahead = s->pieces;
    for (int i = 0; i < ahead; i++)
        forward(s, i);
    for (int i = ahead; i < s->pieces; i++) {
        forward(s, i);
        backward(s, i - ahead);
    }
    for (int i = s->pieces - ahead; i < s->pieces; i++)
        backward(s, i);
}

static void run(int rank, int world_size)
{
    (void)rank, (void)world_size;
    run_schedule("1F1B", 8, one_forward_one_backward);
}

int main(void)
{
    return dist_spawn(run, 4);
}
