/* One arm of the chain goes up from src, the other one down. */
#include "dist.h"

static void pass(tensor *x, int from, int to, int rank)
{
    dist_span("pass %d to %d", from, to) {
        if (rank == from)
            dist_send(x, to, .tag = 1);
        if (rank == to)
            dist_recv(x, from, .tag = 1);
    }
}

void broadcast(tensor *x, int src, int rank, int world_size)
{
    for (int to = src + 1; to < world_size; to++)
        pass(x, to - 1, to, rank);
    for (int to = src - 1; to >= 0; to--)
        pass(x, to + 1, to, rank);
    tensor_print(x, "rank %d has", rank);
}
