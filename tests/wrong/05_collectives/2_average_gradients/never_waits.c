/* feedback: It touched a tensor that a message or a stream still needed */
/*
 * 2_average_gradients.c: exercise 05.2. The mean of everybody's gradients, for all layers, without waiting in between.
 *
 *                  layer 2        layer 1        layer 0
 *     every rank    start          start          start          wait, wait, wait
 *
 *     rank             0              1              2              3
 *     before        [1, 2]       [101, 102]     [201, 202]     [301, 302]          layer 0
 *     after       [151, 152]     [151, 152]     [151, 152]     [151, 152]
 *
 * Every rank has one gradient for each layer, and the layers differ in size. Backward computes the last layer's gradient
 * first, so start with that one. Start all of them before you wait for any: in a real program backward goes on meanwhile.
 * The only collective that you need is dist_all_reduce; the others are not allowed.
 *
 * Grade it:  make exercise-05.2        Run it:  make try-05.2 N=4        A hint:  make hint-05.2
 */
#include "dist.h"

enum { MOST = 8 }; /* layers */

/* gradients[0] is that of layer 0; there are `layers` of them. Each becomes the mean over all ranks. */
void average_gradients(tensor **gradients, int layers)
{
    dist_work *averaging[MOST];

    /* TODO: start averaging every gradient, from the last layer's to the first's (.op, .async_op). */
    for (int i = layers - 1; i >= 0; i--)
        averaging[i] = dist_all_reduce(gradients[i], .op = DIST_AVG, .async_op = true);
    /* end of TODO */

    /* TODO: wait for all of them. */
    (void)averaging;
    /* end of TODO */
}

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    tensor *gradients[3];
    for (int i = 0; i < 3; i++)
        gradients[i] = tensor_arange(DIST_F32, 100 * rank + 10 * i + 1, 100 * rank + 11 * i + 3);
    average_gradients(gradients, 3);
    for (int i = 0; i < 3; i++) {
        tensor_print(gradients[i], "rank %d, layer %d:", rank, i);
        tensor_free(gradients[i]);
    }
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
