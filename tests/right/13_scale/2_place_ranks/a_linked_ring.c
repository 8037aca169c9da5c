/* A ring of structs, into which each rank is put at its place. */
#include "dist.h"

#include <stdlib.h>

struct neighbours {
    int next, previous;
};

struct member {
    int64_t node;
    int rank;
    struct member *next, *previous;
};

static void put(struct member *first, struct member *m)
{
    struct member *at = first;
    while (at->next != first &&
           (at->next->node < m->node || (at->next->node == m->node && at->next->rank < m->rank)))
        at = at->next;
    m->next = at->next;
    m->previous = at;
    at->next->previous = m;
    at->next = m;
}

struct neighbours find_neighbours(int node, int rank, int world_size)
{
    struct member *ring = calloc((size_t)world_size + 1, sizeof *ring), *none = &ring[world_size];
    none->next = none->previous = none;
    tensor *all = tensor_zeros(DIST_I64, world_size), *one = tensor_full(DIST_I64, node, 1);
    dist_work *work = dist_all_gather(all, one, .async_op = true);
    while (!dist_is_completed(work))
        ;
    dist_wait(work);
    for (int r = world_size - 1; r >= 0; r--) {
        ring[r] = (struct member){ (int64_t)tensor_item(all, r), r, NULL, NULL };
        put(none, &ring[r]);
    }
    none->previous->next = none->next;
    none->next->previous = none->previous;
    struct neighbours mine = { ring[rank].next->rank, ring[rank].previous->rank };
    tensor_free(one);
    tensor_free(all);
    free(ring);
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
