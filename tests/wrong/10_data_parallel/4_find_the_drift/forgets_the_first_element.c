/* feedback: first wrong element of answer */
#include "dist.h"

#include <string.h>

enum { MOST = 8 }; /* parameters, and ranks */

struct drift {
    int rank, parameter;
};

/* A number for all bits of an F32 tensor, each at its place. Two tensors that differ have different ones, but for one
 * chance in billions. */
static int64_t checksum(const tensor *t)
{
    float values[64];
    uint64_t sum = 14695981039346656037u;
    tensor_read(t, values);
    for (int64_t i = 1; i < tensor_numel(t); i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        sum = (sum ^ bits) * 1099511628211u;
    }
    return (int64_t)sum;
}

struct drift find_the_drift(tensor **parameters, int count)
{
    struct drift found = { -1, -1 };
    int n = dist_get_world_size();
    int64_t mine[MOST], all[MOST * MOST];

    /* TODO: everybody's checksums, on every rank. */
    for (int i = 0; i < count; i++)
        mine[i] = checksum(parameters[i]);
    tensor *own = tensor_from(DIST_I64, mine, count), *gathered = tensor_zeros(DIST_I64, n * count);
    dist_all_gather(gathered, own);
    tensor_read(gathered, all);
    tensor_free(gathered);
    tensor_free(own);
    /* end of TODO */

    /* TODO: the first rank with one unlike rank 0's, and which that is. */
    for (int r = 1; r < n && found.rank < 0; r++)
        for (int i = count - 1; i >= 0; i--)
            if (all[r * count + i] != all[i])
                found = (struct drift){ r, i };
    /* end of TODO */
    return found;
}
