/* A helper for each kind of rank, an inbox of its own, and a tag. */
#include "dist.h"

static void give(tensor *half, void (*work)(tensor *half), int to)
{
    work(half);
    dist_wait(dist_isend(half, to, .tag = 40));
}

static void take(tensor *half, void (*work)(tensor *half), int from)
{
    tensor *inbox = tensor_zeros(DIST_F32, tensor_numel(half));
    dist_work *arriving = dist_irecv(inbox, from, .tag = 40);
    work(half);
    dist_wait_all(&arriving, 1);
    for (int64_t i = 0; i < tensor_numel(half); i++)
        tensor_set(half, i, tensor_item(half, i) + tensor_item(inbox, i));
    tensor_free(inbox);
}

void work_together(tensor *half, tensor *other, void (*work)(tensor *half), int rank, int world_size)
{
    if (rank % 2)
        take(half, work, rank - 1);
    else if (rank == world_size - 1)
        work(half);
    else
        give(half, work, rank + 1);
}
