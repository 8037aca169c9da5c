/*
 * naive.c: the whole batch goes through at once. One stage computes, all others wait.
 *
 *     rank 0  FFFF                                BBBBBBBB
 *     rank 1      FFFF                    BBBBBBBB
 *     rank 2          FFFF        BBBBBBBB
 *
 * Run it:  make run-04 PROG=naive N=4
 */
#include "stage.h"

static void naive(struct stage *s)
{
    forward(s, 0);
    backward(s, 0);
}

static void run(int rank, int world_size)
{
    (void)rank, (void)world_size;
    run_schedule("naive", 1, naive);
}

int main(void)
{
    return dist_spawn(run, 4);
}
