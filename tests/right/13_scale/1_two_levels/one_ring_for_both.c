/* One function for a ring of any kind; two levels are two of them. */
#include "dist.h"

struct level {
    double alpha, beta; /* seconds a message, and seconds a byte */
};

static double ring(const struct level *link, int ranks, double bytes)
{
    return ranks < 2 ? 0 : 2 * (ranks - 1) * link->alpha + 2 * (ranks - 1) * (bytes / ranks) * link->beta;
}

double one_ring(struct level near, struct level far, int nodes, int per_node, double bytes)
{
    return ring(nodes > 1 ? &far : &near, nodes * per_node, bytes);
}

double two_levels(struct level near, struct level far, int nodes, int per_node, double bytes)
{
    return ring(&near, per_node, bytes) + ring(&far, nodes, bytes / per_node);
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
