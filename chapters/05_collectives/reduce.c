/*
 * reduce.c: combined on one rank only; the others keep what they had.
 *
 *     rank            0           1           2           3
 *     before       [1, 2]    [101, 102]  [201, 202]  [301, 302]
 *     after      [604, 608]  [101, 102]  [201, 202]  [301, 302]
 *                   dst
 *
 * Run it:  make run-05 PROG=reduce N=4
 */
#include "dist.h"

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int dst = 0;

    tensor *losses = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 3);
    dist_reduce(losses, dst);
    tensor_print(losses, "rank %d holds", rank);

    /* The largest entry of each, asked for while the next step is computed. */
    tensor *step = tensor_full(DIST_F32, rank, 2);
    tensor *largest = tensor_arange(DIST_F32, 100 * rank + 51, 100 * rank + 53);
    dist_work *reducing = dist_reduce(largest, dst, .op = DIST_MAX, .async_op = true);
    tensor_add_scalar(step, 1);
    dist_wait(reducing);
    tensor_print(step, "rank %d computed meanwhile", rank);
    if (rank == dst)
        tensor_print(largest, "rank %d has the largest of %d", rank, world_size);

    tensor_free(largest);
    tensor_free(step);
    tensor_free(losses);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
