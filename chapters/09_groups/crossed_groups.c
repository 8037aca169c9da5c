/*
 * crossed_groups.c: two groups with the same members, one for gradients and one for the loss. Rank 0 begins with the loss.
 *
 *     rank 0   all_reduce in "losses"       all_reduce in "gradients"
 *     others   all_reduce in "gradients"    all_reduce in "losses"
 *
 * It ends with a report, on purpose. Run it:  make run-09 PROG=crossed_groups N=4
 */
#include "dist.h"

#include <stdlib.h>

static dist_group *everybody(int world_size)
{
    int *ranks = calloc((size_t)world_size, sizeof *ranks);
    for (int r = 0; ranks && r < world_size; r++)
        ranks[r] = r;
    dist_group *group = dist_new_group(ranks, world_size);
    free(ranks);
    return group;
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    dist_group *gradients = everybody(world_size), *losses = everybody(world_size);
    tensor *gradient = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 4);
    tensor *loss = tensor_full(DIST_F32, rank + 0.5, 1);

    if (rank == 0)
        dist_all_reduce(loss, .group = losses); /* to print it early */
    dist_all_reduce(gradient, .group = gradients);
    if (rank != 0)
        dist_all_reduce(loss, .group = losses);
    dist_synchronize(); /* on a GPU the calls only put work into a stream */

    tensor_free(loss);
    tensor_free(gradient);
    dist_group_free(losses);
    dist_group_free(gradients);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
