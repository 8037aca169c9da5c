/*
 * all_reduce.c: combined, and the result on every rank. That is how gradients become the same everywhere.
 *
 *     rank            0           1           2           3
 *     before       [1, 2]    [101, 102]  [201, 202]  [301, 302]
 *     after      [604, 608]  [604, 608]  [604, 608]  [604, 608]      the sum
 *           or   [151, 152]  [151, 152]  [151, 152]  [151, 152]      .op = DIST_AVG, the mean
 *
 * Run it:  make run-05 PROG=all_reduce N=4
 */
#include "dist.h"

static void run(int rank, int world_size)
{
    dist_init_process_group();

    tensor *loss = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 3);
    dist_all_reduce(loss);
    tensor_print(loss, "rank %d has the sum of %d", rank, world_size);

    /* Backward goes from the last layer to the first: one gradient is averaged while the one before it is computed. */
    tensor *last_layer = tensor_arange(DIST_F32, 100 * rank + 11, 100 * rank + 13);
    tensor *first_layer = tensor_clone(last_layer);
    dist_work *averaging = dist_all_reduce(last_layer, .op = DIST_AVG, .async_op = true);
    tensor_mul_scalar(first_layer, 2);
    dist_wait(averaging);
    dist_all_reduce(first_layer, .op = DIST_AVG);
    tensor_print(last_layer, "rank %d has the mean gradient of the last layer", rank);
    tensor_print(first_layer, "rank %d has the mean gradient of the first", rank);

    tensor_free(first_layer);
    tensor_free(last_layer);
    tensor_free(loss);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
