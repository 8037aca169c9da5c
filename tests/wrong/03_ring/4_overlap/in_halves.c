/* feedback: first wrong element of half */
#include "dist.h"

/* Through F16: no more than 11 bits of a number are left. */
static void halve(tensor *x)
{
    tensor *half = tensor_zeros(DIST_F16, tensor_numel(x));
    tensor_copy(half, x);
    tensor_copy(x, half);
    tensor_free(half);
}

void work_together(tensor *half, tensor *other, void (*work)(tensor *half), int rank, int world_size)
{
    if (rank % 2 == 0) {
        halve(half);
        work(half);
        if (rank + 1 < world_size)
            dist_send(half, rank + 1);
    } else {
        dist_work *arriving = dist_irecv(other, rank - 1);
        halve(half);
        work(half);
        dist_wait(arriving);
        tensor_add(half, other);
    }
}
