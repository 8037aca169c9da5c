/*
 * 3_two_levels.c: exercise 09.3. The mean over all ranks in two levels: inside each node, between the leaders, and back.
 *
 *     node 0                node 1                node 2          7 ranks, per_node = 3
 *     0 <-- 1               3 <-- 4               6               first:  inside each node the sum, at its leader
 *       <-- 2                 <-- 5
 *     0 <-----------------> 3 <-----------------> 6               then:   the sum between the leaders, and the mean of it
 *     0 --> 1               3 --> 4               6               last:   inside each node, from its leader to all
 *       --> 2                 --> 5
 *
 * Ranks 0 .. per_node - 1 are node 0, the next per_node are node 1, and so on; the last node may have fewer. A node's first
 * rank leads it. In the end x, F32 or F64, is the mean over all ranks, everywhere: each rank counts the same, however small its node.
 *
 * Only the leaders meet across nodes: they share one all_reduce. In a node there is one reduce, to its leader, and then
 * one broadcast, from it. Nothing else is called on x's way: no other collective, none over the world (but for making groups), no
 * messages. A group of one needs none of these; with or without is right. Every rank makes the groups of all nodes and
 * that of the leaders, one of each; what you make you give back (dist_group_free): the function will be called often.
 *
 * Grade it:  make exercise-09.3        Run it:  make try-09.3 N=7        A hint:  make hint-09.3
 */
#include "dist.h"

#include <stdlib.h>

/* The group of ranks first, first + step, ..., all below `end`. Every rank calls it. */
static dist_group *make_group(int first, int step, int end)
{
    int count = (end - first + step - 1) / step, *ranks = calloc((size_t)count, sizeof *ranks);
    for (int i = 0; ranks && i < count; i++)
        ranks[i] = first + i * step;
    dist_group *group = dist_new_group(ranks, count);
    free(ranks);
    return group;
}

void two_level_mean(tensor *x, int per_node, int rank, int world_size)
{
    int leader = rank - rank % per_node;
    dist_group *node = NULL, *leaders = NULL;

    /* TODO: make all nodes, and keep your own; then make the group of the leaders. */
    for (int first = 0; first < world_size; first += per_node) {
        int end = first + per_node < world_size ? first + per_node : world_size;
        dist_group *group = make_group(first, 1, end);
        if (first == leader)
            node = group;
        else
            dist_group_free(group);
    }
    leaders = make_group(0, per_node, world_size);
    /* end of TODO */

    /* TODO: to the leader; between the leaders, where the mean is made; and back. */
    dist_reduce(x, .dst = leader, .group = node);
    if (rank == leader) {
        dist_all_reduce(x, .group = leaders);
        tensor_mul_scalar(x, 1.0 / world_size);
    }
    dist_broadcast(x, .src = leader, .group = node);
    /* end of TODO */

    /* TODO: give back what is left. */
    dist_group_free(leaders);
    dist_group_free(node);
    /* end of TODO */
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *x = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 4);
    two_level_mean(x, 3, rank, world_size);
    tensor_print(x, "rank %d has the mean", rank);
    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 7);
}
