/*
 * pairs.c: everybody with everybody: in step k a rank sends to the k-th after it and receives from the k-th before it.
 *
 * Cost: (p - 1) (alpha + n beta) for n elements a block, and no rank is ever the target of two.
 */
#include "algorithms.h"
#include "../devices/host.h"

#include <stdlib.h>

static int64_t pairs_sum(const int64_t *counts, int many)
{
    int64_t sum = 0;
    for (int i = 0; i < many; i++)
        sum += counts[i];
    return sum;
}

void pairs_all_to_all(struct communicator *comm, void *out, const void *in, int64_t block)
{
    int n = comm->size, me = comm->rank;
    comm_copy(comm, comm_at(comm, out, me * block), comm_at(comm, in, me * block), block);
    for (int k = 1; k < n; k++) {
        int to = ring_turn(me + k, n), from = ring_turn(me - k, n);
        comm_swap(comm, to, comm_at(comm, in, to * block), block, from, comm_at(comm, out, from * block),
                  block);
    }
}

void pairs_all_to_all_splits(struct communicator *comm, void *out, const void *in, const int64_t *splits)
{
    int n = comm->size, me = comm->rank;
    const int64_t *sends = splits, *takes = splits + n;
    for (int k = 0; k < n; k++) {
        int to = ring_turn(me + k, n), from = ring_turn(me - k, n);
        const void *block = comm_at(comm, in, pairs_sum(sends, to));
        void *place = comm_at(comm, out, pairs_sum(takes, from));
        if (k == 0)
            comm_copy(comm, place, block, sends[me]);
        else
            comm_swap(comm, to, block, sends[to] ? sends[to] : -1, from, place,
                      takes[from] ? takes[from] : -1);
    }
}

/* Everybody's block for this rank, brought together and combined in the order of the ranks. */
void pairs_reduce_scatter(struct communicator *comm, void *out, const void *in, int64_t block)
{
    const void **parts = malloc((size_t)comm->size * sizeof *parts);
    void *all = comm_scratch(comm, comm->size * block);
    pairs_all_to_all(comm, all, in, block);
    if (!parts)
        comm->status = DIST_ERR_MEMORY;
    for (int i = 0; parts && i < comm->size; i++)
        parts[i] = comm_at(comm, all, i * block);
    if (comm->status == DIST_OK && block > 0)
        host_reduce(out, parts, comm->size, block, comm->type, comm->op);
    free(parts);
}
