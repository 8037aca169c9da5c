/*
 * it_depends.c: crossed sends again, with messages that grow, where small ones are copied aside.
 *
 *     16 numbers, 64, 256: both sends return at once, and it works
 *     1024 numbers: too large to be copied aside, and both stand at the window
 *
 * It ends with a report, on purpose. Run it:  make run-06 PROG=it_depends N=4
 */
#define _POSIX_C_SOURCE 200809L
#include "dist.h"

#include <stdlib.h>

static void swap(int count, int rank, int partner)
{
    tensor *mine = tensor_full(DIST_F32, 100 * rank + 1, count);
    tensor *theirs = tensor_zeros(DIST_F32, count);
    dist_send(mine, partner);
    dist_recv(theirs, partner);
    printf("rank %d swapped %4d numbers with rank %d, the last is %g\n", rank, count, partner,
           tensor_item(theirs, count - 1));
    tensor_free(theirs);
    tensor_free(mine);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int partner = rank % 2 == 0 ? rank + 1 : rank - 1;
    for (int count = 16; count <= 1024 && partner < world_size; count *= 4)
        swap(count, rank, partner);
    dist_destroy_process_group();
}

int main(void)
{
    setenv("DIST_BUFFERING", "eager:2048", 0); /* copy up to 2048 bytes aside, unless set outside */
    return dist_spawn(run, 4);
}
