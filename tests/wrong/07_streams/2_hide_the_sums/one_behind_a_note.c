/* feedback: where that of layer */
#include "dist.h"

void backward_and_sum(tensor **gradient, int layers, void (*backward)(int layer), void (*update)(int layer))
{
    dist_work *works[9];
    tensor *note = tensor_zeros(DIST_F32, 1);
    for (int i = layers - 1; i >= 0; i--) {
        backward(i);
        if (i == layers - 1)
            works[layers] = dist_all_reduce(note, .async_op = true);
        else
            works[i + 1] = dist_all_reduce(gradient[i + 1], .async_op = true);
    }
    works[0] = dist_all_reduce(gradient[0], .async_op = true);
    for (int i = layers; i >= 0; i--) {
        dist_wait(works[i]);
        if (i < layers)
            update(i);
    }
    tensor_free(note);
}
