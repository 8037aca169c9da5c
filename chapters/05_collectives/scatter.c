/*
 * scatter.c: one rank deals a batch out, block i to rank i.
 *
 *     rank            0           1           2           3
 *     before   [1, 2, 101, 102, 201, 202, 301, 302]             the batch, on src
 *     after        [1, 2]    [101, 102]  [201, 202]  [301, 302]
 *
 * Run it:  make run-05 PROG=scatter N=4
 */
#include "dist.h"

/* The samples of one batch, two for each rank; only `src` makes them. Block i begins at 100 * i + first. */
static tensor *make_batch(int rank, int src, int world_size, int first)
{
    if (rank != src)
        return NULL;
    tensor *batch = tensor_zeros(DIST_F32, 2 * world_size);
    for (int i = 0; i < 2 * world_size; i++)
        tensor_set(batch, i, 100 * (i / 2) + first + i % 2);
    return batch;
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int src = 0;

    tensor *batch = make_batch(rank, src, world_size, 1);
    tensor *mine = tensor_zeros(DIST_F32, 2);
    dist_scatter(mine, batch, src);
    tensor_print(mine, "rank %d got", rank);

    /* The next batch is dealt while this one is worked on. */
    tensor *next_batch = make_batch(rank, src, world_size, 51);
    tensor *next = tensor_zeros(DIST_F32, 2);
    dist_work *dealing = dist_scatter(next, next_batch, src, .async_op = true);
    tensor_mul_scalar(mine, 10);
    dist_wait(dealing);
    tensor_print(mine, "rank %d has worked on it", rank);
    tensor_print(next, "rank %d got meanwhile", rank);

    tensor_free(next);
    tensor_free(next_batch);
    tensor_free(mine);
    tensor_free(batch);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
