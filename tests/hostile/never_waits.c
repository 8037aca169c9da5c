/* feedback: missing        dist_wait on that work */
/* Starts its transfers, and hopes. */
#include "dist.h"

void once_round(tensor *traveller, tensor *mine, int rank, int world_size)
{
    if (world_size == 1)
        return;
    dist_isend(mine, (rank + 1) % world_size);
    dist_recv(traveller, (rank + world_size - 1) % world_size);
}
