/* feedback: first wrong element of answer */
#include "dist.h"
#include <string.h>
enum { MOST = 8 };
struct drift {
    int rank, parameter;
};
struct drift find_the_drift(tensor **parameters, int count)
{
    struct drift found = { -1, -1 };
    int n = dist_get_world_size();
    int64_t mine[MOST], all[MOST * MOST], length = tensor_numel(parameters[0]);
    for (int i = 0; i < count; i++) {
        float values[64];
        uint64_t sum = 14695981039346656037u;
        tensor_read(parameters[i], values);
        for (int64_t k = 0; k < length; k++) {
            uint32_t bits;
            memcpy(&bits, &values[k], sizeof bits);
            sum = (sum ^ bits) * 1099511628211u;
        }
        mine[i] = (int64_t)sum;
    }
    tensor *own = tensor_from(DIST_I64, mine, count), *gathered = tensor_zeros(DIST_I64, n * count);
    dist_all_gather(gathered, own);
    tensor_read(gathered, all);
    tensor_free(gathered);
    tensor_free(own);
    for (int r = 1; r < n && found.rank < 0; r++)
        for (int i = count - 1; i >= 0; i--)
            if (all[r * count + i] != all[i])
                found = (struct drift){ r, i };
    return found;
}
