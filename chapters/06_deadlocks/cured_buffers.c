/*
 * cured_buffers.c: hands off between start and wait. Whoever wants to go on meanwhile uses a second tensor.
 *
 *     rank 0   isend(now)   fill(later)   wait          rank 1   irecv(x)   wait   sum(x)
 *
 * Run it:  make run-06 PROG=cured_buffers N=4
 */
#define _POSIX_C_SOURCE 200809L
#include "dist.h"

#include <stdlib.h>

static void sender(void)
{
    tensor *now = tensor_full(DIST_F32, 1, 1000);
    tensor *later = tensor_zeros(DIST_F32, 1000);
    dist_work *sending = dist_isend(now, 1);
    tensor_fill(later, 2);
    dist_wait(sending);
    dist_send(later, 1);
    tensor_free(later);
    tensor_free(now);
}

static void receiver(void)
{
    tensor *x = tensor_zeros(DIST_F32, 1000);
    for (int i = 0; i < 2; i++) {
        dist_work *arriving = dist_irecv(x, 0);
        dist_wait(arriving);
        printf("rank 1 adds up %g\n", tensor_sum(x));
    }
    tensor_free(x);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    (void)world_size;
    if (rank == 0)
        sender();
    if (rank == 1)
        receiver();
    dist_destroy_process_group();
}

int main(void)
{
    setenv("DIST_CHECK", "1", 0); /* checked mode has nothing to say */
    return dist_spawn(run, 4);
}
