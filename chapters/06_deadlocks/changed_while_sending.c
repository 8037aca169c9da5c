/*
 * changed_while_sending.c: rank 0 starts to send a tensor, and writes the next numbers into it too early.
 *
 *     rank 0   isend(x)   fill(x)   wait        what does rank 1 get: the old numbers, the new ones, some of each?
 *
 * In checked mode it ends with a report, on purpose. Run it:  make run-06 PROG=changed_while_sending N=4
 */
#define _POSIX_C_SOURCE 200809L
#include "dist.h"

#include <stdlib.h>

static void run(int rank, int world_size)
{
    dist_init_process_group();
    (void)world_size;
    tensor *x = tensor_full(DIST_F32, 1, 1000);

    if (rank == 0) {
        dist_work *sending = dist_isend(x, 1);
        tensor_fill(x, 2); /* too early: belongs after the wait */
        dist_wait(sending);
    } else if (rank == 1) {
        dist_recv(x, 0);
    }
    dist_barrier();
    if (rank == 1)
        printf("rank 1 got %g ... %g\n", tensor_item(x, 0), tensor_item(x, 999));

    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    setenv("DIST_CHECK", "1", 0); /* checked mode, unless DIST_CHECK=0 was set outside */
    return dist_spawn(run, 4);
}
