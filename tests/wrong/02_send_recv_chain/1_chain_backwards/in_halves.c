/* feedback: first wrong element of x */
#include "dist.h"

void chain_backwards(tensor *x, tensor *mine, int rank, int world_size)
{
    tensor *sum = tensor_zeros(DIST_F16, tensor_numel(x)), *own = tensor_clone(sum);
    tensor_copy(own, mine);
    if (rank < world_size - 1) {
        dist_recv(x, rank + 1);
        tensor_copy(sum, x);
        tensor_add(sum, own);
        tensor_copy(x, sum);
    }
    if (rank > 0)
        dist_send(x, rank - 1);
    tensor_free(own);
    tensor_free(sum);
}
