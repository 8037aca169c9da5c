/* feedback: that is behind its end */
#include "dist.h"

#include <stdlib.h>

void average_gradients(tensor **gradients, int layers)
{
    dist_work **averaging = malloc((size_t)(layers > 1 ? layers - 1 : 1) * sizeof *averaging);
    for (int i = layers - 1; i >= 0; i--)
        averaging[i] = dist_all_reduce(gradients[i], .op = DIST_AVG, .async_op = true);
    for (int i = layers - 1; i >= 0; i--)
        dist_wait(averaging[i]);
    free(averaging);
}
