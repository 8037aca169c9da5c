/* Down a tree with two children each. */
/*
 * 1_broadcast_from_sends.c: exercise 05.1. One rank has it, then all have it; with dist_send and dist_recv only.
 *
 *     rank         0             1             2             3
 *     before    [1, 2]      [101, 102]    [201, 202]    [301, 302]           src is 2
 *     after   [201, 202]    [201, 202]    [201, 202]    [201, 202]
 *
 * Any rank may be src. Nobody gets the tensor twice: each rank but src receives one message, so there are
 * world_size - 1 of them. On which ways they go is up to you. Collectives are not allowed.
 *
 * Grade it:  make exercise-05.1        Run it:  make try-05.1 N=4        A hint:  make hint-05.1
 */
#include "dist.h"

void broadcast(tensor *x, int src, int rank, int world_size)
{
    /* TODO: src sends x to all others, and all others receive it. What must src leave out? */
    int place = (rank - src + world_size) % world_size;
    if (place > 0)
        dist_recv(x, ((place - 1) / 2 + src) % world_size);
    for (int child = 2 * place + 1; child <= 2 * place + 2; child++)
        if (child < world_size)
            dist_send(x, (child + src) % world_size);
    /* end of TODO */
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *x = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 3);
    broadcast(x, world_size / 2, rank, world_size);
    tensor_print(x, "rank %d holds", rank);
    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
