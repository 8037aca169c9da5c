/*
 * ring_order.c: one ring, two orders. Half of the ranks are on one node, the others on another. How many messages leave their node?
 *
 *     in order   [0 > 1 > 2] > [3 > 4 > 5] > back      two of them, however many ranks there are
 *     dealt      0 > 3 > 1 > 4 > 2 > 5 > back          all
 *
 * Run it:  make run-13 PROG=ring_order N=6
 */
#include "dist.h"

static int node_of(int rank, int n)
{
    return rank < (n + 1) / 2 ? 0 : 1;
}

/* The rank in place i of the ring. */
static int in_order(int i, int n)
{
    return i % n;
}

static int dealt(int i, int n)
{
    i %= n;
    return i % 2 == 0 ? i / 2 : (n + 1) / 2 + i / 2;
}

/* Everybody passes a block on; returns how many blocks went to the other node. */
static int pass_on(int (*order)(int, int), int rank, int n)
{
    int place = 0;
    while (order(place, n) != rank)
        place++;
    int next = order(place + 1, n), previous = order(place + n - 1, n);
    tensor *block = tensor_full(DIST_F32, 100 * rank, 1), *comes = tensor_zeros(DIST_F32, 1);
    dist_work *works[] = { dist_irecv(comes, previous), dist_isend(block, next) };
    dist_wait_all(works, 2);
    tensor *left = tensor_full(DIST_I32, node_of(rank, n) != node_of(next, n), 1);
    dist_all_reduce(left);
    int count = (int)tensor_item(left, 0);
    tensor_free(left);
    tensor_free(comes);
    tensor_free(block);
    return count;
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int well = pass_on(in_order, rank, world_size);
    dist_barrier();
    int badly = pass_on(dealt, rank, world_size);
    if (rank == 0)
        printf("a ring of %d on %s: in order %d messages leave their node, dealt out %d\n", world_size,
               world_size > 1 ? "2 nodes" : "1 node", well, badly);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
