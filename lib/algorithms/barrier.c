/*
 * barrier.c: meetings without data.
 *
 * Cost: alpha times log2(p), rounded up: in step k everybody tells the rank 2^k further on. After step k a rank has
 * heard, directly or through others, from the 2^(k + 1) ranks before it.
 */
#include "algorithms.h"

void barrier_spread(struct communicator *comm)
{
    int n = comm->size;
    for (int far = 1; far < n; far *= 2)
        comm_swap(comm, ring_turn(comm->rank + far, n), NULL, 0, ring_turn(comm->rank - far, n), NULL, 0);
}
