/*
 * members_only.c: the even ranks want a group, so they make one. The odd ones have nothing to do with it.
 *
 *     even ranks   new_group . . . . .
 *     odd ranks    destroy
 *
 * It ends with a report, on purpose. Run it:  make run-09 PROG=members_only N=4
 */
#include "dist.h"

enum { MOST = 512 }; /* members, of up to 1024 ranks */

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int ranks[MOST], count = 0;
    for (int r = 0; r < world_size && count < MOST; r += 2)
        ranks[count++] = r;

    dist_group *even = NULL;
    if (rank % 2 == 0)
        even = dist_new_group(ranks, count); /* should stand outside of the if */

    tensor *x = tensor_full(DIST_F32, rank, 1);
    if (even)
        dist_all_reduce(x, .group = even);
    tensor_print(x, "rank %d ends with", rank);

    tensor_free(x);
    dist_group_free(even);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
