/* feedback: It used an element of an array that the array does not have. */
#include "dist.h"

void ring_all_reduce(tensor *x, int rank, int n)
{
    tensor *blocks[8];
    int64_t count = tensor_numel(x);
    for (int i = 0; i < n; i++)
        blocks[i] = tensor_slice(x, count * i / n, count * (i + 1) / n);
    for (int step = 0; step < 2 * (n - 1); step++) {
        bool first = step < n - 1;
        tensor *leaving = blocks[(rank - step + 2 * n) % n], *there = blocks[(rank - step - 1 + 2 * n) % n];
        tensor *inbox = tensor_clone(there);
        dist_work *works[] = { dist_irecv(inbox, (rank + n - 1) % n), dist_isend(leaving, (rank + 1) % n) };
        dist_wait_all(works, 2);
        if (first)
            tensor_add(there, inbox);
        else
            tensor_copy(there, inbox);
        tensor_free(inbox);
    }
    for (int i = 0; i < n; i++)
        tensor_free(blocks[i]);
}
