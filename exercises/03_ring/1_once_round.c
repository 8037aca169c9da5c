/*
 * 1_once_round.c: exercise 03.1. A traveller goes once round the ring, and changes on the way. What comes home?
 *
 *     t starts out as rank 0's own m0         t becomes 2 t + m1     2 t + m2         2 t + m3
 *
 *              rank 0 ----- t -----> rank 1 ----- t -----> rank 2 ----- t -----> rank 3
 *                ^                                                                  |
 *                +--------------------------------- t ------------------------------+
 *
 * Each rank but 0 receives the traveller from the previous rank, doubles it, adds its own vector, and sends it on.
 * Rank 0 sends it on its way and waits until it comes home. Rank 0 adds nothing. A ring of one sends nothing. Called again, it goes round again.
 *
 * Grade it:  make exercise-03.1        Run it:  make try-03.1 N=4        A hint:  make hint-03.1
 */
#include "dist.h"

/* At first `traveller` holds the rank's own vector everywhere. In the end it holds what the rank sent on, on rank 0 what came home. */
void once_round(tensor *traveller, tensor *mine, int rank, int world_size)
{
    int next = (rank + 1) % world_size;
    int previous = (rank + world_size - 1) % world_size;

    /* TODO: receive, double (tensor_mul_scalar), add `mine` (tensor_add), send. Who has to begin? */

    /* end of TODO */
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *mine = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 3);
    tensor *traveller = tensor_clone(mine);
    once_round(traveller, mine, rank, world_size);
    tensor_print(traveller, "rank %d holds", rank);
    tensor_free(traveller);
    tensor_free(mine);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
