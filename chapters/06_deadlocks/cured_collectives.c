/*
 * cured_collectives.c: every rank makes every call, in one order. Only what follows differs: rank 0 prints.
 *
 * Run it:  make run-06 PROG=cured_collectives N=4
 */
#include "dist.h"

static void run(int rank, int world_size)
{
    dist_init_process_group();
    (void)world_size;
    tensor *weights = tensor_full(DIST_F32, 100 * rank + 1, 3);
    tensor *loss = tensor_full(DIST_F32, rank + 0.5, 1);

    dist_broadcast(weights, 0);
    dist_all_reduce(loss, .op = DIST_AVG);
    if (rank == 0)
        tensor_print(loss, "mean loss");
    tensor_print(weights, "rank %d starts from", rank);

    tensor_free(loss);
    tensor_free(weights);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
