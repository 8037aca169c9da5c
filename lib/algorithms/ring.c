/*
 * ring.c: the tensor in p blocks, which travel round a ring and grow; then the finished blocks travel once more.
 *
 *     step 0    0 --block 0--> 1 --block 1--> 2 --block 2--> 3 --block 3--> 0
 *     step 1    0 --block 3--> 1 --block 0--> 2 --block 1--> 3 --block 2--> 0
 *     ...
 *
 * Cost: 2 (p - 1) (alpha + n / p beta). All links are busy all the time, and what a rank sends hardly grows
 * with p: 2 n (p - 1) / p elements. But the number of messages does grow with p.
 */
#include "algorithms.h"

void ring_all_reduce(struct communicator *comm, void *x, int64_t count)
{
    int n = comm->size, me = comm->rank, right = ring_next(me, n), left = ring_previous(me, n);
    void *inbox = comm_scratch(comm, ring_block(count, n, 0).count);

    for (int step = 0; step < n - 1; step++) { /* send on what has just grown */
        struct block out = ring_block(count, n, me - step), in = ring_block(count, n, me - step - 1);
        comm_swap(comm, right, comm_at(comm, x, out.begin), out.count, left, inbox, in.count);
        comm_combine(comm, comm_at(comm, x, in.begin), inbox, in.count);
    }
    struct block mine = ring_block(count, n, me + 1); /* it has been everywhere */
    comm_average(comm, comm_at(comm, x, mine.begin), mine.count);

    for (int step = 0; step < n - 1; step++) { /* send on what has just arrived */
        struct block out = ring_block(count, n, me + 1 - step), in = ring_block(count, n, me - step);
        comm_swap(comm, right, comm_at(comm, x, out.begin), out.count, left, comm_at(comm, x, in.begin),
                  in.count);
    }
}

void ring_all_gather(struct communicator *comm, void *out, const void *in, int64_t block)
{
    int n = comm->size, me = comm->rank;
    comm_copy(comm, comm_at(comm, out, me * block), in, block);
    for (int step = 0; step < n - 1; step++) {
        void *passes = comm_at(comm, out, ring_turn(me - step, n) * block);
        void *comes = comm_at(comm, out, ring_turn(me - step - 1, n) * block);
        comm_swap(comm, ring_next(me, n), passes, block, ring_previous(me, n), comes, block);
    }
}
