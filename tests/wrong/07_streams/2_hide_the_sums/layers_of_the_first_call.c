/* feedback: first wrong element of weights */
#include "dist.h"

void backward_and_sum(tensor **gradient, int layers, void (*backward)(int layer), void (*update)(int layer))
{
    static dist_work *works[8];
    static int count;
    if (!count)
        count = layers;
    for (int i = count - 1; i >= 0; i--) {
        backward(i);
        works[i] = dist_all_reduce(gradient[i], .async_op = true);
    }
    for (int i = count - 1; i >= 0; i--) {
        dist_wait(works[i]);
        update(i);
    }
}
