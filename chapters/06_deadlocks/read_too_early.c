/*
 * read_too_early.c: rank 1 starts to receive a tensor, and adds it up before it has waited.
 *
 *     rank 1   irecv(x)   sum(x)   wait         what is in x meanwhile: zeros, the numbers, some of each?
 *
 * In checked mode it ends with a report, on purpose. Run it:  make run-06 PROG=read_too_early N=4
 */
#define _POSIX_C_SOURCE 200809L
#include "dist.h"

#include <stdlib.h>

static void run(int rank, int world_size)
{
    dist_init_process_group();
    (void)world_size;
    tensor *x = tensor_full(DIST_F32, rank == 0, 1000);

    if (rank == 0) {
        dist_send(x, 1);
    } else if (rank == 1) {
        dist_work *arriving = dist_irecv(x, 0);
        printf("rank 1 adds up %g\n", tensor_sum(x)); /* too early: belongs after the wait */
        dist_wait(arriving);
    }

    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    setenv("DIST_CHECK", "1", 0); /* checked mode, unless DIST_CHECK=0 was set outside */
    return dist_spawn(run, 4);
}
