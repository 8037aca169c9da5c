/*
 * tree.c: ranks in pairs, then pairs of pairs: sums run down a binomial tree to rank 0, the result runs up again.
 *
 *     0 <-- 1    2 <-- 3    4 <-- 5    6 <-- 7      step 1: whoever has bit 0 set sends
 *     0 <------- 2          4 <------- 6            step 2: bit 1
 *     0 <------------------ 4                       step 3: bit 2
 *
 * Cost: 2 log2(p) (alpha + n beta), log2 rounded up. Few messages, but each carries all n elements.
 */
#include "algorithms.h"

static void tree_reduce(struct communicator *comm, void *x, int64_t count)
{
    void *inbox = comm_scratch(comm, count);
    for (int bit = 1; bit < comm->size; bit *= 2) {
        if (comm->rank & bit) {
            comm_send(comm, comm->rank - bit, x, count);
            return;
        }
        if (comm->rank + bit < comm->size) {
            comm_recv(comm, comm->rank + bit, inbox, count);
            comm_combine(comm, x, inbox, count);
        }
    }
}

/* The same tree the other way: each rank receives once, then serves those whom it would have heard. */
void tree_broadcast(struct communicator *comm, void *x, int64_t count, int root)
{
    int n = comm->size, me = ring_turn(comm->rank - root, n); /* counted from the root */
    int bit = 1;
    while (bit < n && !(me & bit))
        bit *= 2;
    if (me > 0)
        comm_recv(comm, ring_turn(me - bit + root, n), x, count);
    for (bit /= 2; bit > 0; bit /= 2)
        if (me + bit < n)
            comm_send(comm, ring_turn(me + bit + root, n), x, count);
}

void tree_all_reduce(struct communicator *comm, void *x, int64_t count)
{
    tree_reduce(comm, x, count);
    if (comm->rank == 0)
        comm_average(comm, x, count);
    tree_broadcast(comm, x, count, 0);
}
