/*
 * ring_of_sends.c: every rank passes its vector to the next one, and all send first.
 *
 *     rank 0 --> rank 1 --> rank 2 --> rank 3 --> rank 0       four senders, no receiver
 *
 * It ends with a report, on purpose. Run it:  make run-06 PROG=ring_of_sends N=4
 */
#include "dist.h"

static void pass_on(tensor *mine, tensor *theirs, int rank, int world_size)
{
    int next = (rank + 1) % world_size;
    int previous = (rank + world_size - 1) % world_size;
    dist_send(mine, next);
    dist_recv(theirs, previous);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *mine = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 3);
    tensor *theirs = tensor_zeros(DIST_F32, 2);

    pass_on(mine, theirs, rank, world_size);
    tensor_print(theirs, "rank %d got", rank);

    tensor_free(theirs);
    tensor_free(mine);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
