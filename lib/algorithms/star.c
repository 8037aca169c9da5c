/*
 * star.c: one rank in the middle, and everybody else talks to it.
 *
 * Cost: (p - 1) (alpha + n beta) for n elements a block: the root sends or receives them all, so no tree could make
 * that part cheaper.
 */
#include "algorithms.h"

void star_scatter(struct communicator *comm, void *out, const void *in, int64_t block, int root)
{
    if (comm->rank != root) {
        comm_recv(comm, root, out, block);
        return;
    }
    for (int i = 0; i < comm->size; i++)
        if (i == root)
            comm_copy(comm, out, comm_at(comm, in, i * block), block);
        else
            comm_send(comm, i, comm_at(comm, in, i * block), block);
}

void star_gather(struct communicator *comm, void *out, const void *in, int64_t block, int root)
{
    if (comm->rank != root) {
        comm_send(comm, root, in, block);
        return;
    }
    for (int i = 0; i < comm->size; i++)
        if (i == root)
            comm_copy(comm, comm_at(comm, out, i * block), in, block);
        else
            comm_recv(comm, i, comm_at(comm, out, i * block), block);
}
