/* Grades 12.1: what has been read out of a drawing of a machine. Feedback says where to look, and never what is right. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "Read a topology",
    .forbidden = COLLECTIVES MESSAGES,
    .drawing = "flow",
};

/* The machine once more, as the comment draws it. */
enum { GPUS = 4 };
static const double nvlink = 100, pcie = 50, between = 20;

static bool joined(int a, int b)
{
    return a + b == 3;
}

/* What a step from a to b can do, where so many steps of the ring cross in its direction. */
static double step(int a, int b, int crossing)
{
    return joined(a, b) ? nvlink : a / 2 == b / 2 ? pcie : between / crossing;
}

static bool crosses(int a, int b)
{
    return !joined(a, b) && a / 2 != b / 2;
}

/* Of steps that go to this side, to the processor of b. */
static int crossing_to(const int *ring, int side)
{
    int count = 0;
    for (int i = 0; i < GPUS; i++)
        count += crosses(ring[i], ring[(i + 1) % GPUS]) && ring[(i + 1) % GPUS] / 2 == side;
    return count;
}

static double slowest(const int *ring)
{
    double least = nvlink;
    for (int i = 0; i < GPUS; i++) {
        int b = ring[(i + 1) % GPUS];
        double rate = step(ring[i], b, crossing_to(ring, b / 2) > 0 ? crossing_to(ring, b / 2) : 1);
        least = rate < least ? rate : least;
    }
    return least;
}

static double time_of(const int *ring)
{
    return 2.0 * (GPUS - 1) / GPUS * 1000 / slowest(ring); /* 1 GB, in ms */
}

static const int good[GPUS] = { 0, 1, 2, 3 }, bad[GPUS] = { 0, 2, 1, 3 };

static void ask(struct sitting *s, const char *name, double right, const char *look)
{
    double said = handed(s, 0, name, 0);
    claim(s, said > right - 0.01 && said < right + 0.01, "%s is %g: %s", name, said, look);
}

GRADED(the_ways, 3)
{
    EACH_SITTING(s, 1, 1) {
        if (!sit(s))
            continue;
        ask(s, "WAY", 2, "is there NVLink between these two? If not, what is the next thing above both?");
        ask(s, "CARD", 1, "the card that hangs on the same switch");
    }
}

GRADED(the_rings, 4)
{
    EACH_SITTING(s, 1, 1) {
        if (!sit(s))
            continue;
        ask(s, "SHARED", crossing_to(good, 0) + crossing_to(good, 1),
            "look for NVLink first: what it joins need not go through the processors");
        ask(s, "SLOWEST", slowest(good), "a ring is as fast as its slowest step");
        ask(s, "BAD", slowest(bad),
            "which steps cross between the processors, and do they go in the same direction?");
    }
}

GRADED(the_times, 3)
{
    EACH_SITTING(s, 1, 1) {
        if (!sit(s))
            continue;
        ask(s, "TIME", time_of(good),
            "how many bytes pass each step of a ring of 4, if the tensor has 1e9 (chapter 08)? How many ms "
            "is that?");
        ask(s, "TIME_BAD", time_of(bad), "the same bytes, past another slowest step");
    }
}
