/* feedback: first wrong element of weights */
#include "dist.h"

enum { MOST = 8 };

void backward_and_sum(tensor **gradient, int layers, void (*backward)(int layer), void (*update)(int layer))
{
    dist_work *works[MOST];
    for (int i = layers - 1; i >= 0; i--) {
        backward(i);
        works[i] = layers > 1 ? dist_all_reduce(gradient[i], .async_op = true) : NULL;
    }
    for (int i = layers - 1; i >= 0; i--) {
        if (works[i])
            dist_wait(works[i]);
        update(i);
    }
}
