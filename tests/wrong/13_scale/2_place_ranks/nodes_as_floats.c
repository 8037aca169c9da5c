/* feedback: first wrong element of neighbours again */
/*
 * 2_place_ranks.c: exercise 13.2. A scheduler has put ranks on nodes as it liked. Order them so that a ring leaves each node once.
 *
 *     rank          0    1    2    3    4    5
 *     its node      7    3    7    3    9    7          numbers of nodes have gaps
 *
 *     ring          1 > 3 > 0 > 2 > 5 > 4 > back to 1   by node, and in each node by rank
 *     rank 0        next 2, previous 3
 *
 * Each rank knows only its own node. The only collective that you need is dist_all_gather, once; the others are not allowed, nor are
 * messages. With one rank, it is its own neighbour on both sides.
 *
 * Grade it:  make exercise-13.2        Run it:  make try-13.2 N=6        A hint:  make hint-13.2
 */
#include "dist.h"

#include <stdlib.h>

struct neighbours {
    int next, previous;
};

struct neighbours find_neighbours(int node, int rank, int world_size)
{
    struct neighbours mine = { rank, rank };
    /* TODO: on which node is each rank? */
    tensor *here = tensor_full(DIST_F32, node, 1), *all = tensor_zeros(DIST_F32, world_size);
    dist_all_gather(all, here);
    int64_t *nodes = calloc((size_t)world_size, sizeof *nodes);
    for (int r = 0; r < world_size; r++)
        nodes[r] = (int64_t)tensor_item(all, r);
    tensor_free(all);
    tensor_free(here);
    /* end of TODO */

    /* TODO: ranks in the order of the ring; then who stands beside this one? */
    int *order = calloc((size_t)world_size, sizeof *order), place = 0;
    for (int r = 0; r < world_size; r++) {
        int before = 0;
        for (int other = 0; other < world_size; other++)
            before += nodes[other] < nodes[r] || (nodes[other] == nodes[r] && other < r);
        order[before] = r;
        place = r == rank ? before : place;
    }
    mine.next = order[(place + 1) % world_size];
    mine.previous = order[(place + world_size - 1) % world_size];
    free(order);
    free(nodes);
    /* end of TODO */
    return mine;
}

static void run(int rank, int world_size)
{
    static const int nodes[] = { 7, 3, 7, 3, 9, 7 };
    dist_init_process_group();
    struct neighbours mine = find_neighbours(nodes[rank % 6], rank, world_size);
    printf("rank %d on node %d: next %d, previous %d\n", rank, nodes[rank % 6], mine.next, mine.previous);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 6);
}
