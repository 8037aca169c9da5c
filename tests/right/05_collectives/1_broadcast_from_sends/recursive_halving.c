/* The ranks are halved, and halved again: whoever has it gives it to the first of the other half. */
#include "dist.h"

/* Places begin to end - 1, of which the first has it; place 0 is src. */
static void deal(tensor *x, int place, int begin, int end, int src, int n)
{
    if (end - begin < 2)
        return;
    int middle = (begin + end) / 2;
    if (place == begin)
        dist_send(x, (middle + src) % n);
    if (place == middle)
        dist_recv(x, (begin + src) % n);
    if (place < middle)
        deal(x, place, begin, middle, src, n);
    else
        deal(x, place, middle, end, src, n);
}

void broadcast(tensor *x, int src, int rank, int world_size)
{
    deal(x, (rank - src + world_size) % world_size, 0, world_size, src, world_size);
}
