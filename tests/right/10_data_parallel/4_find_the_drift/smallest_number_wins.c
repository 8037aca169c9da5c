/* Rank 0 tells its checksums; each rank says where it drifts as one number, and the smallest wins. */
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
    enum { NONE = 1000000 };
    int64_t mine[MOST], first[MOST];
    for (int i = 0; i < count; i++)
        mine[i] = checksum(parameters[i]);
    tensor *told = tensor_from(DIST_I64, mine, count);
    dist_broadcast(told, .src = 0);
    tensor_read(told, first);
    int where = 0;
    while (where < count && mine[where] == first[where])
        where++;
    tensor *code = tensor_full(DIST_I64, where < count ? dist_get_rank() * MOST + where : NONE, 1);
    dist_all_reduce(code, .op = DIST_MIN);
    int found = (int)tensor_item(code, 0);
    tensor_free(code);
    tensor_free(told);
    return found == NONE ? (struct drift){ -1, -1 } : (struct drift){ found / MOST, found % MOST };
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
