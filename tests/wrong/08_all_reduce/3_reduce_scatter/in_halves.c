/* feedback: first wrong element of output */
#include "dist.h"

/* Through F16: no more than 11 bits of a number are left. */
static void halve(tensor *x)
{
    tensor *half = tensor_zeros(DIST_F16, tensor_numel(x));
    tensor_copy(half, x);
    tensor_copy(x, half);
    tensor_free(half);
}

static tensor *block(tensor *input, int i, int n)
{
    int64_t size = tensor_numel(input) / n, k = (i % n + n) % n;
    return tensor_slice(input, k * size, (k + 1) * size);
}

void reduce_scatter(tensor *output, tensor *input, int rank, int n)
{
    int next = (rank + 1) % n, previous = (rank + n - 1) % n;
    tensor *inbox = tensor_zeros(DIST_F32, tensor_numel(output));
    tensor *first = block(input, rank - 1, n);
    tensor_copy(output, first);
    tensor_free(first);
    for (int step = 0; step < n - 1; step++) {
        dist_work *works[] = { dist_irecv(inbox, previous), dist_isend(output, next) };
        dist_wait_all(works, 2);
        tensor *own = block(input, rank - step - 2, n);
        tensor_copy(output, inbox);
        tensor_add(output, own);
        halve(output);
        tensor_free(own);
    }
    tensor_free(inbox);
}
