/* The sum is made by numbers, in an array. */
#include "dist.h"

#include <stdlib.h>

void chain_backwards(tensor *x, tensor *mine, int rank, int world_size)
{
    int64_t n = tensor_numel(x);
    if (rank != world_size - 1) {
        float *numbers = malloc((size_t)n * sizeof *numbers);
        tensor *above = tensor_zeros(DIST_F32, n);
        if (dist_recv(above, rank + 1) != rank + 1)
            abort();
        tensor_read(above, numbers);
        for (int64_t i = 0; i < n; i++)
            numbers[i] += (float)tensor_item(mine, i);
        tensor_write(x, numbers);
        tensor_free(above);
        free(numbers);
    }
    if (rank != 0)
        dist_send(x, rank - 1);
}
