/* Looks, after every start, at all that it has started; that is no wait. In the end it asks again and again. */
#include "dist.h"

enum { MOST = 8 };

/* How many of those from layer i on are over? */
static int look(dist_work **averaging, bool *over, int i, int layers)
{
    int count = 0;
    for (; i < layers; i++) {
        over[i] = over[i] || dist_is_completed(averaging[i]);
        count += over[i];
    }
    return count;
}

void average_gradients(tensor **gradients, int layers)
{
    dist_work *averaging[MOST];
    bool over[MOST] = { false };
    for (int i = layers - 1; i >= 0; i--) {
        averaging[i] = dist_all_reduce(gradients[i], .op = DIST_AVG, .async_op = true);
        (void)look(averaging, over, i, layers);
    }
    while (look(averaging, over, 0, layers) < layers)
        ;
    dist_wait_all(averaging, layers);
}
