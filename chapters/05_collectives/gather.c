/*
 * gather.c: one rank collects everybody's results, in the order of the ranks.
 *
 *     rank            0           1           2           3
 *     before       [1, 2]    [101, 102]  [201, 202]  [301, 302]
 *     after                                     [1, 2, 101, 102, 201, 202, 301, 302]   on dst
 *
 * Run it:  make run-05 PROG=gather N=4
 */
#include "dist.h"

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int dst = world_size - 1;

    tensor *mine = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 3);
    tensor *all = rank == dst ? tensor_zeros(DIST_F32, 2 * world_size) : NULL;
    dist_gather(mine, all, dst);
    if (rank == dst)
        tensor_print(all, "rank %d collected", rank);

    /* The results leave while the next are computed. They are not changed before the wait, so `next` is another tensor. */
    tensor *next = tensor_clone(mine);
    dist_work *leaving = dist_gather(mine, all, dst, .async_op = true);
    tensor_add_scalar(next, 50);
    dist_wait(leaving);
    tensor_print(next, "rank %d computed meanwhile", rank);
    dist_gather(next, all, dst);
    if (rank == dst)
        tensor_print(all, "rank %d collected", rank);

    tensor_free(next);
    tensor_free(all);
    tensor_free(mine);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
