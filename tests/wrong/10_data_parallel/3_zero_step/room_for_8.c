/* feedback: wrong element of weights */
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
    tensor *mean = tensor_zeros(DIST_F32, block);
    dist_reduce_scatter(mean, gradients, .op = DIST_AVG);
    for (int64_t i = 8; i < block; i++)
        tensor_set(mean, i, 0);
    /* end of TODO */

    /* TODO: the step: velocity, then weights, of this block. */
    tensor_mul_scalar(velocity, 0.5);
    tensor_add(velocity, mean);
    tensor_copy(mean, velocity);
    tensor_mul_scalar(mean, 0.25);
    tensor_sub(mine, mean);
    tensor_free(mean);
    /* end of TODO */

    /* TODO: the new weights of all blocks, on every rank. */
    dist_all_gather(weights, mine);
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
