/* Sorts pairs of node and rank with C's qsort. */
#include "dist.h"

#include <stdlib.h>

struct neighbours {
    int next, previous;
};

struct placed {
    int32_t node, rank;
};

static int late(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    return x->node != y->node ? (x->node > y->node) - (x->node < y->node)
                              : (x->rank > y->rank) - (x->rank < y->rank);
}

struct neighbours find_neighbours(int node, int rank, int world_size)
{
    struct placed *ring = calloc((size_t)world_size, sizeof *ring);
    int32_t here[2] = { node, rank };
    tensor *one = tensor_from(DIST_I32, here, 2), *all = tensor_zeros(DIST_I32, world_size, 2);
    dist_all_gather(all, one);
    tensor_read(all, ring);
    qsort(ring, (size_t)world_size, sizeof *ring, late);
    int at = 0;
    while (ring[at].rank != rank)
        at++;
    struct neighbours mine = { .next = ring[at + 1 < world_size ? at + 1 : 0].rank,
                               .previous = ring[at > 0 ? at - 1 : world_size - 1].rank };
    free(ring);
    tensor_free(all);
    tensor_free(one);
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
