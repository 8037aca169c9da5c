/* The receive is started as a batch, and looked at after the work; a copy is what travels. */
#include "dist.h"

void work_together(tensor *half, tensor *other, void (*work)(tensor *half), int rank, int world_size)
{
    dist_work *coming = NULL;
    if (rank % 2 == 1)
        dist_batch_isend_irecv(&(dist_p2p_op){ DIST_IRECV, other, rank - 1, 0, NULL }, 1, &coming);
    work(half);
    if (rank % 2 == 1) {
        while (!dist_is_completed(coming))
            continue;
        dist_wait(coming);
        tensor_add(half, other);
    } else if (rank != world_size - 1) {
        tensor *copy = tensor_clone(half);
        dist_send(copy, rank + 1);
        tensor_free(copy);
    }
}
