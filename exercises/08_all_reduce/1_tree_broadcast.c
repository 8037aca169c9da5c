/*
 * 1_tree_broadcast.c: exercise 08.1. A broadcast down a binomial tree: whoever has the tensor helps to pass it on.
 *
 *     step 1    0 ----------------------------------------> 4
 *     step 2    0 ------------------> 2                     4 ------------------> 6
 *     step 3    0 -------> 1          2 -------> 3          4 -------> 5          6 -------> 7
 *
 * These are places in the tree, not ranks. The root, which any rank may be, has place 0, the rank after it place 1, and so on,
 * round: with 5 ranks and root 3, ranks 3 4 0 1 2 have places 0 1 2 3 4. Places that do not exist are left out.
 *
 * In the end everybody has the root's x, after as few steps as can be: 3 for 5 to 8 ranks, log2(n) rounded up for n. Each rank but
 * the root receives once. x may have any type. A rank alone has nothing to do. Collectives are not allowed.
 *
 * Grade it:  make exercise-08.1        Run it:  make try-08.1 N=5        A hint:  make hint-08.1
 */
#include "dist.h"

void tree_broadcast(tensor *x, int root, int rank, int n)
{
    int place = 0, far = 1;

    /* TODO: the place of this rank. */

    /* end of TODO */

    /* TODO: receive from the place in whose branch this one lies. The root does not. How far away is it? */

    /* end of TODO */

    /* TODO: send to half as far, a quarter as far, ... down to the place next to this one. */

    /* end of TODO */
}

static void run(int rank, int world_size)
{
    int root = 3 % world_size;
    dist_init_process_group();
    tensor *x = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 4);
    tree_broadcast(x, root, rank, world_size);
    tensor_print(x, "rank %d has", rank);
    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 5);
}
