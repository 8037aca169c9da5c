/*
 * pairs.c: everybody with everybody: in step k a rank sends to the k-th after it and receives from the k-th before it.
 *
 * Cost: (p - 1) (alpha + n beta) for n elements a block, and no rank is ever the target of two.
 */
#include "algorithms.h"
#include "../backends/common/splits.h"

/* What goes to a member, or comes from it. A count of -1: there is no message. */
static struct block pairs_block(const int64_t *counts, int64_t block, int member)
{
    if (!counts)
        return (struct block){ member * block, block };
    return (struct block){ splits_begin(counts, member), counts[member] ? counts[member] : -1 };
}

void pairs_all_to_all(struct communicator *comm, void *out, const void *in, int64_t block,
                      const int64_t *splits)
{
    int n = comm->size, me = comm->rank;
    for (int k = 0; k < n; k++) {
        int to = ring_turn(me + k, n), from = ring_turn(me - k, n);
        struct block leaves = pairs_block(splits, block, to),
                     comes = pairs_block(splits ? splits + n : NULL, block, from);
        const void *data = comm_at(comm, in, leaves.begin);
        void *place = comm_at(comm, out, comes.begin);
        if (k == 0)
            comm_copy(comm, place, data, leaves.count);
        else
            comm_swap(comm, to, data, leaves.count, from, place, comes.count);
    }
}

/* Everybody's block for this rank, brought together and combined in the order of the ranks. */
void pairs_reduce_scatter(struct communicator *comm, void *out, const void *in, int64_t block)
{
    void *all = comm_scratch(comm, comm->size * block);
    pairs_all_to_all(comm, all, in, block, NULL);
    comm_combine_in_order(comm, out, all, block);
}
