/*
 * wrong_tag.c: rank 0 sends weights, rank 1 asks for a bias. A tag is part of the address.
 *
 *     rank 0 --weights--> rank 1, who waits for a bias
 *
 * It ends with a report, on purpose. Run it:  make run-06 PROG=wrong_tag N=4
 */
#include "dist.h"

enum tag { WEIGHTS = 1, BIAS = 2 };

static void run(int rank, int world_size)
{
    dist_init_process_group();
    (void)world_size;
    tensor *x = tensor_arange(DIST_F32, 1, 3);

    if (rank == 0)
        dist_send(x, 1, .tag = WEIGHTS);
    if (rank == 1)
        dist_recv(x, 0, .tag = BIAS); /* should be WEIGHTS */
    dist_barrier();

    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
