/* The own result is added to what has come, and copied back; from anybody, since only one sends. */
#include "dist.h"

void work_together(tensor *half, tensor *other, void (*work)(tensor *half), int rank, int world_size)
{
    bool odd = rank & 1, has_partner = odd || rank + 1 < world_size;
    dist_work *works[1];
    if (odd)
        works[0] = dist_irecv(other, DIST_ANY_SOURCE);
    dist_span("my own work")
        work(half);
    printf("rank %d has worked\n", rank);
    if (!odd && has_partner)
        works[0] = dist_isend(half, rank + 1);
    if (has_partner)
        dist_wait_any(works, 1);
    if (odd) {
        tensor_add(other, half);
        tensor_copy(half, other);
    }
}
