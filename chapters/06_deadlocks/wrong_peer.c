/*
 * wrong_peer.c: rank 0 sends to rank 1, but rank 1 listens at the window of rank 2.
 *
 *     rank 0 --[1, 2]--> rank 1 ?- - - - rank 2            rank 2 has nothing to send
 *
 * It ends with a report, on purpose. Run it:  make run-06 PROG=wrong_peer N=4
 */
#include "dist.h"

static void run(int rank, int world_size)
{
    dist_init_process_group();
    (void)world_size;
    tensor *x = tensor_arange(DIST_F32, 1, 3);

    if (rank == 0)
        dist_send(x, 1);
    if (rank == 1)
        dist_recv(x, 2); /* should be 0 */
    dist_barrier();

    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
