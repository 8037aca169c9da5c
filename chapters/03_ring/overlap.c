/*
 * overlap.c: two ranks compute one half each of a sum; rank 1 puts the halves together.
 *
 *     receive, then work                start to receive, work, wait
 *
 *     rank 0  [ work ]--+               rank 0  [ work ]--+
 *                       v                                 v
 *     rank 1  . . . . .  [ work ][add]  rank 1  [ work ]   [add]
 *
 * Run it:  make run-03 PROG=overlap N=2
 */
#include "dist.h"

#include <stdlib.h>
#include <threads.h>

enum { ROUNDS = 21, SIZE = 320 };

typedef void finish(tensor *sum, tensor *other, tensor *matrix);

static void wait_then_work(tensor *sum, tensor *other, tensor *matrix)
{
    dist_recv(other, 0);
    dist_span("work") {
        tensor_matmul(sum, matrix, matrix);
    }
    dist_span("add") {
        tensor_add(sum, other);
    }
}

static void work_while_waiting(tensor *sum, tensor *other, tensor *matrix)
{
    dist_work *arriving = dist_irecv(other, 0);
    dist_span("work") {
        tensor_matmul(sum, matrix, matrix);
    }
    dist_wait(arriving);
    dist_span("add") {
        tensor_add(sum, other);
    }
}

/* Rank 0 stands for another machine: its work must not take a core away from rank 1, so it sleeps. */
static void work_elsewhere(void)
{
    dist_span("work") {
        thrd_sleep(&(struct timespec){ .tv_nsec = 10 * 1000 * 1000 }, NULL);
    }
}

/* Milliseconds from the common start until rank 1 has the sum. */
static double once(finish *way, int rank)
{
    tensor *matrix = tensor_full(DIST_F32, 2, SIZE, SIZE);
    tensor *sum = tensor_full(DIST_F32, 1, SIZE, SIZE);
    tensor *other = tensor_zeros(DIST_F32, SIZE, SIZE);

    dist_barrier();
    double start = dist_time();
    if (rank == 0) {
        work_elsewhere();
        dist_send(sum, 1);
    } else if (rank == 1) {
        way(sum, other, matrix);
    }
    dist_synchronize(); /* only on a GPU is there anything left to wait for */
    double end = dist_time();

    tensor_free(other);
    tensor_free(sum);
    tensor_free(matrix);
    return (end - start) * 1e3;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void run(int rank, int world_size)
{
    if (world_size < 2) {
        fprintf(stderr, "overlap needs at least 2 ranks: make run-03 PROG=overlap N=2\n");
        exit(2);
    }
    dist_init_process_group();
    double slow[ROUNDS], fast[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        slow[i] = once(wait_then_work, rank);
        fast[i] = once(work_while_waiting, rank);
    }
    if (rank == 1) {
        qsort(slow, ROUNDS, sizeof(double), by_size);
        qsort(fast, ROUNDS, sizeof(double), by_size);
        printf("receive, then work            %8.2f ms\n", slow[ROUNDS / 2]);
        printf("start to receive, work, wait  %8.2f ms\n", fast[ROUNDS / 2]);
    }
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
