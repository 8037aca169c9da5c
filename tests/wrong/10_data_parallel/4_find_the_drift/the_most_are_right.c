/* feedback: wrong element of answer */
/*
 * 4_find_the_drift.c: exercise 10.4. Are all replicas of a model alike, bit by bit? If not: which rank, and which parameter?
 *
 *     rank 0   [ 1, 2 ]  [ 5, 6, 7 ]  [ 9 ]
 *     rank 1   [ 1, 2 ]  [ 5, 6, 7 ]  [ 9 ]
 *     rank 2   [ 1, 2 ]  [ 6, 5, 7 ]  [ 9 ]       the answer, on every rank: rank 2, parameter 1
 *     rank 3   [ 1, 2 ]  [ 5, 6, 7 ]  [ 8 ]
 *
 * A replica drifts if a parameter of it is unlike rank 0's in any bit: minus zero is unlike zero. Find the drifting rank with the
 * lowest number, and the first of its parameters that is unlike rank 0's. All ranks return the same answer; where all are alike
 * it is rank -1.
 * Parameters are large, so they do not travel. What may travel is one I64 for each parameter: `checksum` makes it. There are 8
 * ranks at most. All collectives are allowed; messages are not.
 *
 * Grade it:  make exercise-10.4        Run it:  make try-10.4 N=4        A hint:  make hint-10.4
 */
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
    for (int i = 0; i < count; i++) {
        int right = 0, most = 0;
        for (int r = 0; r < n; r++) {
            int alike = 0;
            for (int other = 0; other < n; other++)
                alike += all[other * count + i] == all[r * count + i];
            right = alike > most ? r : right;
            most = alike > most ? alike : most;
        }
        for (int r = 0; r < n; r++)
            if (all[r * count + i] != all[right * count + i] && (found.rank < 0 || r < found.rank))
                found = (struct drift){ r, i };
    }
    /* end of TODO */
    return found;
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
