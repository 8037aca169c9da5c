/*
 * ring.c: a vector goes round; every rank adds its own to it. What comes home?
 *
 *     rank 0 --[1, 2]--> rank 1 --[102, 104]--> rank 2 --[303, 306]--> rank 3
 *       ^                                                                 |
 *       +--------------------------- [604, 608] --------------------------+
 *
 * Run it:  make run-03 PROG=ring N=4
 */
#include "dist.h"

static void run(int rank, int world_size)
{
    dist_init_process_group();

    int next = (rank + 1) % world_size;
    int previous = (rank + world_size - 1) % world_size;
    tensor *mine = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 3);
    tensor *traveller = tensor_clone(mine);

    /* Somebody has to send before receiving, or all would wait for each other: rank 0 does. */
    if (rank > 0) {
        dist_recv(traveller, previous);
        tensor_add(traveller, mine);
        tensor_print(traveller, "rank %d passes on", rank);
        dist_send(traveller, next);
    } else if (world_size > 1) {
        dist_send(traveller, next);
        dist_recv(traveller, previous);
    }
    if (rank == 0)
        tensor_print(traveller, "rank 0 sees come home");

    tensor_free(traveller);
    tensor_free(mine);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
