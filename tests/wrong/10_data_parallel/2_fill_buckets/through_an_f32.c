/* feedback: something on their way is an F32 */
#include "dist.h"
void sum_in_buckets(tensor *flat, const int64_t *begin, int layers, int64_t full, void (*backward)(int layer))
{
    tensor *buckets[8], *copies[8];
    dist_work *sums[8];
    int count = 0;
    int64_t end = begin[layers];
    for (int l = layers - 1; l >= 0; l--) {
        backward(l);
        if (end - begin[l] < full && l > 0)
            continue;
        buckets[count] = tensor_slice(flat, begin[l], end);
        copies[count] = tensor_zeros(DIST_F32, end - begin[l]);
        tensor_copy(copies[count], buckets[count]);
        sums[count] = dist_all_reduce(copies[count], .async_op = true);
        count++;
        end = begin[l];
    }
    for (int i = 0; i < count; i++) {
        dist_wait(sums[i]);
        tensor_copy(buckets[i], copies[i]);
        tensor_free(copies[i]);
        tensor_free(buckets[i]);
    }
}
