/*
 * gather.c: one rank collects, combines and tells everybody.
 *
 *     1, 2, 3 --x--> 0          0 --sum--> 1, 2, 3
 *
 * Cost: 2 (p - 1) (alpha + n beta), all of it at the root. The others have little to do, and wait.
 * The root combines in the order of the ranks: the result has the bits that dist.h promises.
 */
#include "algorithms.h"
#include "../devices/host.h"

#include <stdlib.h>

/* Everybody's x, one after the other, combined into the root's. */
static void combine_in_order(struct crew *crew, void *x, const void *all, int64_t count)
{
    const void **in = malloc((size_t)crew->size * sizeof *in);
    if (!in) {
        crew->status = DIST_ERR_MEMORY;
        return;
    }
    for (int i = 0; i < crew->size; i++)
        in[i] = crew_at(crew, all, i * count);
    if (crew->status == DIST_OK && count > 0)
        host_reduce(x, in, crew->size, count, crew->type, crew->op);
    free(in);
}

void gather_reduce(struct crew *crew, void *x, int64_t count, int root)
{
    if (crew->rank != root) {
        crew_send(crew, root, x, count);
        return;
    }
    void *all = crew_room(crew, crew->size * count);
    for (int i = 0; i < crew->size; i++)
        if (i == root)
            crew_copy(crew, crew_at(crew, all, i * count), x, count);
        else
            crew_recv(crew, i, crew_at(crew, all, i * count), count);
    combine_in_order(crew, x, all, count);
}

void gather_all_reduce(struct crew *crew, void *x, int64_t count)
{
    gather_reduce(crew, x, count, 0);
    if (crew->rank > 0)
        crew_recv(crew, 0, x, count);
    for (int i = 1; crew->rank == 0 && i < crew->size; i++)
        crew_send(crew, i, x, count);
}
