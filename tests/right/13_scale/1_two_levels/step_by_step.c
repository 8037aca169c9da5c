/* Adds up step by step, and takes the slower of two messages. */
#include "dist.h"

struct level {
    double alpha, beta; /* seconds a message, and seconds a byte */
};

static double message(struct level level, double bytes)
{
    return level.alpha + bytes * level.beta;
}

double one_ring(struct level near, struct level far, int nodes, int per_node, double bytes)
{
    double seconds = 0;
    int p = nodes * per_node;
    for (int half = 0; half < 2; half++)
        for (int step = 1; step < p; step++) {
            double inside = per_node > 1 ? message(near, bytes / p) : 0;
            double across = nodes > 1 ? message(far, bytes / p) : 0;
            seconds += inside > across ? inside : across;
        }
    return seconds;
}

double two_levels(struct level near, struct level far, int nodes, int per_node, double bytes)
{
    double seconds = 0, share = bytes / per_node;
    int step;
    for (step = 1; step < per_node; step++)
        seconds += message(near, share);
    for (step = 0; step < 2 * (nodes - 1); step++)
        seconds += message(far, share / nodes);
    for (step = per_node; step > 1; step--)
        seconds += message(near, share);
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
