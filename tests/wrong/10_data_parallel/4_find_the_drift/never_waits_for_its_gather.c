/* feedback: started a gather and never waited for it */
#include "dist.h"
#include <string.h>
struct drift {
    int rank, parameter;
};
static int64_t checksum(const tensor *t)
{
    float values[64];
    uint64_t sum = 14695981039346656037u;
    tensor_read(t, values);
    for (int64_t i = 0; i < tensor_numel(t); i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        sum = (sum ^ bits) * 1099511628211u;
    }
    return (int64_t)sum;
}
struct drift find_the_drift(tensor **parameters, int count)
{
    struct drift found = { -1, -1 };
    int n = dist_get_world_size(), me = dist_get_rank();
    int64_t mine[8], all[64];
    for (int i = 0; i < count; i++)
        mine[i] = checksum(parameters[i]);
    tensor *own = tensor_from(DIST_I64, mine, count),
           *gathered = me ? NULL : tensor_zeros(DIST_I64, n * count), *answer = tensor_full(DIST_I32, -1, 2);
    dist_work *w = dist_gather(own, gathered, 0, .async_op = true);
    if (me == 0) {
        dist_wait(w);
        tensor_read(gathered, all);
        for (int r = 1; r < n && found.rank < 0; r++)
            for (int i = count - 1; i >= 0; i--)
                if (all[r * count + i] != all[i])
                    found = (struct drift){ r, i };
        tensor_set(answer, 0, found.rank);
        tensor_set(answer, 1, found.parameter);
    }
    dist_broadcast(answer, 0);
    return (struct drift){ (int)tensor_item(answer, 0), (int)tensor_item(answer, 1) };
}
