/*
 * checked_event.c: a missing event, and DIST_CHECK=1 names it: before anything goes wrong, and on every run.
 *
 *     stream 1         [ fill x ]
 *     default stream   [ add 1 to x ]      which comes first?
 *
 * It ends with a report, on purpose. Run it:  make run-07 PROG=checked_event N=2
 */
#define _POSIX_C_SOURCE 200809L
#include "dist.h"

#include <stdlib.h>

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    dist_set_device(DIST_GPU);

    tensor *x = tensor_zeros(DIST_F32, 4);
    dist_stream *aside = dist_stream_new();
    dist_synchronize();

    dist_stream_use(aside);
    tensor_fill(x, 100 * rank + 7);
    dist_stream_use(NULL);
    if (rank == 1)
        tensor_add_scalar(x, 1);

    dist_synchronize();
    dist_stream_free(aside);
    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    setenv("DIST_CHECK", "1", 1);
    return dist_spawn(run, 2);
}
