/* Helpers that are called as the desk's are, spans of its own, and copies. */
#include "dist.h"

#include <stdlib.h>

void late(tensor *traveller, tensor *mine);
void late(tensor *traveller, tensor *mine)
{
    dist_span("desk: work") {
        tensor_mul_scalar(traveller, 2);
        tensor_add(traveller, mine);
    }
}

static void desk_late(tensor *copy, int next)
{
    dist_work *sending = dist_isend(copy, next, .tag = 3);
    dist_wait(sending);
}

void once_round(tensor *traveller, tensor *mine, int rank, int world_size)
{
    int next = (rank + 1) % world_size;
    if (world_size == 1)
        return;
    tensor *copy = tensor_clone(traveller);
    if (rank == 0)
        desk_late(copy, next);
    dist_recv(traveller, (rank + world_size - 1) % world_size, .tag = 3);
    if (rank > 0) {
        late(traveller, mine);
        tensor_copy(copy, traveller);
        desk_late(copy, next);
    }
    tensor_free(copy);
}
