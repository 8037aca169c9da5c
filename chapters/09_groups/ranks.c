/*
 * ranks.c: a rank inside a group is another number than the rank in the world. Which one is meant where?
 *
 *     world      0     1     2     3     4     5     6
 *     group      3           2           1           0        made from the list { 6, 4, 2, 0 }
 *
 * Run it:  make run-09 PROG=ranks N=7
 */
#include "dist.h"

enum { MOST = 512 }; /* members, of up to 1024 ranks */

/* Every second rank, from the last one down. */
static int list_members(int *ranks, int world_size)
{
    int count = 0;
    for (int r = world_size - 1; r >= 0 && count < MOST; r -= 2)
        ranks[count++] = r;
    return count;
}

static void inside(dist_group *group, const int *ranks, int rank, int size)
{
    int me = dist_get_rank(.group = group), last = ranks[size - 1];
    printf("rank %d of the world is rank %d of %d in the group\n", rank, me, size);

    tensor *mine = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 3);
    tensor *all = tensor_zeros(DIST_F32, 2 * size);
    dist_all_gather(all, mine, .group = group); /* block i comes from rank i of the group */
    tensor_print(all, "rank %d gathered", rank);

    dist_broadcast(mine, .src = last, .group = group); /* src is a rank of the world */
    tensor_print(mine, "rank %d heard from rank %d of the world, %d of the group,", rank, last, size - 1);
    tensor_free(all);
    tensor_free(mine);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int ranks[MOST], size = list_members(ranks, world_size);
    dist_group *group = dist_new_group(ranks, size);
    if (dist_get_rank(.group = group) >= 0)
        inside(group, ranks, rank, size);
    else
        printf("rank %d of the world is rank %d of the group: not in it, and knows that it has %d\n", rank,
               dist_get_rank(.group = group), dist_get_world_size(.group = group));
    dist_group_free(group);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
