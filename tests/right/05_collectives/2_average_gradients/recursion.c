/* The last one first, then all before it; each waits on the way back. */
#include "dist.h"

static void average(tensor **gradients, int layers)
{
    if (layers == 0)
        return;
    dist_work *work = dist_all_reduce(gradients[layers - 1], .op = DIST_AVG, .async_op = true);
    average(gradients, layers - 1);
    dist_wait(work);
}

void average_gradients(tensor **gradients, int layers)
{
    dist_span("desk: average")
        average(gradients, layers);
}
