/* Odd ranks send first, and everybody begins on the left. */
#include "dist.h"

static void give_and_take(tensor *out, tensor *in, int peer, bool send_first)
{
    if (send_first)
        dist_send(out, peer);
    dist_recv(in, peer);
    if (!send_first)
        dist_send(out, peer);
}

void swap_with_neighbours(tensor *from_left, tensor *from_right, tensor *mine, int rank, int world_size)
{
    bool odd = rank % 2 == 1;
    for (int turn = 0; turn < 2; turn++) {
        bool to_left = odd == (turn == 0);
        if (to_left && rank > 0)
            give_and_take(mine, from_left, rank - 1, odd);
        if (!to_left && rank < world_size - 1)
            give_and_take(mine, from_right, rank + 1, odd);
    }
}
