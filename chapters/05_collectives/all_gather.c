/*
 * all_gather.c: the gathered list, on every rank.
 *
 *     rank            0           1           2           3
 *     before       [1, 2]    [101, 102]  [201, 202]  [301, 302]
 *     after    [1, 2, 101, 102, 201, 202, 301, 302] on all of them
 *
 * Run it:  make run-05 PROG=all_gather N=4
 */
#include "dist.h"

static void run(int rank, int world_size)
{
    dist_init_process_group();

    tensor *mine = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 3);
    tensor *all = tensor_zeros(DIST_F32, 2 * world_size);
    dist_all_gather(all, mine);
    tensor_print(all, "rank %d gathered", rank);

    /* A layer's weights are collected while the layer before it is still computing. */
    tensor *weights = tensor_zeros(DIST_F32, 2 * world_size);
    tensor *shard = tensor_arange(DIST_F32, 100 * rank + 51, 100 * rank + 53);
    dist_work *collecting = dist_all_gather(weights, shard, .async_op = true);
    tensor_mul_scalar(all, 2);
    dist_wait(collecting);
    tensor_add(all, weights);
    tensor_print(all, "rank %d added", rank);

    tensor_free(shard);
    tensor_free(weights);
    tensor_free(all);
    tensor_free(mine);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
