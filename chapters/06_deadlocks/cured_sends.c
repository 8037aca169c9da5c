/*
 * cured_sends.c: crossed_sends with both cures, one after the other.
 *
 * Run it:  make run-06 PROG=cured_sends N=4
 */
#include "dist.h"

/* First cure: one of the two receives first. */
static void by_order(tensor *mine, tensor *theirs, int rank, int partner)
{
    if (rank < partner) {
        dist_send(mine, partner);
        dist_recv(theirs, partner);
    } else {
        dist_recv(theirs, partner);
        dist_send(mine, partner);
    }
}

/* Second cure: start to send, receive, and only then wait for the send. */
static void without_blocking(tensor *mine, tensor *theirs, int partner)
{
    dist_work *sending = dist_isend(mine, partner);
    dist_recv(theirs, partner);
    dist_wait(sending);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *mine = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 3);
    tensor *theirs = tensor_zeros(DIST_F32, 2);

    int partner = rank % 2 == 0 ? rank + 1 : rank - 1;
    if (partner < world_size) {
        by_order(mine, theirs, rank, partner);
        tensor_print(theirs, "rank %d got, by order,", rank);
        tensor_fill(theirs, 0);
        without_blocking(mine, theirs, partner);
        tensor_print(theirs, "rank %d got, without blocking,", rank);
    }

    tensor_free(theirs);
    tensor_free(mine);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
