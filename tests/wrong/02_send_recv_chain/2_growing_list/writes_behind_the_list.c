/* feedback: over tensor_data() must end before element */
#include "dist.h"

void growing_list(tensor *list, tensor *mine, int rank, int world_size)
{
    float *entries = tensor_data(list);
    if (rank > 0) {
        tensor *before = tensor_slice(list, 0, rank);
        dist_recv(before, rank - 1);
        tensor_free(before);
    }
    entries[rank] = (float)tensor_item(mine, 0);
    entries[rank + 1] = 0; /* an end, as a string has one */
    if (rank < world_size - 1)
        dist_send(list, rank + 1);
}
