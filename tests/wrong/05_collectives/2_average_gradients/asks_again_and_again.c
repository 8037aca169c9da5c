/* feedback: It had not ended after */
/* seconds: 3 */
/* A wait by dist_is_completed is a wait. */
#include "dist.h"

void average_gradients(tensor **gradients, int layers)
{
    dist_work *averaging[8];
    for (int i = layers - 1; i >= 0; i--) {
        averaging[i] = dist_all_reduce(gradients[i], .op = DIST_AVG, .async_op = true);
        while (!dist_is_completed(averaging[i]))
            ;
    }
    dist_wait_all(averaging, layers);
}
