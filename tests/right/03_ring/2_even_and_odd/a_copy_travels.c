/* A copy of the own vector travels, in a span, and a rank alone prints that it is. */
#include "dist.h"

void swap_with_neighbours(tensor *from_left, tensor *from_right, tensor *mine, int rank, int world_size)
{
    tensor *copy = tensor_clone(mine);
    if (world_size == 1)
        puts("nobody here");
    dist_span("swap of rank %d", rank) {
        for (int pair = rank % 2, i = 0; i < 2; i++, pair = !pair) {
            if (pair == 0 && rank + 1 < world_size) {
                dist_send(copy, rank + 1);
                dist_recv(from_right, rank + 1);
            }
            if (pair == 1 && rank > 0) {
                dist_recv(from_left, rank - 1);
                dist_send(copy, rank - 1);
            }
        }
    }
    tensor_free(copy);
}
