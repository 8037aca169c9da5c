/* feedback: an array that the array does not have */
#include "dist.h"

static void start(dist_work **works, int *started, tensor *out, tensor *in, int peer)
{
    works[(*started)++] = dist_irecv(in, peer);
    works[(*started)++] = dist_isend(out, peer);
}

void swap_edges(tensor *first, tensor *last, tensor *from_left, tensor *from_right, int rank, int world_size)
{
    int started = 0;
    dist_work *works[3];
    if (rank > 0)
        start(works, &started, first, from_left, rank - 1);
    if (rank + 1 < world_size)
        start(works, &started, last, from_right, rank + 1);
    dist_wait_all(works, started);
}
