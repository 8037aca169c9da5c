#include "dist.h"
#include <string.h>
enum { MOST = 8 };
struct drift {
    int rank, parameter;
};
struct drift find_the_drift(tensor **parameters, int count)
{
    int n = dist_get_world_size(), me = dist_get_rank();
    int64_t sums[count];
    for (int i = 0; i < count; i++) {
        int64_t len = tensor_numel(parameters[i]);
        uint32_t bits[len];
        tensor_read(parameters[i], bits);
        uint64_t h = (uint64_t)len;
        for (int64_t k = 0; k < len; k++)
            h = (h ^ bits[k]) * 0x9E3779B97F4A7C15u + (h >> 29);
        sums[i] = (int64_t)h;
    }
    tensor *ref = tensor_from(DIST_I64, sums, count);
    dist_broadcast(ref, 0);
    int64_t first = (int64_t)n * MOST;
    for (int i = count - 1; i >= 0; i--) {
        int64_t theirs[count];
        tensor_read(ref, theirs);
        if (theirs[i] != sums[i])
            first = me * MOST + i;
    }
    tensor *least = tensor_full(DIST_I64, (double)first, 1);
    dist_all_reduce(least, .op = DIST_MIN);
    first = (int64_t)tensor_item(least, 0);
    tensor_free(least);
    tensor_free(ref);
    return first == n * MOST ? (struct drift){ -1, -1 }
                             : (struct drift){ (int)(first / MOST), (int)(first % MOST) };
}
