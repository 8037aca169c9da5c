/* feedback: over tensor_data() must end before element */
#include "dist.h"

void reduce_scatter(tensor *output, tensor *input, int rank, int n)
{
    int next = (rank + 1) % n, previous = (rank + n - 1) % n;
    int64_t size = tensor_numel(output);
    tensor *inbox = tensor_zeros(DIST_F32, size);
    float *out = tensor_data(output), *in = tensor_data(input), *came = tensor_data(inbox);
    for (int64_t i = 0; i < size; i++)
        out[i] = in[(rank + n - 1) % n * size + i];
    for (int step = 0; step < n - 1; step++) {
        dist_work *works[] = { dist_irecv(inbox, previous), dist_isend(output, next) };
        dist_wait_all(works, 2);
        int64_t begin = (rank - step - 2 + 2 * n) % n * size;
        for (int64_t i = 0; i <= size; i++)
            out[i] = came[i] + in[begin + i];
    }
    tensor_free(inbox);
}
