/*
 * reduce_scatter.c: the sum of everybody's lists, dealt out: block i of it to rank i.
 *
 *     rank            0                 1
 *     before   [1, 2 | 3, 4]   [101, 102 | 103, 104]       two blocks each, here for two ranks
 *     after     [102, 104]         [106, 108]
 *                1 + 101, ...       3 + 103, ...
 *
 * Run it:  make run-05 PROG=reduce_scatter N=4
 */
#include "dist.h"

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int count = 2 * world_size;

    tensor *gradients = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 1 + count);
    tensor *mine = tensor_zeros(DIST_F32, 2);
    tensor_print(gradients, "rank %d brings", rank);
    dist_reduce_scatter(mine, gradients);
    tensor_print(mine, "rank %d owns the sum", rank);

    /* The next layer's gradients are averaged while this rank uses its block of the first. */
    tensor *next_gradients = tensor_arange(DIST_F32, 100 * rank + 51, 100 * rank + 51 + count);
    tensor *next = tensor_zeros(DIST_F32, 2);
    dist_work *averaging = dist_reduce_scatter(next, next_gradients, .op = DIST_AVG, .async_op = true);
    tensor_mul_scalar(mine, -0.5);
    dist_wait(averaging);
    tensor_print(mine, "rank %d steps by", rank);
    tensor_print(next, "rank %d owns the mean", rank);

    tensor_free(next);
    tensor_free(next_gradients);
    tensor_free(mine);
    tensor_free(gradients);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
