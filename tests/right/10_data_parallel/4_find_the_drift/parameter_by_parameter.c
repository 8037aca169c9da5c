/* Gathers parameter by parameter, from the last one to the first. */
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
    for (int64_t i = 0; i < tensor_numel(t); i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        sum = (sum ^ bits) * 1099511628211u;
    }
    return (int64_t)sum;
}

struct drift find_the_drift(tensor **parameters, int count)
{
    int n = dist_get_world_size(), best = n, parameter = -1;
    tensor *all = tensor_zeros(DIST_I64, n);
    for (int p = count - 1; p >= 0; p--) {
        int64_t sums[MOST], mine = checksum(parameters[p]);
        tensor *one = tensor_from(DIST_I64, &mine, 1);
        dist_wait(dist_all_gather(all, one, .async_op = true));
        tensor_read(all, sums);
        tensor_free(one);
        for (int r = n - 1; r > 0; r--)
            if (sums[r] != sums[0] && r <= best) {
                best = r;
                parameter = p;
            }
    }
    tensor_free(all);
    return (struct drift){ best < n ? best : -1, parameter };
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *parameters[2] = { tensor_full(DIST_F32, 1, 3),
                              tensor_full(DIST_F32, rank == world_size - 1 ? 3 : 2, 4) };
    struct drift drift = find_the_drift(parameters, 2);
    printf("rank %d says: rank %d drifts, in parameter %d\n", rank, drift.rank, drift.parameter);
    tensor_free(parameters[1]);
    tensor_free(parameters[0]);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
