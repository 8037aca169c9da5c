/* feedback: waited before it worked */
#include "dist.h"

void work_together(tensor *half, tensor *other, void (*work)(tensor *half), int rank, int world_size)
{
    if (rank % 2 == 0) {
        work(half);
        if (rank + 1 < world_size)
            dist_send(half, rank + 1);
    } else {
        dist_work *arriving[] = { dist_irecv(other, rank - 1) };
        dist_wait_any(arriving, 1);
        work(half);
        tensor_add(half, other);
    }
}
