/*
 * returned.c: a receive that returns, and a print that hangs.
 *
 *     rank 1   host      recv  "has returned"   print ........ for ever
 *              stream    [ recv from 0 ........ for ever
 *
 * Rank 0 never sends. It ends with a report, on purpose. Run it:  make run-07 PROG=returned N=2
 */
#include "dist.h"

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    dist_set_device(DIST_GPU);

    tensor *x = tensor_zeros(DIST_F32, 4);
    if (rank == 1) {
        dist_recv(x, 0);
        printf("rank %d: dist_recv has returned\n", rank);
        fflush(stdout);
        tensor_print(x, "rank %d received", rank);
    }

    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 2);
}
