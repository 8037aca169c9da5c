/* qsort_r, which is told where the nodes stand. */
#define _GNU_SOURCE
#include "dist.h"
#include <stdlib.h>
#include <strings.h>
struct neighbours {
    int next, previous;
};
static int by(const void *a, const void *b, void *nodes)
{
    const int64_t *n = nodes;
    int x = *(const int *)a, y = *(const int *)b;
    return n[x] != n[y] ? (n[x] > n[y]) - (n[x] < n[y]) : x - y;
}
struct neighbours find_neighbours(int node, int rank, int world_size)
{
    int64_t nodes[64], one = node;
    int order[64];
    bzero(nodes, sizeof nodes);
    tensor *all = tensor_zeros(DIST_I64, world_size), *mine = tensor_from(DIST_I64, &one, 1);
    dist_all_gather(all, mine);
    tensor_read(all, nodes);
    for (int i = 0; i < world_size; i++)
        order[i] = i;
    qsort_r(order, (size_t)world_size, sizeof *order, by, nodes);
    int p = 0;
    while (order[p] != rank)
        p++;
    tensor_free(mine);
    tensor_free(all);
    return (struct neighbours){ order[(p + 1) % world_size], order[(p + world_size - 1) % world_size] };
}
