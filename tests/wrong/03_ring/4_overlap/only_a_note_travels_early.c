/* feedback: had started to receive 4 bytes */
#include "dist.h"
void work_together(tensor *half, tensor *other, void (*work)(tensor *half), int rank, int world_size)
{
    tensor *ready = tensor_zeros(DIST_F32, 1);
    if (rank % 2 == 0) {
        work(half);
        if (rank + 1 < world_size) {
            dist_send(ready, rank + 1);
            dist_send(half, rank + 1);
        }
    } else {
        dist_work *arriving = dist_irecv(ready, rank - 1);
        work(half);
        dist_wait(arriving);
        dist_recv(other, rank - 1);
        tensor_add(half, other);
    }
    tensor_free(ready);
}
