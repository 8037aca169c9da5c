/* The own entry is written before the others come: each to its place. */
#include "dist.h"

static int before(int rank)
{
    return rank - 1;
}

void growing_list(tensor *list, tensor *mine, int rank, int world_size)
{
    tensor_set(list, rank, tensor_item(mine, 0));
    if (before(rank) >= 0) {
        tensor *inbox = tensor_zeros(DIST_F32, rank);
        dist_work *coming = dist_irecv(inbox, before(rank));
        dist_wait(coming);
        for (int i = rank; i-- > 0;)
            tensor_set(list, i, tensor_item(inbox, i));
        tensor_free(inbox);
    }
    tensor_print(list, "rank %d is about to send", rank);
    if (before(world_size) > rank)
        dist_send(list, rank + 1);
}
