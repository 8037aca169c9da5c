/* feedback: exit status 40 */
#include "dist.h"
enum { MOST = 8 };
void sum_in_buckets(tensor *flat, const int64_t *begin, int layers, int64_t full, void (*backward)(int layer))
{
    tensor *buckets[MOST], *all = tensor_zeros(tensor_type(flat), 64);
    dist_work *sums[MOST];
    int64_t from[MOST], to[MOST];
    int count = 0;
    int64_t end = begin[layers];
    for (int l = layers - 1; l >= 0; l--) {
        backward(l);
        if (end - begin[l] < full && l > 0)
            continue;
        from[count] = begin[l], to[count] = end;
        tensor *part = tensor_slice(flat, begin[l], end);
        buckets[count] = tensor_slice(all, begin[l], end);
        tensor_copy(buckets[count], part);
        tensor_free(part);
        sums[count] = dist_all_reduce(buckets[count], .async_op = true);
        count++;
        end = begin[l];
    }
    for (int i = 0; i < count; i++) {
        dist_wait(sums[i]);
        tensor *part = tensor_slice(flat, from[i], to[i]);
        tensor_copy(part, buckets[i]);
        tensor_free(part);
        tensor_free(buckets[i]);
    }
    tensor_free(all);
}
