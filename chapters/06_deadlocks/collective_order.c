/*
 * collective_order.c: two collectives, and rank 0 calls them the other way round.
 *
 *     rank 0   broadcast    all_reduce
 *     others   all_reduce   broadcast
 *
 * It ends with a report, on purpose. Run it:  make run-06 PROG=collective_order N=4
 */
#include "dist.h"

static void run(int rank, int world_size)
{
    dist_init_process_group();
    (void)world_size;
    tensor *weights = tensor_full(DIST_F32, 100 * rank + 1, 3);
    tensor *loss = tensor_full(DIST_F32, rank + 0.5, 1);

    if (rank == 0) {
        dist_broadcast(weights, 0);
        dist_all_reduce(loss);
    } else {
        dist_all_reduce(loss);
        dist_broadcast(weights, 0);
    }

    tensor_free(loss);
    tensor_free(weights);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
