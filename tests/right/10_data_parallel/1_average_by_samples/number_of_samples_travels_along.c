/* The number of samples travels behind each gradient, in the same call. */
#include "dist.h"

void average_by_samples(tensor **gradients, int count, int samples)
{
    for (int i = 0; i < count; i++) {
        int64_t length = tensor_numel(gradients[i]);
        tensor *more = tensor_zeros(DIST_F64, length + 1), *front = tensor_slice(more, 0, length);
        tensor_copy(front, gradients[i]);
        tensor_mul_scalar(front, samples);
        tensor_set(more, length, samples);
        dist_all_reduce(more);
        tensor_mul_scalar(front, 1 / tensor_item(more, length));
        tensor_copy(gradients[i], front);
        tensor_free(front);
        tensor_free(more);
    }
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
