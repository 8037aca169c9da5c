/*
 * broadcast.c: everyone ends with one rank's tensor. That is how all ranks get the same start weights.
 *
 *     rank       0           1           2           3
 *     before  [1, 2]    [101, 102]  [201, 202]  [301, 302]  <- src
 *     after  [301, 302] [301, 302]  [301, 302]  [301, 302]
 *
 * Run it:  make run-05 PROG=broadcast N=4
 */
#include "dist.h"

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int src = world_size - 1;

    tensor *weights = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 3);
    tensor_print(weights, "rank %d makes weights", rank);
    dist_broadcast(weights, src);
    tensor_print(weights, "rank %d has weights", rank);

    /* Started, and waited for later: in between is work that does not need the biases. */
    tensor *biases = tensor_arange(DIST_F32, 100 * rank + 11, 100 * rank + 13);
    dist_work *arriving = dist_broadcast(biases, src, .async_op = true);
    tensor_mul_scalar(weights, 2);
    dist_wait(arriving);
    tensor_add(weights, biases);
    tensor_print(weights, "rank %d has 2 x weights + biases", rank);

    tensor_free(biases);
    tensor_free(weights);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
