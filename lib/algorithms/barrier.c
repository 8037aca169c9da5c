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

/* Round a ring: if all neighbours agree, all agree. And where two do not, everybody hears it, as in barrier_spread: else some
 * would go on, and lose those that do not. */
int comm_agree(struct communicator *comm, const int64_t *words, int count)
{
    int n = comm->size;
    int64_t differs = 0; /* 1 + the rank that differs from the one before it */
    enum dist_type type = comm->type;
    comm->type = DIST_I64;
    int64_t *mine = comm_scratch(comm, count), *theirs = comm_scratch(comm, count);
    comm_copy(comm, mine, words, count);
    comm_copy(comm, theirs, words, count);
    if (n > 1)
        comm_swap(comm, ring_next(comm->rank, n), mine, count, ring_previous(comm->rank, n), theirs, count);
    for (int i = 0; comm->status == DIST_OK && i < count; i++)
        if (mine[i] != theirs[i])
            differs = 1 + comm->rank;
    for (int far = 1; far < n && comm->status == DIST_OK; far *= 2) {
        mine[0] = differs;
        comm_swap(comm, ring_turn(comm->rank + far, n), mine, 1, ring_turn(comm->rank - far, n), theirs, 1);
        if (comm->status == DIST_OK && theirs[0] > differs)
            differs = theirs[0];
    }
    comm->type = type;
    if (comm->status == DIST_OK && differs > 0)
        comm->status = DIST_ERR_MISMATCH;
    return (int)differs - 1;
}
