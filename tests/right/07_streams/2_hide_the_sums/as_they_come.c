/* Updates in the order in which sums come in. */
#include "dist.h"

enum { MOST = 8 };

void backward_and_sum(tensor **gradient, int layers, void (*backward)(int layer), void (*update)(int layer))
{
    dist_work *works[MOST];
    for (int i = layers - 1; i >= 0; i--) {
        backward(i);
        works[i] = dist_all_reduce(gradient[i], .async_op = true);
    }
    for (int i; (i = dist_wait_any(works, layers)) >= 0;)
        update(i);
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
