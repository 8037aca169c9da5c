/* One function for each answer, with prints. */
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

static double way(void)
{
    return 2;
}

static double card(void)
{
    return 1;
}

static double shared(void)
{
    return 0;
}

static double slowest(void)
{
    return 50;
}

static double bad(void)
{
    return slowest() / 5;
}

static double time_at(double rate)
{
    fprintf(stderr, "1.5 GB at %g GB/s\n", rate);
    return 1500 / rate;
}

static double time_good(void)
{
    return time_at(slowest());
}

static double time_bad(void)
{
    return time_at(bad());
}

double answer(int question)
{
    static double (*const answers[QUESTIONS])(
        void) = { way, card, shared, slowest, bad, time_good, time_bad };
    return answers[question]();
}
