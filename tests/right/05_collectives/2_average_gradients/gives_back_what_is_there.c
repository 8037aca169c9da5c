/* Between two starts it looks what is over already, and gives that back; it waits for none. */
#include "dist.h"

void average_gradients(tensor **gradients, int layers)
{
    dist_work *works[8] = { NULL };
    for (int i = layers - 1; i >= 0; i--) {
        works[i] = dist_all_reduce(gradients[i], .op = DIST_AVG, .async_op = true);
        for (int k = layers - 1; k >= i; k--)
            if (works[k] && dist_is_completed(works[k])) {
                dist_wait(works[k]);
                works[k] = NULL;
            }
    }
    while (dist_wait_any(works, layers) >= 0)
        ;
}
