/* feedback: an element of an array that the array does not have */
#include "dist.h"

void backward_and_sum(tensor **gradient, int layers, void (*backward)(int layer), void (*update)(int layer))
{
    dist_work *works[7];
    for (int i = layers - 1; i >= 0; i--) {
        backward(i);
        works[i] = dist_all_reduce(gradient[i], .async_op = true);
    }
    for (int i = layers - 1; i >= 0; i--) {
        dist_wait(works[i]);
        update(i);
    }
}
