/* Spans around everything, called as the desk's. */
#include "dist.h"

void work_together(tensor *half, tensor *other, void (*work)(tensor *half), int rank, int world_size)
{
    dist_work *coming = NULL;
    dist_span("work") {
        if (rank % 2 == 1)
            coming = dist_irecv(other, rank - 1);
    }
    dist_span("desk: work") {
        work(half);
    }
    if (rank % 2 == 0 && rank + 1 < world_size)
        dist_send(half, rank + 1);
    if (coming) {
        dist_wait(coming);
        tensor_add(half, other);
    }
}
