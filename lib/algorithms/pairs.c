/*
 * pairs.c: everybody with everybody: in step k a rank sends to the k-th after it and receives from the k-th before it.
 *
 * Cost: (p - 1) (alpha + n beta) for n elements a block, and no rank is ever the target of two.
 */
#include "algorithms.h"
#include "../backends/common/splits.h"

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
        const void *block = comm_at(comm, in, splits_begin(sends, to));
        void *place = comm_at(comm, out, splits_begin(takes, from));
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
    void *all = comm_scratch(comm, comm->size * block);
    pairs_all_to_all(comm, all, in, block);
    comm_combine_in_order(comm, out, all, block);
}
