/*
 * barrier.c: nobody leaves before everybody has come. No data moves.
 *
 *     rank 0  comes ------------------------------+ leaves
 *     rank 1        comes ------------------------+ leaves
 *     rank 2              comes ------------------+ leaves
 *     rank 3                                comes + leaves
 *
 * Run it:  make run-05 PROG=barrier N=4
 */
#include "dist.h"

#include <threads.h>

/* Rank r is r times 10 ms late. */
static void be_late(int rank)
{
    thrd_sleep(&(struct timespec){ .tv_nsec = rank * 10L * 1000 * 1000 }, NULL);
}

/* When did the last rank come? All ranks are on one machine, so their clock is the same. */
static double last_of(double time)
{
    tensor *last = tensor_full(DIST_F64, time, 1);
    dist_all_reduce(last, .op = DIST_MAX);
    double result = tensor_item(last, 0);
    tensor_free(last);
    return result;
}

static void run(int rank, int world_size)
{
    dist_init_process_group();

    be_late(rank);
    double came = dist_time();
    dist_barrier();
    double left = dist_time();
    printf("rank %d left after the last of %d had come: %s\n", rank, world_size,
           left >= last_of(came) ? "yes" : "no");

    /* Say that you have come, do something else, and only then wait for the others. */
    be_late(rank);
    came = dist_time();
    dist_work *meeting = dist_barrier(.async_op = true);
    be_late(world_size - 1 - rank);
    dist_wait(meeting);
    left = dist_time();
    printf("rank %d worked, then waited for the last of %d: %s\n", rank, world_size,
           left >= last_of(came) ? "yes" : "no");

    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
