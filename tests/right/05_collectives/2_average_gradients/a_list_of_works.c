/* The works are a list on the heap, waited for in any order that they come. */
#include "dist.h"

#include <stdlib.h>

void average_gradients(tensor **gradients, int layers)
{
    dist_work **works = calloc((size_t)layers, sizeof *works);
    for (int i = 0; i < layers; i++)
        works[i] = dist_all_reduce(gradients[layers - 1 - i], DIST_AVG, .async_op = true);
    for (int i; (i = dist_wait_any(works, layers)) >= 0;)
        continue;
    free(works);
}
