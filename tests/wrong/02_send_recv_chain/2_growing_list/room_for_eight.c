/* feedback: It used an element of an array that the array does not have. */
#include "dist.h"

void growing_list(tensor *list, tensor *mine, int rank, int world_size)
{
    float entries[8] = { 0 };
    if (rank > 0) {
        tensor *before = tensor_zeros(DIST_F32, rank);
        dist_recv(before, rank - 1);
        for (int i = 0; i < rank; i++)
            entries[i] = tensor_item(before, i);
        tensor_free(before);
    }
    entries[rank] = tensor_item(mine, 0);
    for (int i = 0; i <= rank; i++)
        tensor_set(list, i, entries[i]);
    if (rank < world_size - 1)
        dist_send(list, rank + 1);
}
