/* C's library finds the lowest bit. */
#define _GNU_SOURCE
#include "dist.h"
#include <strings.h>
void tree_broadcast(tensor *x, int root, int rank, int n)
{
    int place = (rank - root + n) % n;
    int low = ffs(place) - 1;
    int far = place ? 1 << low : 1;
    while (!place && far < n)
        far *= 2;
    if (place)
        dist_recv(x, (place - far + root) % n);
    for (far /= 2; far > 0; far /= 2)
        if (place + far < n)
            dist_send(x, (place + far + root) % n);
}
