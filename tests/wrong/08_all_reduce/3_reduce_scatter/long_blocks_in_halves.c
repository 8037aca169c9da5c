/* feedback: all to the next rank, together */
#include "dist.h"
static tensor *block(tensor *input, int i, int n)
{
    int64_t size = tensor_numel(input) / n, k = (i % n + n) % n;
    return tensor_slice(input, k * size, (k + 1) * size);
}
static void pass(tensor *out, tensor *in, int next, int previous)
{
    int64_t n = tensor_numel(out), cut = n > 16 ? n / 2 : n;
    for (int64_t from = 0; from < n; from = from + cut < n ? from + cut : n) {
        int64_t to = from + cut < n && from == 0 ? cut : n;
        tensor *o = tensor_slice(out, from, to), *i = tensor_slice(in, from, to);
        dist_work *works[] = { dist_irecv(i, previous), dist_isend(o, next) };
        dist_wait_all(works, 2);
        tensor_free(o);
        tensor_free(i);
        if (to == n)
            break;
    }
}
void reduce_scatter(tensor *output, tensor *input, int rank, int n)
{
    int next = (rank + 1) % n, previous = (rank + n - 1) % n;
    tensor *inbox = tensor_zeros(DIST_F32, tensor_numel(output));
    tensor *first = block(input, rank - 1, n);
    tensor_copy(output, first);
    tensor_free(first);
    for (int step = 0; step < n - 1; step++) {
        pass(output, inbox, next, previous);
        tensor *own = block(input, rank - step - 2, n);
        tensor_copy(output, inbox);
        tensor_add(output, own);
        tensor_free(own);
    }
    tensor_free(inbox);
}
