#include "dist.h"
static void turn(int step, tensor *l, tensor *r, tensor *mine, int rank, int n)
{
    if (step == 4)
        return;
    bool even = rank % 2 == 0, with_right = (step < 2) == even;
    int peer = with_right ? rank + 1 : rank - 1;
    if (peer >= 0 && peer < n) {
        if ((step % 2 == 0) == even)
            dist_send(mine, peer);
        else
            dist_recv(with_right ? r : l, peer);
    }
    turn(step + 1, l, r, mine, rank, n);
}
void swap_with_neighbours(tensor *from_left, tensor *from_right, tensor *mine, int rank, int world_size)
{
    turn(0, from_left, from_right, mine, rank, world_size);
}
