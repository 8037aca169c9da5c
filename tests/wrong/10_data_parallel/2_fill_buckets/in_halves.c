/* feedback: first wrong element of gradients */
#include "dist.h"

/* Through F16: no more than 11 bits of a number are left. */
static void halve(tensor *x)
{
    tensor *half = tensor_zeros(DIST_F16, tensor_numel(x));
    tensor_copy(half, x);
    tensor_copy(x, half);
    tensor_free(half);
}

void sum_in_buckets(tensor *flat, const int64_t *begin, int layers, int64_t full, void (*backward)(int layer))
{
    tensor *buckets[8];
    dist_work *sums[8];
    int count = 0;
    int64_t end = begin[layers];
    for (int l = layers - 1; l >= 0; l--) {
        backward(l);
        if (end - begin[l] < full && l > 0)
            continue;
        buckets[count] = tensor_slice(flat, begin[l], end);
        if (tensor_type(flat) == DIST_F32)
            halve(buckets[count]);
        sums[count] = dist_all_reduce(buckets[count], .async_op = true);
        count++;
        end = begin[l];
    }
    for (int i = 0; i < count; i++) {
        dist_wait(sums[i]);
        tensor_free(buckets[i]);
    }
}
