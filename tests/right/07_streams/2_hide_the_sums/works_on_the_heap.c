/* Room for the works from the heap, spans of its own, and a look at what has come before it waits. */
#include "dist.h"

#include <stdlib.h>

enum { MOST = 8 };

void backward_and_sum(tensor **gradient, int layers, void (*backward)(int layer), void (*update)(int layer))
{
    dist_work **given = calloc((size_t)layers + 1, sizeof *given);
    if (!given)
        return;
    for (int i = layers - 1; i >= 0; i--) {
        dist_span("desk: layer %d", i) {
            backward(i);
        }
        given[i] = dist_all_reduce(gradient[i], .async_op = true);
        if (i + 1 < layers)
            (void)dist_is_completed(given[i + 1]);
    }
    int i = layers;
    while (--i >= 0) {
        dist_wait(given[i]);
        dist_span("update %d", i) {
            update(i);
        }
    }
    free(given);
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
