#include "dist.h"
static void down(tensor *x, int root, int rank, int n, int from, int to)
{
    int place = (rank - root + n) % n, span = 1;
    if (to - from < 2)
        return;
    while (2 * span < to - from)
        span *= 2;
    if (place == from)
        dist_send(x, (from + span + root) % n, .tag = span);
    if (place == from + span)
        dist_recv(x, DIST_ANY_SOURCE, .tag = span);
    if (place < from + span)
        down(x, root, rank, n, from, from + span);
    else
        down(x, root, rank, n, from + span, to);
}
void tree_broadcast(tensor *x, int root, int rank, int n)
{
    down(x, root, rank, n, 0, n);
}
