/*
 * crossed_sends.c: two ranks swap vectors, and both send first. Nobody receives.
 *
 *     rank 0 --[1, 2]-->  <--[101, 102]-- rank 1       and so do 2 and 3, and all further pairs
 *
 * It ends with a report, on purpose. Run it:  make run-06 PROG=crossed_sends N=4
 */
#include "dist.h"

static void swap(tensor *mine, tensor *theirs, int partner)
{
    dist_send(mine, partner);
    dist_recv(theirs, partner);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *mine = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 3);
    tensor *theirs = tensor_zeros(DIST_F32, 2);

    int partner = rank % 2 == 0 ? rank + 1 : rank - 1;
    if (partner < world_size) {
        swap(mine, theirs, partner);
        tensor_print(theirs, "rank %d got", rank);
    }

    tensor_free(theirs);
    tensor_free(mine);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
