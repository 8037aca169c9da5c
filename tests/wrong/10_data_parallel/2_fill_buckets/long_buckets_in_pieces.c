/* feedback: started the sum of 64 numbers */
#include "dist.h"
enum { MOST = 64, LONG = 64 };
void sum_in_buckets(tensor *flat, const int64_t *begin, int layers, int64_t full, void (*backward)(int layer))
{
    tensor *buckets[MOST];
    dist_work *sums[MOST];
    int count = 0;
    int64_t end = begin[layers];
    for (int l = layers - 1; l >= 0; l--) {
        backward(l);
        if (end - begin[l] < full && l > 0)
            continue;
        for (int64_t at = begin[l]; at < end; at += LONG) {
            buckets[count] = tensor_slice(flat, at, at + LONG < end ? at + LONG : end);
            sums[count] = dist_all_reduce(buckets[count], .async_op = true);
            count++;
        }
        end = begin[l];
    }
    for (int i = 0; i < count; i++) {
        dist_wait(sums[i]);
        tensor_free(buckets[i]);
    }
}
