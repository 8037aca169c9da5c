/* One all_gather; the rest is arithmetic, row by row, in a helper that calls itself. */
#include "dist.h"

static void sum_rows(tensor *sum, tensor *all, int64_t begin, int64_t end)
{
    if (end - begin == 1) {
        tensor *row = tensor_slice(all, begin, end);
        tensor_add(sum, row);
        tensor_free(row);
    } else {
        sum_rows(sum, all, begin, (begin + end) / 2);
        sum_rows(sum, all, (begin + end) / 2, end);
    }
}

void from_the_mean(tensor *difference, tensor *largest, tensor *mine)
{
    int64_t n = dist_get_world_size(), length = tensor_numel(mine);
    tensor *all = tensor_zeros(DIST_F32, n, length), *mean = tensor_zeros(DIST_F32, length);
    dist_all_gather(all, mine);
    sum_rows(mean, all, 0, n);
    tensor_mul_scalar(mean, 1.0 / (double)n);
    for (int64_t i = 0; i < length; i++) {
        double most = tensor_item(all, i);
        for (int64_t r = 1; r < n; r++)
            most = tensor_item(all, r * length + i) > most ? tensor_item(all, r * length + i) : most;
        tensor_set(largest, i, most - tensor_item(mean, i));
        tensor_set(difference, i, tensor_item(mine, i) - tensor_item(mean, i));
    }
    tensor_free(mean);
    tensor_free(all);
}
