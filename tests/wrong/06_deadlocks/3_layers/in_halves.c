/* feedback: first wrong element of new_ */
#include "dist.h"

/* Through F16: no more than 11 bits of a number are left. */
static void halve(tensor *x)
{
    tensor *half = tensor_zeros(DIST_F16, tensor_numel(x));
    tensor_copy(half, x);
    tensor_copy(x, half);
    tensor_free(half);
}

void hand_on(tensor *weights, tensor *bias, tensor *new_weights, tensor *new_bias, int rank, int world_size)
{
    int next = (rank + 1) % world_size;
    int previous = (rank + world_size - 1) % world_size;
    dist_work *sending[2];
    sending[0] = dist_isend(weights, next, .tag = 1);
    sending[1] = dist_isend(bias, next, .tag = 2);
    dist_recv(new_weights, previous, .tag = 1);
    dist_recv(new_bias, previous, .tag = 2);
    dist_wait_all(sending, 2);
    halve(new_weights);
    halve(new_bias);
}
