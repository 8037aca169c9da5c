/* Counts messages and bytes of each level first, then what they cost. */
#include "dist.h"

#include <math.h>

struct level {
    double alpha, beta; /* seconds a message, and seconds a byte */
};

struct account {
    double messages, bytes;
};

static double cost(struct account a, struct level l)
{
    return fma(a.bytes, l.beta, a.messages * l.alpha);
}

static struct account ring_account(long ranks, double bytes)
{
    return (struct account){ .messages = (double)(ranks - 1) * 2,
                             .bytes = (double)(ranks - 1) / ranks * 2 * bytes };
}

double one_ring(struct level near, struct level far, int nodes, int per_node, double bytes)
{
    struct account all = ring_account((long)nodes * per_node, bytes);
    if (nodes == 1)
        return cost(all, near);
    return cost(all, far);
}

double two_levels(struct level near, struct level far, int nodes, int per_node, double bytes)
{
    struct account inside = ring_account(per_node, bytes), across = ring_account(nodes, bytes / per_node);
    return cost(inside, near) + cost(across, far);
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
