/* feedback: first wrong element of weights */
/*
 * 2_hide_the_sums.c: exercise 07.2. Gradients are summed while the backward pass still computes: the trace must show it.
 *
 *     computing        [ backward 3 ][ backward 2 ][ backward 1 ][ backward 0 ]. .[ update 3, 2, 1, 0 ]
 *     communication                  [ sum 3 ]     [ sum 2 ]     [ sum 1 ]     [ sum 0 ]
 *
 * backward(i) enqueues the computing of gradient[i]; it needs backward(i + 1), so the last layer comes first. update(i) enqueues what is
 * done with the sum over all ranks of gradient[i]. There are at most MOST layers.
 *
 * As soon as a gradient is there its sum must start. On a GPU dist_wait lets the stream wait, not the host, and what is enqueued after it
 * comes after the sum: so no wait may stand before the last backward. All updates come in the end.
 *
 * Grade it:  make exercise-07.2        Run it:  make try-07.2 N=2        A hint:  make hint-07.2
 */
#include "dist.h"

enum { MOST = 8 };

void backward_and_sum(tensor **gradient, int layers, void (*backward)(int layer), void (*update)(int layer))
{
    /* TODO: backward from the last layer to the first, each gradient's sum under way meanwhile; then wait, and update. */
    dist_work *works[MOST];
    for (int i = layers - 1; i >= 0; i--) {
        backward(i);
        tensor *first = tensor_slice(gradient[i], 0, 1);
        works[i] = dist_all_reduce(first, .async_op = true);
        tensor_free(first);
    }
    for (int i = layers - 1; i >= 0; i--) {
        dist_wait(works[i]);
        update(i);
    }
    /* end of TODO */
}

static _Thread_local tensor *gradients[MOST], *weights[MOST]; /* of this rank */

static void fill(int layer)
{
    dist_span("backward %d", layer) {
        tensor_fill(gradients[layer], 100 * dist_get_rank() + layer);
    }
}

static void add(int layer)
{
    dist_span("update %d", layer) {
        tensor_add(weights[layer], gradients[layer]);
    }
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    (void)world_size;
    dist_set_device(DIST_GPU);
    for (int i = 0; i < 4; i++) {
        gradients[i] = tensor_zeros(DIST_F32, 2);
        weights[i] = tensor_zeros(DIST_F32, 2);
    }
    backward_and_sum(gradients, 4, fill, add);
    for (int i = 0; i < 4; i++) {
        tensor_print(weights[i], "rank %d, layer %d", rank, i);
        tensor_free(gradients[i]);
        tensor_free(weights[i]);
    }
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 2);
}
