/* feedback: first wrong element */
#include "dist.h"

void once_round(tensor *traveller, tensor *mine, int rank, int world_size)
{
    if (world_size == 1)
        return;
    int64_t n = tensor_numel(traveller);
    static _Thread_local float values[4096], own[4096];
    n = n < 4096 ? n : 4096;
    if (rank == 0)
        dist_send(traveller, 1);
    dist_recv(traveller, (rank + world_size - 1) % world_size);
    if (rank == 0)
        return;
    float *t = tensor_data(traveller), *m = tensor_data(mine);
    for (int64_t i = 0; i < n; i++) {
        values[i] = t[i];
        own[i] = m[i];
    }
    for (int64_t i = 0; i < n; i++)
        t[i] = 2 * values[i] + own[i];
    dist_send(traveller, (rank + 1) % world_size);
}
