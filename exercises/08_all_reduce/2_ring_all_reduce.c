/*
 * 2_ring_all_reduce.c: exercise 08.2. An all-reduce in a ring, for a tensor that does not divide evenly.
 *
 *     x on every rank     [ 0 0 | 1 1 1 | 2 2 | 3 3 3 ]          10 elements on 4 ranks: blocks of 2, 3, 2 and 3
 *
 *     first half          what arrives is added
 *     step 0    0 --block 0--> 1 --block 1--> 2 --block 2--> 3 --block 3--> 0
 *     step 1    0 --block 3--> 1 --block 0--> 2 --block 1--> 3 --block 2--> 0        pass on what has just grown
 *     step 2    0 --block 2--> 1 --block 3--> 2 --block 0--> 3 --block 1--> 0        now rank r has block r + 1 of the sum
 *
 *     second half         the finished blocks go round once more, what arrives is kept
 *     step 0    0 --block 1--> 1 --block 2--> 2 --block 3--> 3 --block 0--> 0
 *     ...
 *
 * In the end x is the sum over all ranks, everywhere. With N ranks each one sends 2 (N - 1) blocks, all to the next rank, and
 * in every step all ranks send and receive at the same time. A rank alone sends nothing. Collectives are not allowed.
 * What you make you free.
 *
 * Grade it:  make exercise-08.2        Run it:  make try-08.2 N=4        A hint:  make hint-08.2
 */
#include "dist.h"

/* Block i of x, which is cut into n. It is a view; free it. Blocks are counted round the ring: block -1 is block n - 1. */
static tensor *block(tensor *x, int i, int n)
{
    int64_t count = tensor_numel(x), k = (i % n + n) % n;
    return tensor_slice(x, count * k / n, count * (k + 1) / n);
}

static void pass_on(tensor *leaving, tensor *arriving, int rank, int n)
{
    int next = (rank + 1) % n, previous = (rank + n - 1) % n;

    /* TODO: send `leaving` to the next rank and receive `arriving` from the previous one, both at the same time. */

    /* end of TODO */
}

void ring_all_reduce(tensor *x, int rank, int n)
{
    for (int step = 0; step < n - 1; step++) {
        /* TODO: first half. Which block leaves in this step, and which one grows? What arrives needs room of its own. */

        /* end of TODO */
    }
    for (int step = 0; step < n - 1; step++) {
        /* TODO: second half. Which block leaves, and where does the one that arrives belong? */

        /* end of TODO */
    }
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *x = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 11);
    ring_all_reduce(x, rank, world_size);
    tensor_print(x, "rank %d ends with", rank);
    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
