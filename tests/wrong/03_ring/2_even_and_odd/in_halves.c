/* feedback: first wrong element of from_ */
#include "dist.h"

/* Through F16: no more than 11 bits of a number are left. */
static void halve(tensor *x)
{
    tensor *half = tensor_zeros(DIST_F16, tensor_numel(x));
    tensor_copy(half, x);
    tensor_copy(x, half);
    tensor_free(half);
}

void swap_with_neighbours(tensor *from_left, tensor *from_right, tensor *mine, int rank, int world_size)
{
    int left = rank - 1, right = rank + 1;
    halve(mine);
    for (int round = 0; round < 2; round++) {
        if (rank % 2 == round && right < world_size) {
            dist_send(mine, right);
            dist_recv(from_right, right);
        } else if (rank % 2 != round && left >= 0) {
            dist_recv(from_left, left);
            dist_send(mine, left);
        }
    }
}
