/*
 * two_levels.c: an all-reduce in two levels, made of groups. Think of each node as one machine.
 *
 *     node 0           node 1
 *     0 <-- 1          2 <-- 3         first: inside each node, all to its leader
 *     0 <------------> 2               then: an all-reduce between the leaders
 *     0 --> 1          2 --> 3         last: inside each node, from its leader to all
 *
 * Run it:  make run-09 PROG=two_levels N=4
 */
#include "dist.h"

enum { PER_NODE = 2, MOST = 1024 }; /* ranks */

/* Ranks first, first + step, ... below `end`. */
static dist_group *make_group(int first, int step, int end)
{
    int ranks[MOST], count = 0;
    for (int r = first; r < end && count < MOST; r += step)
        ranks[count++] = r;
    return dist_new_group(ranks, count);
}

/* All nodes' groups are made by all ranks; each keeps that of its own node. */
static dist_group *make_node(int rank, int world_size)
{
    dist_group *mine = NULL;
    for (int first = 0; first < world_size; first += PER_NODE) {
        int end = first + PER_NODE < world_size ? first + PER_NODE : world_size;
        dist_group *group = make_group(first, 1, end);
        if (rank >= first && rank < end)
            mine = group;
        else
            dist_group_free(group);
    }
    return mine;
}

static void two_level_all_reduce(tensor *x, int leader, int rank, dist_group *node, dist_group *leaders)
{
    dist_reduce(x, .dst = leader, .group = node);
    if (rank == leader)
        dist_all_reduce(x, .group = leaders);
    dist_broadcast(x, .src = leader, .group = node);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int leader = rank - rank % PER_NODE;
    dist_group *node = make_node(rank, world_size), *leaders = make_group(0, PER_NODE, world_size);

    tensor *x = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 4), *one_level = tensor_clone(x);
    two_level_all_reduce(x, leader, rank, node, leaders);
    dist_all_reduce(one_level);
    tensor_print(x, "rank %d, led by rank %d, %s:", rank, leader,
                 tensor_equal(x, one_level) ? "has what one all_reduce gives" : "has something else");

    tensor_free(one_level);
    tensor_free(x);
    dist_group_free(leaders);
    dist_group_free(node);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
