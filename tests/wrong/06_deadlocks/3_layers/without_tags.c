/* feedback: in the picture these are 1 and 2 */
#include "dist.h"
void hand_on(tensor *weights, tensor *bias, tensor *new_weights, tensor *new_bias, int rank, int world_size)
{
    int next = (rank + 1) % world_size;
    int previous = (rank + world_size - 1) % world_size;
    dist_work *sending[2];
    sending[0] = dist_isend(weights, next);
    sending[1] = dist_isend(bias, next);
    dist_recv(new_weights, previous);
    dist_recv(new_bias, previous);
    dist_wait_all(sending, 2);
}
