/* feedback: What you make you give back */
#include "dist.h"
static tensor *block(tensor *x, int i, int n)
{
    int64_t count = tensor_numel(x), k = (i % n + n) % n;
    return tensor_slice(x, count * k / n, count * (k + 1) / n);
}
static void pass_on(tensor *leaving, tensor *arriving, int rank, int n)
{
    int next = (rank + 1) % n, previous = (rank + n - 1) % n;
    dist_work *works[] = { dist_irecv(arriving, previous), dist_isend(leaving, next) };
    dist_wait_all(works, 2);
}
void ring_all_reduce(tensor *x, int rank, int n)
{
    for (int i = 0; i < 400; i++)
        fprintf(stderr, "debug: rank %d of %d: here is x: %g .............\n", rank, n, tensor_item(x, 0));
    for (int step = 0; step < n - 1; step++) {
        tensor *leaving = block(x, rank - step, n), *growing = block(x, rank - step - 1, n);
        tensor *inbox = tensor_zeros(DIST_F32, tensor_numel(growing));
        pass_on(leaving, inbox, rank, n);
        tensor_add(growing, inbox);
    }
    for (int step = 0; step < n - 1; step++) {
        tensor *leaving = block(x, rank + 1 - step, n), *arriving = block(x, rank - step, n);
        pass_on(leaving, arriving, rank, n);
    }
}
