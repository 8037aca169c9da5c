/*
 * latency.c: how long do two messages take, one each way, asked for in three ways?
 *
 *     in turns                             both at once
 *     rank 0  ---- message --->  rank 1    rank 0  ---- message --->  rank 1
 *             <--- message ----                    <--- message ----
 *             one after the other                  side by side
 *
 * Run it:  make run-03 PROG=latency N=2
 */
#include "dist.h"

#include <stdlib.h>

enum { ROUNDS = 501, WAYS = 3 };

static void blocking(tensor *mine, tensor *theirs, int rank)
{
    if (rank == 0)
        dist_send(mine, 1);
    dist_recv(theirs, 1 - rank);
    if (rank == 1)
        dist_send(mine, 0);
}

static void waited_at_once(tensor *mine, tensor *theirs, int rank)
{
    if (rank == 0)
        dist_wait(dist_isend(mine, 1));
    dist_wait(dist_irecv(theirs, 1 - rank));
    if (rank == 1)
        dist_wait(dist_isend(mine, 0));
}

static void both_at_once(tensor *mine, tensor *theirs, int rank)
{
    dist_work *arriving = dist_irecv(theirs, 1 - rank);
    dist_work *leaving = dist_isend(mine, 1 - rank);
    dist_wait(arriving);
    dist_wait(leaving);
}

static const struct {
    const char *name;
    void (*swap)(tensor *mine, tensor *theirs, int rank);
} ways[WAYS] = {
    { "send, then recv", blocking },
    { "isend, wait, then irecv, wait", waited_at_once },
    { "irecv, isend, then wait for both", both_at_once },
};

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Medians in microseconds. The ways take turns, so that a busy moment of the machine hits them alike. */
static void measure(double medians[WAYS], int64_t bytes, int rank)
{
    tensor *mine = tensor_zeros(DIST_U8, bytes);
    tensor *theirs = tensor_zeros(DIST_U8, bytes);
    double times[WAYS][ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        for (int w = 0; w < WAYS; w++) {
            double start = dist_time();
            ways[w].swap(mine, theirs, rank);
            dist_synchronize(); /* only on a GPU is there anything left to wait for */
            times[w][i] = (dist_time() - start) * 1e6;
        }
    for (int w = 0; w < WAYS; w++) {
        qsort(times[w], ROUNDS, sizeof(double), by_size);
        medians[w] = times[w][ROUNDS / 2];
    }
    tensor_free(theirs);
    tensor_free(mine);
}

static void run(int rank, int world_size)
{
    if (world_size < 2) {
        fprintf(stderr, "latency needs at least 2 ranks: make run-03 PROG=latency N=2\n");
        exit(2);
    }
    dist_init_process_group();
    if (rank < 2) {
        double small[WAYS], large[WAYS];
        measure(small, 8, rank);
        measure(large, 1 << 20, rank);
        if (rank == 0)
            printf("%-34s %12s %12s\n", "one message each way", "8 B", "1 MiB");
        for (int w = 0; rank == 0 && w < WAYS; w++)
            printf("%-34s %9.2f us %9.2f us\n", ways[w].name, small[w], large[w]);
    }
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
