/* feedback: It had not ended after */
/* seconds: 8 */
/* A mistake, and no cheat: after five seconds the library looks into /proc whether all others wait, so that it can say so. */
#include "dist.h"

void once_round(tensor *traveller, tensor *mine, int rank, int world_size)
{
    (void)mine;
    if (rank == 0) {
        dist_work *never = dist_irecv(traveller, world_size - 1);
        while (!dist_is_completed(never))
            ;
    } else {
        dist_recv(traveller, rank - 1);
    }
}
