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

enum { ROUNDS = 11, SIZE = 256 };

typedef void finish(tensor *sum, tensor *other, tensor *matrix);

static void wait_then_work(tensor *sum, tensor *other, tensor *matrix)
{
    dist_recv(other, 0);
    tensor_matmul(sum, matrix, matrix);
    tensor_add(sum, other);
}

static void work_while_waiting(tensor *sum, tensor *other, tensor *matrix)
{
    dist_work *arriving = dist_irecv(other, 0);
    tensor_matmul(sum, matrix, matrix);
    dist_wait(arriving);
    tensor_add(sum, other);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* From the common start until rank 1 has the sum: the median, in milliseconds. */
static double measure(finish *way, int rank)
{
    tensor *matrix = tensor_full(DIST_F32, rank + 1, SIZE, SIZE);
    tensor *sum = tensor_zeros(DIST_F32, SIZE, SIZE);
    tensor *other = tensor_zeros(DIST_F32, SIZE, SIZE);
    double times[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        dist_barrier();
        double start = dist_time();
        if (rank == 0) {
            tensor_matmul(sum, matrix, matrix);
            dist_send(sum, 1);
        } else if (rank == 1) {
            way(sum, other, matrix);
        }
        times[i] = (dist_time() - start) * 1e3;
    }
    qsort(times, ROUNDS, sizeof(times[0]), by_size);
    tensor_free(other);
    tensor_free(sum);
    tensor_free(matrix);
    return times[ROUNDS / 2];
}

static void run(int rank, int world_size)
{
    if (world_size < 2) {
        fprintf(stderr, "overlap needs at least 2 ranks: make run-03 PROG=overlap N=2\n");
        exit(2);
    }
    dist_init_process_group();
    double slow = measure(wait_then_work, rank);
    double fast = measure(work_while_waiting, rank);
    if (rank == 1) {
        printf("receive, then work            %8.2f ms\n", slow);
        printf("start to receive, work, wait  %8.2f ms\n", fast);
        printf("the first takes               %8.2f times as long\n", slow / fast);
    }
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
