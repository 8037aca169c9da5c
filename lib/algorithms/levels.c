/*
 * levels.c: an all-reduce in two levels: ranks of a node share the work, and each meets the ranks of its place in other nodes.
 *
 *     node       [0 1 2 3]   [4 5 6 7]     each rank gets a quarter of its node's sum
 *     rails       0 ----------- 4          four all-reduces at the same time, of a quarter each
 *     node       [0 1 2 3]   [4 5 6 7]     the quarters are gathered
 *
 * Cost: between nodes that of an all-reduce of n / (ranks of a node) elements, over as many ranks as there are nodes.
 */
#include "algorithms.h"

void algorithm_two_levels(struct communicator *node, struct communicator *rail, all_reduce_algorithm *between,
                          void *x, int64_t count)
{
    int64_t block = count / node->size;
    void *share = comm_scratch(node, block);
    pairs_reduce_scatter(node, share, x, block);
    if (rail->status == DIST_OK)
        rail->status = node->status;
    between(rail, share, block);
    if (node->status == DIST_OK)
        node->status = rail->status;
    ring_all_gather(node, x, share, block);
}
