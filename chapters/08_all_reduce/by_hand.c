/*
 * by_hand.c: an all-reduce written by yourself: a ring that carries blocks instead of the whole.
 *
 *     x on rank 0   [ block 0 | block 1 | block 2 | block 3 ]     every rank has such a row
 *
 *     step 0    0 --block 0--> 1 --block 1--> 2 --block 2--> 3 --block 3--> 0       each is added to what is there
 *     step 1    0 --block 3--> 1 --block 0--> 2 --block 1--> 3 --block 2--> 0
 *
 * Run it:  make run-08 PROG=by_hand N=4
 */
#include "dist.h"

enum { BLOCK = 1 }; /* elements of a block */

static int turn(int i, int n)
{
    return (i % n + n) % n;
}

/* Send one block to the right, receive another from the left, both at the same time. */
static void pass_on(tensor *x, int leaving, tensor *into, int rank, int n)
{
    tensor *out = tensor_slice(x, leaving * BLOCK, (leaving + 1) * BLOCK);
    dist_work *works[] = { dist_irecv(into, turn(rank - 1, n)), dist_isend(out, turn(rank + 1, n)) };
    dist_wait_all(works, 2);
    tensor_free(out);
}

/* First half: after n - 1 steps rank r holds block r + 1 of the sum. */
static void reduce_blocks(tensor *x, int rank, int n)
{
    tensor *inbox = tensor_zeros(DIST_F32, BLOCK);
    for (int step = 0; step < n - 1; step++) {
        int leaving = turn(rank - step, n), growing = turn(rank - step - 1, n);
        pass_on(x, leaving, inbox, rank, n);
        tensor *block = tensor_slice(x, growing * BLOCK, (growing + 1) * BLOCK);
        tensor_add(block, inbox);
        tensor_free(block);
        tensor_print(x, "rank %d after step %d", rank, step);
    }
    tensor_free(inbox);
}

/* Second half: the finished blocks go round once more, and nobody adds. */
static void gather_blocks(tensor *x, int rank, int n)
{
    for (int step = 0; step < n - 1; step++) {
        int leaving = turn(rank + 1 - step, n), arriving = turn(rank - step, n);
        tensor *block = tensor_slice(x, arriving * BLOCK, (arriving + 1) * BLOCK);
        pass_on(x, leaving, block, rank, n);
        tensor_free(block);
    }
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *x = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 1 + world_size * BLOCK);
    tensor_print(x, "rank %d brings", rank);
    reduce_blocks(x, rank, world_size);
    gather_blocks(x, rank, world_size);
    tensor_print(x, "rank %d ends with", rank);
    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
