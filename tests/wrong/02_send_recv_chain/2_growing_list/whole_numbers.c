/* feedback: first wrong element of list */
#include "dist.h"
void growing_list(tensor *list, tensor *mine, int rank, int world_size)
{
    if (rank > 0) {
        tensor *before = tensor_zeros(DIST_F32, rank);
        dist_recv(before, rank - 1);
        for (int i = 0; i < rank; i++) {
            int entry = (int)tensor_item(before, i);
            tensor_set(list, i, entry);
        }
        tensor_free(before);
    }
    tensor_set(list, rank, tensor_item(mine, 0));
    if (rank < world_size - 1)
        dist_send(list, rank + 1);
}
