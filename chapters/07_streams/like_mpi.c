/*
 * like_mpi.c: blocking as in MPI: a send returns when the buffer may be used again; a small message is copied aside.
 *
 * Run it:  make run-07 PROG=like_mpi N=2
 */
#include "when.h"

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    dist_set_device(DIST_HOST);
    tell_when("MPI", rank);
    dist_destroy_process_group();
}

int main(void)
{
    setenv("DIST_BUFFERING", "eager:4096", 1);
    return dist_spawn(run, 2);
}
