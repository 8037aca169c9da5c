/* Adds up in C, and leaves `output` alone until the end. */
#include "dist.h"

#include <stdlib.h>

void reduce_scatter(tensor *output, tensor *input, int rank, int n)
{
    int64_t size = tensor_numel(input) / n;
    float *all = malloc((size_t)(size * n + 1) * sizeof *all),
          *sum = malloc((size_t)(size + 1) * sizeof *sum);
    tensor *out = tensor_zeros(DIST_F32, size), *in = tensor_zeros(DIST_F32, size);
    if (!all || !sum)
        abort();
    tensor_read(input, all);
    for (int step = 0; step < n; step++) {
        int k = (rank - 1 - step + 2 * n) % n;
        if (step > 0) {
            dist_work *works[] = { dist_isend(out, (rank + 1) % n), dist_irecv(in, (rank + n - 1) % n) };
            dist_wait_all(works, 2);
        }
        tensor_read(in, sum);
        for (int64_t i = 0; i < size; i++)
            sum[i] += all[k * size + i];
        tensor_write(out, sum);
    }
    tensor_copy(output, out);
    tensor_free(in);
    tensor_free(out);
    free(sum);
    free(all);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *input = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 1 + 2 * world_size);
    tensor *output = tensor_zeros(DIST_F32, 2);
    reduce_scatter(output, input, rank, world_size);
    tensor_print(output, "rank %d gets", rank);
    tensor_free(output);
    tensor_free(input);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
