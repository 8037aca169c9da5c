/* A recursion over branches; whoever gets it does not ask from whom. */
#include "dist.h"

static _Thread_local tensor *late; /* what is passed on */

static void branch(int place, int size, int me, int root, int n)
{
    if (size == 1 || place >= n)
        return;
    int half = size / 2, there = place + half;
    if (there < n && me == place)
        dist_send(late, (there + root) % n);
    if (there < n && me == there)
        dist_recv(late, DIST_ANY_SOURCE);
    branch(me < there ? place : there, half, me, root, n);
}

void tree_broadcast(tensor *x, int root, int rank, int n)
{
    int size = 1;
    while (size < n)
        size *= 2;
    late = x;
    branch(0, size, (rank - root + n) % n, root, n);
    late = NULL;
}

static void run(int rank, int world_size)
{
    int root = 3 % world_size;
    dist_init_process_group();
    tensor *x = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 4);
    tree_broadcast(x, root, rank, world_size);
    tensor_print(x, "rank %d has", rank);
    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 5);
}
