/* feedback: It touched a tensor that a message or a stream still needed */
/* A mistake of many, and no cheat: the library, which wants to know the line, may not ask the system for it, and the grader finds it out. */
#include "dist.h"

void once_round(tensor *traveller, tensor *mine, int rank, int world_size)
{
    (void)mine;
    if (rank == 0) {
        dist_work *under_way = dist_isend(traveller, (rank + 1) % world_size);
        ((float *)tensor_data(traveller))[0] = 7;
        dist_wait(under_way);
    } else {
        dist_recv(traveller, rank - 1);
    }
}
