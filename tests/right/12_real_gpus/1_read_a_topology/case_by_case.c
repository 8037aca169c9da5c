/* A switch, with a sum in each case. */
#include "dist.h"

/*
 * WAY        how GPU 0 reaches GPU 1 best: 1 by NVLink, 2 through the switch, 3 through the processor, 4 across both processors
 * CARD       the card that GPU 2 should use for another machine
 * SHARED     the ring 0 > 1 > 2 > 3 > 0: how many of its four steps go through both processors?
 * SLOWEST    that ring: the GB/s of its slowest step
 * BAD        the ring 0 > 2 > 1 > 3 > 0: the GB/s of its slowest step
 * TIME       all-reduce of 1 GB (1e9 bytes) by the ring 0 > 1 > 2 > 3 > 0, in ms: 2 (p - 1) / p of the bytes pass the slowest step
 * TIME_BAD   the same by the ring 0 > 2 > 1 > 3 > 0
 */
enum question { WAY, CARD, SHARED, SLOWEST, BAD, TIME, TIME_BAD, QUESTIONS };

double answer(int question)
{
    const double passes = 2.0 * (4 - 1) / 4 * 1e9;
    switch ((enum question)question) {
    case WAY:
        return 2;
    case CARD:
        return 1;
    case SHARED:
        return 0;
    case SLOWEST:
        return 50;
    case BAD:
        return 20 / 2;
    case TIME:
        return passes / 50e9 * 1e3;
    case TIME_BAD:
        return passes / 10e9 * 1e3;
    default:
        return -1;
    }
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    for (int i = 0; i < QUESTIONS && rank < world_size; i++)
        printf("answer %d: %g\n", i + 1, answer(i));
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 1);
}
