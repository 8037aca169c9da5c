/* One flat tensor for everything, and one call. */
#include "dist.h"

#include <stdlib.h>

struct bucket {
    tensor *flat, **parts;
};

static struct bucket bucket_new(tensor **gradients, int count)
{
    int64_t at = 0;
    struct bucket bucket = { NULL, calloc((size_t)count + 1, sizeof(tensor *)) };
    for (int i = 0; i < count; i++)
        at += tensor_numel(gradients[i]);
    bucket.flat = tensor_zeros(DIST_F64, at + 1);
    at = 1;
    for (int i = 0; i < count; at += tensor_numel(gradients[i++]))
        bucket.parts[i] = tensor_slice(bucket.flat, at, at + tensor_numel(gradients[i]));
    return bucket;
}

void average_by_samples(tensor **gradients, int count, int samples)
{
    struct bucket bucket = bucket_new(gradients, count);
    for (int i = 0; i < count; i++)
        tensor_copy(bucket.parts[i], gradients[i]);
    tensor_mul_scalar(bucket.flat, samples);
    tensor_set(bucket.flat, 0, samples);
    dist_all_reduce(bucket.flat);
    tensor_mul_scalar(bucket.flat, 1 / tensor_item(bucket.flat, 0));
    for (int i = 0; i < count; i++) {
        tensor_copy(gradients[i], bucket.parts[i]);
        tensor_free(bucket.parts[i]);
    }
    free(bucket.parts);
    tensor_free(bucket.flat);
}

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    tensor *gradients[2] = { tensor_full(DIST_F32, 10 * rank + 10, 2), tensor_full(DIST_F32, rank, 3) };
    average_by_samples(gradients, 2, rank == 0 ? 2 : 1);
    for (int i = 0; i < 2; i++) {
        tensor_print(gradients[i], "rank %d, gradient %d:", rank, i);
        tensor_free(gradients[i]);
    }
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
