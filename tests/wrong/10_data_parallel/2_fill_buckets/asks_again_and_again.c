/* feedback: It had not ended after */
/* seconds: 5 */
#include "dist.h"

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
        sums[count] = dist_all_reduce(buckets[count], .async_op = true);
        while (!dist_is_completed(sums[count]))
            ;
        count++;
        end = begin[l];
    }
    for (int i = 0; i < count; i++) {
        dist_wait(sums[i]);
        tensor_free(buckets[i]);
    }
}
