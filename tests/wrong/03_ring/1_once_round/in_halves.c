/* feedback: first wrong element of traveller */
#include "dist.h"

/* Through BF16: no more than 8 bits of a number are left. */
static void halve(tensor *x)
{
    tensor *half = tensor_zeros(DIST_BF16, tensor_numel(x));
    tensor_copy(half, x);
    tensor_copy(x, half);
    tensor_free(half);
}

void once_round(tensor *traveller, tensor *mine, int rank, int world_size)
{
    if (world_size == 1)
        return;
    if (rank == 0) {
        dist_send(traveller, 1);
        dist_recv(traveller, world_size - 1);
    } else {
        dist_recv(traveller, rank - 1);
        tensor_mul_scalar(traveller, 2);
        halve(mine);
        tensor_add(traveller, mine);
        dist_send(traveller, (rank + 1) % world_size);
    }
}
