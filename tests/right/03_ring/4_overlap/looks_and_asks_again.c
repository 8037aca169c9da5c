/* Looks once before it works, and asks again and again when it has. */
#include "dist.h"

void work_together(tensor *half, tensor *other, void (*work)(tensor *half), int rank, int world_size)
{
    if (rank % 2 == 0) {
        work(half);
        if (rank + 1 < world_size) {
            dist_work *sent = dist_isend(half, rank + 1);
            while (!dist_is_completed(sent))
                ;
            dist_wait(sent);
        }
        return;
    }
    dist_work *coming = dist_irecv(other, rank - 1);
    bool early = dist_is_completed(coming);
    work(half);
    while (!early && !dist_is_completed(coming))
        ;
    dist_wait(coming);
    tensor_add(half, other);
}
