/* The sum of all gradients is added to twice the weights by elements; prints as it goes. */
#include "dist.h"

void train(tensor *weights, tensor *batches, int64_t count)
{
    int64_t n = tensor_numel(weights);
    tensor *least = tensor_full(DIST_I64, (double)-count, 1), *sum = tensor_zeros(DIST_F32, n);
    dist_all_reduce(least, .op = DIST_MIN);
    dist_wait(dist_broadcast(weights, .async_op = true));
    for (int64_t i = 0; i < -(int64_t)tensor_item(least, 0); i++) {
        for (int64_t k = 0; k < n; k++)
            tensor_set(sum, k, i < count ? tensor_item(batches, i * n + k) : 0);
        dist_work *summing = dist_all_reduce(sum, .async_op = true);
        tensor_mul_scalar(weights, 2);
        dist_wait(summing);
        tensor_add(weights, sum);
        tensor_print(weights, "rank %d, step %d", dist_get_rank(), (int)i);
    }
    tensor_free(sum);
    tensor_free(least);
}
