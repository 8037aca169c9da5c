/* A recursion over the hops: the traveller is at one rank after the other. */
#include "dist.h"

static void hop(tensor *traveller, tensor *mine, int rank, int at, int world_size)
{
    int to = (at + 1) % world_size;
    if (rank == at)
        dist_send(traveller, to);
    if (rank == to)
        dist_recv(traveller, at);
    if (to == 0)
        return;
    if (rank == to) {
        tensor_add(traveller, traveller);
        tensor_add(traveller, mine);
    }
    hop(traveller, mine, rank, to, world_size);
}

void once_round(tensor *traveller, tensor *mine, int rank, int world_size)
{
    if (world_size > 1)
        hop(traveller, mine, rank, 0, world_size);
}
