/*
 * mismatch.c: everybody adds up 1000 numbers, but the last rank brings 999.
 *
 *     rank 0  [ 1000 ] --.
 *     rank 1  [ 1000 ] ---> all_reduce         NCCL compares nothing: it waits for one more number for ever,
 *     rank 2  [  999 ] --'                     or takes a number that is none
 *
 * It ends with a report, on purpose. Run it:  make run-12 PROG=mismatch N=4
 */
#include "dist.h"

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *x = tensor_full(DIST_F32, 1, rank == world_size - 1 ? 999 : 1000);
    dist_all_reduce(x);
    printf("rank %d has the sum %g\n", rank, tensor_item(x, 0));
    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
