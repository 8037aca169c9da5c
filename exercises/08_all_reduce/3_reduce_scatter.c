/*
 * 3_reduce_scatter.c: exercise 08.3. A reduce_scatter in a ring: everybody gets one block of the sum.
 *
 *     input on every rank    [ block 0 | block 1 | block 2 | block 3 ]        as many blocks as ranks, all of one size
 *     output on rank r       block r of the sum over all ranks
 *
 *     step 0    0 --block 3--> 1 --block 0--> 2 --block 1--> 3 --block 2--> 0
 *     step 1    0 --block 2--> 1 --block 3--> 2 --block 0--> 3 --block 1--> 0         every rank adds its own part of a
 *     step 2    0 --block 1--> 1 --block 2--> 2 --block 3--> 3 --block 0--> 0         block, and sends it on
 *
 * Each block starts on the rank after its owner, goes once round, and comes home complete. The input stays as it is. With n
 * ranks each one sends n - 1 blocks, all to the next rank, and all ranks send and receive at the same time. On a rank alone the
 * output is the input. Collectives are not allowed. What you make you free.
 *
 * Grade it:  make exercise-08.3        Run it:  make try-08.3 N=4        A hint:  make hint-08.3
 */
#include "dist.h"

/* Block i of `input`, which has n of them. It is a view; free it. Blocks are counted round the ring: block -1 is block n - 1. */
static tensor *block(tensor *input, int i, int n)
{
    int64_t size = tensor_numel(input) / n, k = (i % n + n) % n;
    return tensor_slice(input, k * size, (k + 1) * size);
}

void reduce_scatter(tensor *output, tensor *input, int rank, int n)
{
    int next = (rank + 1) % n, previous = (rank + n - 1) % n;
    tensor *inbox = tensor_zeros(DIST_F32, tensor_numel(output));

    /* TODO: lay the block that this rank starts with into `output`. */

    /* end of TODO */

    for (int step = 0; step < n - 1; step++) {
        /* TODO: send `output` on, and make it what has arrived plus this rank's own part of that block. */

        /* end of TODO */
    }
    tensor_free(inbox);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *input = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 1 + 2 * world_size);
    tensor *output = tensor_zeros(DIST_F32, 2);
    reduce_scatter(output, input, rank, world_size);
    tensor_print(output, "rank %d gets", rank);
    tensor_free(output);
    tensor_free(input);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
