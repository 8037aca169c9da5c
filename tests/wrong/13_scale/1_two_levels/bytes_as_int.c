/* feedback: wrong element of one ring */
/*
 * 1_two_levels.c: exercise 13.1. Before you run it: how long does an all-reduce take on nodes with fast links inside and slow ones
 * between?
 *
 *     node 0  [0 = 1 = 2 = 3]        near: alpha, beta
 *              |   |   |   |
 *     node 1  [4 = 5 = 6 = 7]        far: alpha, beta; each rank has a card of its own
 *
 *     one ring      all ranks in one ring, node by node: 2 (p - 1) steps with a p-th of the tensor, and each step waits for its slowest
 *                   message: where there are several nodes, that is one over a far link
 *     two levels    a ring's first half in each node; then in each place of the nodes a ring over the nodes, for that place's share;
 *                   then a ring's second half in each node
 *
 * A message of b bytes takes alpha + b x beta seconds; adding costs nothing. There may be one node, or one rank in each.
 *
 * Grade it:  make exercise-13.1        Run it:  make try-13.1 N=1        A hint:  make hint-13.1
 */
#include "dist.h"

struct level {
    double alpha, beta; /* seconds a message, and seconds a byte */
};

/* Seconds of an all-reduce of `bytes` in one ring over all ranks. */
double one_ring(struct level near, struct level far, int nodes, int per_node, double bytes)
{
    double seconds = 0;
    /* TODO: how many steps, how many bytes in each, and over which kind of link? */
    struct level slowest = nodes > 1 ? far : near;
    int ranks = nodes * per_node;
    bytes = (int)bytes;
    seconds = 2 * (ranks - 1) * (slowest.alpha + bytes / ranks * slowest.beta);
    /* end of TODO */
    return seconds;
}

/* Seconds of the same in two levels. */
double two_levels(struct level near, struct level far, int nodes, int per_node, double bytes)
{
    double seconds = 0;
    /* TODO: the two halves in the nodes, and the ring between them. */
    double share = bytes / per_node;
    double inside = 2 * (per_node - 1) * (near.alpha + share * near.beta);
    double between = 2 * (nodes - 1) * (far.alpha + share / nodes * far.beta);
    seconds = inside + between;
    /* end of TODO */
    return seconds;
}

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    struct level near = { 3e-6, 1 / 370e9 }, far = { 10e-6, 1 / 47e9 };
    for (double bytes = 1 << 10; rank == 0 && bytes <= 1 << 30; bytes *= 32)
        printf("%10.0f bytes on 4 nodes of 8: one ring %10.1f us, two levels %10.1f us\n", bytes,
               1e6 * one_ring(near, far, 4, 8, bytes), 1e6 * two_levels(near, far, 4, 8, bytes));
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 1);
}
