/*
 * gather.c: one rank collects, combines and tells everybody.
 *
 *     1, 2, 3 --x--> 0          0 --sum--> 1, 2, 3
 *
 * Cost: 2 (p - 1) (alpha + n beta), all of it at the root. The others have little to do, and wait.
 * The root combines in the order of the ranks: the result has the bits that dist.h promises.
 */
#include "algorithms.h"

void gather_reduce(struct communicator *comm, void *x, int64_t count, int root)
{
    void *all = comm->rank == root ? comm_scratch(comm, comm->size * count) : NULL;
    star_gather(comm, all, x, count, root);
    if (comm->rank == root)
        comm_combine_in_order(comm, x, all, count);
}

void gather_all_reduce(struct communicator *comm, void *x, int64_t count)
{
    gather_reduce(comm, x, count, 0);
    if (comm->rank > 0)
        comm_recv(comm, 0, x, count);
    for (int i = 1; comm->rank == 0 && i < comm->size; i++)
        comm_send(comm, i, x, count);
}
