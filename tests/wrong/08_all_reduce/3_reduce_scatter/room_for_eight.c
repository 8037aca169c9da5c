/* feedback: It used an element of an array that the array does not have. */
#include "dist.h"

void reduce_scatter(tensor *output, tensor *input, int rank, int n)
{
    int64_t size = tensor_numel(output);
    tensor *blocks[8], *inbox = tensor_zeros(DIST_F32, size);
    for (int i = 0; i < n; i++)
        blocks[i] = tensor_slice(input, i * size, (i + 1) * size);
    tensor_copy(output, blocks[(rank + n - 1) % n]);
    for (int step = 0; step < n - 1; step++) {
        dist_work *works[] = { dist_irecv(inbox, (rank + n - 1) % n), dist_isend(output, (rank + 1) % n) };
        dist_wait_all(works, 2);
        tensor_copy(output, inbox);
        tensor_add(output, blocks[(rank - step - 2 + 2 * n) % n]);
    }
    for (int i = 0; i < n; i++)
        tensor_free(blocks[i]);
    tensor_free(inbox);
}
