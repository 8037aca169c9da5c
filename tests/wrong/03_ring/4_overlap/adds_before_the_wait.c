/* feedback: It touched a tensor that a message or a stream still needed */
/*
 * 4_overlap.c: exercise 03.4. Start, compute, wait, use.
 *
 *     rank 0   [ work ]--+             rank 2   [ work ]--+             rank 4   [ work ]
 *                        v                                v
 *     rank 1   [ work ]  [add]         rank 3   [ work ]  [add]         (no partner)
 *
 * Each rank has a half, and turns it into a result with work(half), which takes its time. Even ranks send their result to the
 * odd rank above them, if there is one. Odd ranks add what they receive to their own result.
 *
 * An odd rank must not stand and wait while it has work to do, and the transfer must be under way while it works: start
 * it, compute, wait, use.
 *
 * Grade it:  make exercise-03.4        Run it:  make try-03.4 N=4        A hint:  make hint-03.4
 */
#include "dist.h"

/* `other` is room for what an odd rank receives. The result is in `half` in the end. */
void work_together(tensor *half, tensor *other, void (*work)(tensor *half), int rank, int world_size)
{
    /* TODO: even ranks work and send; odd ranks start, compute, wait, use. */
    if (rank % 2 == 0) {
        work(half);
        if (rank + 1 < world_size)
            dist_send(half, rank + 1);
    } else {
        dist_work *arriving = dist_irecv(other, rank - 1);
        work(half);
        tensor_add(half, other);
        dist_wait(arriving);
    }
    /* end of TODO */
}

static void square(tensor *half)
{
    dist_span("work") {
        tensor_mul(half, half);
    }
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *half = tensor_arange(DIST_F32, 10 * rank + 1, 10 * rank + 3);
    tensor *other = tensor_zeros(DIST_F32, 2);
    work_together(half, other, square, rank, world_size);
    tensor_print(half, "rank %d holds", rank);
    tensor_free(other);
    tensor_free(half);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
