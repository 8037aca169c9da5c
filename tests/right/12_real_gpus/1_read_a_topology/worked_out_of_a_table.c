/* A table of what joins two GPUs, from which the program works out the rest. */
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

struct step {
    double rate;
    bool across; /* both processors */
};

static struct step between(int a, int b)
{
    static const struct step nvlink = { 100, false }, pcie = { 50, false }, processors = { 20, true };
    return a + b == 3 ? nvlink : a / 2 == b / 2 ? pcie : processors;
}

static int crossing(const int *ring, int side)
{
    int count = 0;
    for (int i = 0; i < 4; i++)
        count += between(ring[i], ring[(i + 1) % 4]).across && ring[(i + 1) % 4] / 2 == side;
    return count;
}

static double slowest(const int *ring)
{
    double least = 1000;
    for (int i = 0; i < 4; i++) {
        int to = ring[(i + 1) % 4];
        struct step step = between(ring[i], to);
        double rate = step.across ? step.rate / crossing(ring, to / 2) : step.rate;
        least = rate < least ? rate : least;
    }
    return least;
}

static double milliseconds(const int *ring)
{
    return 1e9 * 6 / 4 / (slowest(ring) * 1e9) * 1000;
}

double answer(int question)
{
    const int good[] = { 0, 1, 2, 3 }, bad[] = { 0, 2, 1, 3 };
    const double answers[] = { [WAY] = between(0, 1).across ? 4 : 2,
                               [CARD] = 2 / 2,
                               [SHARED] = crossing(good, 0) + crossing(good, 1),
                               [SLOWEST] = slowest(good),
                               [BAD] = slowest(bad),
                               [TIME] = milliseconds(good),
                               [TIME_BAD] = milliseconds(bad) };
    return answers[question];
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
