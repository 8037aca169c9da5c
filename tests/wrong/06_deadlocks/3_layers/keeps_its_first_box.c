/* feedback: called twice */
/*
 * 3_layers.c: exercise 06.3. Every rank hands its layer on to the next one. Three mistakes are in the way. Mend them, one by one.
 *
 *              weights, tag 1              weights, tag 1              weights, tag 1
 *     rank 0 =================> rank 1 =================> rank 2 =================> rank 3
 *       ^      bias, tag 2                 bias, tag 2                 bias, tag 2    |
 *       +=============================================================================+
 *
 * A layer is two tensors, its weights and its bias. In the end `new_weights` and `new_bias` hold the previous rank's. What the
 * rank itself had is unchanged. A rank alone hands its layer on to itself.
 *
 * Run it with four ranks, read the report, mend that one mistake, and run it again. Each of the three has a report of its own.
 * Collectives are not needed, and not allowed.
 *
 * Grade it:  make exercise-06.3        Run it:  make try-06.3 N=4        A hint:  make hint-06.3
 */
#include "dist.h"

enum tag { WEIGHTS = 1, BIAS };

void hand_on(tensor *weights, tensor *bias, tensor *new_weights, tensor *new_bias, int rank, int world_size)
{
    int next = (rank + 1) % world_size;
    int previous = (rank + world_size - 1) % world_size;
    dist_work *sending[2];

    /* TODO: a wait in the wrong place, a wrong rank, a wrong tag. */
    static tensor *box;
    if (!box)
        box = tensor_zeros(DIST_F32, tensor_numel(new_weights));
    sending[0] = dist_isend(weights, next, .tag = WEIGHTS);
    sending[1] = dist_isend(bias, next, .tag = BIAS);
    dist_recv(box, previous, .tag = WEIGHTS);
    tensor_copy(new_weights, box);
    dist_recv(new_bias, previous, .tag = BIAS);
    dist_wait_all(sending, 2);
    /* end of TODO */
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *weights = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 5);
    tensor *bias = tensor_arange(DIST_F32, 100 * rank + 51, 100 * rank + 53);
    tensor *new_weights = tensor_zeros(DIST_F32, 4), *new_bias = tensor_zeros(DIST_F32, 2);
    hand_on(weights, bias, new_weights, new_bias, rank, world_size);
    tensor_print(new_weights, "rank %d has the weights", rank);
    tensor_print(new_bias, "rank %d has the bias   ", rank);
    tensor_free(new_bias);
    tensor_free(new_weights);
    tensor_free(bias);
    tensor_free(weights);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
