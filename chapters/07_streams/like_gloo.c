/*
 * like_gloo.c: blocking as in Gloo: a send returns when the receive has taken the data, however small it is.
 *
 * Run it:  make run-07 PROG=like_gloo N=2
 */
#include "when.h"

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    dist_set_device(DIST_HOST);
    tell_when("Gloo", rank);
    dist_destroy_process_group();
}

int main(void)
{
    setenv("DIST_BUFFERING", "rendezvous", 1);
    return dist_spawn(run, 2);
}
