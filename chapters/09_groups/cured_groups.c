/*
 * cured_groups.c: both cures. Every rank makes every group, member or not; and collectives come in one order on all ranks,
 * whatever group they belong to.
 *
 *     all ranks    new_group "everybody"    new_group "even"
 *     all ranks    all_reduce in "everybody"
 *     even ranks                            all_reduce in "even"
 *
 * Run it:  make run-09 PROG=cured_groups N=4
 */
#include "dist.h"

enum { MOST = 1024 }; /* ranks */

/* Ranks 0, step, 2 step, ... */
static dist_group *every(int step, int world_size)
{
    int ranks[MOST], count = 0;
    for (int r = 0; r < world_size && count < MOST; r += step)
        ranks[count++] = r;
    return dist_new_group(ranks, count);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    dist_group *everybody = every(1, world_size), *even = every(2, world_size);
    tensor *gradient = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 4);
    tensor *loss = tensor_full(DIST_F32, rank + 0.5, 1);

    dist_all_reduce(gradient, .group = everybody);
    if (dist_get_rank(.group = even) >= 0)
        dist_all_reduce(loss, .group = even);
    tensor_print(gradient, "rank %d has the gradient", rank);
    tensor_print(loss, "rank %d has the loss %s", rank, rank % 2 == 0 ? "of the even ranks" : "that it had");

    tensor_free(loss);
    tensor_free(gradient);
    dist_group_free(even);
    dist_group_free(everybody);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
