/* All sums under way at once, the number of samples last. */
#include "dist.h"

void average_by_samples(tensor **gradients, int count, int samples)
{
    enum { MOST = 32 };
    dist_work *sums[MOST];
    tensor *all = tensor_full(DIST_I64, samples, 1);
    int started = 0;
    while (started < count) {
        tensor_mul_scalar(gradients[started], samples);
        sums[started] = dist_all_reduce(gradients[started], .async_op = true);
        started++;
    }
    sums[started++] = dist_all_reduce(all, .async_op = true);
    dist_wait_all(sums, started);
    for (tensor **g = gradients; g < gradients + count; g++)
        tensor_mul_scalar(*g, 1.0 / tensor_item(all, 0));
    tensor_free(all);
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
