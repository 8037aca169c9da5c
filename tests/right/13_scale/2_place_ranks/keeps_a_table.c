/* A table on the heap that is kept from call to call, aligned, and sorted by C's library. */
#include "dist.h"

#include <stdlib.h>
#include <string.h>

struct neighbours {
    int next, previous;
};

struct place {
    int64_t node;
    int rank;
};

static int by_place(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    if (left->node != right->node)
        return left->node < right->node ? -1 : 1;
    return (left->rank > right->rank) - (left->rank < right->rank);
}

struct neighbours find_neighbours(int node, int rank, int world_size)
{
    static _Thread_local struct place *table;
    if (!table)
        table = aligned_alloc(64, (sizeof *table * (size_t)world_size + 63) / 64 * 64);
    int64_t nodes[world_size];
    tensor *all = tensor_zeros(DIST_I64, world_size), *mine = tensor_from(DIST_I64, (int64_t[]){ node }, 1);
    dist_all_gather(all, mine);
    memcpy(nodes, tensor_data(all), sizeof nodes);
    for (int r = 0; r < world_size; r++)
        table[r] = (struct place){ .node = nodes[r], .rank = r };
    qsort(table, (size_t)world_size, sizeof *table, by_place);
    int at = 0;
    while (table[at].rank != rank)
        at++;
    tensor_free(mine);
    tensor_free(all);
    return (struct neighbours){ .next = table[(at + 1) % world_size].rank,
                                .previous = table[(at + world_size - 1) % world_size].rank };
}
