/* A recursion over steps. */
#include "dist.h"

struct level {
    double alpha, beta; /* seconds a message, and seconds a byte */
};

static double steps(int left, double each)
{
    return left > 0 ? each + steps(left - 1, each) : 0;
}

double one_ring(struct level near, struct level far, int nodes, int per_node, double bytes)
{
    double p = (double)nodes * per_node;
    const struct level *slowest = (const struct level *[]){ &near, &far }[nodes > 1];
    return steps(2 * (nodes * per_node - 1), slowest->alpha + bytes / p * slowest->beta);
}

double two_levels(struct level near, struct level far, int nodes, int per_node, double bytes)
{
    double inside = steps(per_node - 1, near.alpha + near.beta * (bytes / per_node));
    return inside + steps(2 * (nodes - 1), far.alpha + far.beta * (bytes / per_node / nodes)) + inside;
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
