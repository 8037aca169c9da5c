/*
 * like_nccl.c: blocking as in NCCL: a send returns when it stands in the stream.
 *
 * Run it:  make run-07 PROG=like_nccl N=2
 */
#include "when.h"

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    dist_set_device(DIST_GPU);
    tell_when("NCCL", rank);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 2);
}
