/* feedback: first wrong element of list */
#include "dist.h"

/* Through F16: no more than 11 bits of a number are left. */
static void halve(tensor *x)
{
    tensor *half = tensor_zeros(DIST_F16, tensor_numel(x));
    tensor_copy(half, x);
    tensor_copy(x, half);
    tensor_free(half);
}

void growing_list(tensor *list, tensor *mine, int rank, int world_size)
{
    if (rank > 0) {
        tensor *before = tensor_slice(list, 0, rank);
        dist_recv(before, rank - 1);
        tensor_free(before);
    }
    tensor_set(list, rank, tensor_item(mine, 0));
    halve(list);
    if (rank < world_size - 1)
        dist_send(list, rank + 1);
}
