/* Grades 13.3: Young's interval, the same on all ranks. */
#include "../../grader/grader.h"

#include <math.h>

const struct exercise exercise = {
    .title = "How often to write",
    .forbidden = COLLECTIVES MESSAGES,
    .needed = "dist_all_reduce",
    .drawing = "spacetime",
    .calls_often = true,
};

static double slowest(const struct sitting *s, const char *name)
{
    double most = 0;
    for (int r = 0; r < s->ranks; r++)
        most = fmax(most, given(s, r, name, 0));
    return most;
}

static double youngs(const struct sitting *s, double step, double write)
{
    double mean = given(s, 0, "mean", 0) / s->ranks;
    return fmax(1, floor(sqrt(2 * write * mean) / step + 0.5));
}

static double steps(const struct sitting *s, int rank, int64_t i)
{
    (void)rank, (void)i;
    return youngs(s, slowest(s, "step"), slowest(s, "write"));
}

static double steps_again(const struct sitting *s, int rank, int64_t i)
{
    (void)rank, (void)i;
    return youngs(s, slowest(s, "step") / 2, 3 * slowest(s, "write"));
}

/* Between two numbers that an F32 holds. */
static double no_float(double value, double part)
{
    float below = (float)value;
    return below + part * ((double)nextafterf(below, INFINITY) - below);
}

/* Each rank its own times, no whole seconds (nor is the mean), and writes short enough that this counts. The slowest in one is not the slowest in the other.
 * With short steps there are so many of them that F32, which rounds both times away from each other, counts some too many. */
static void lay_out(struct sitting *s, double least_step, int calls)
{
    give_number(s, "calls", calls);
    give_number(s, "mean", (double)pick(s, 20000, 90000) * s->ranks + 0.75);
    for (int r = 0; r < s->ranks; r++) {
        double step = least_step * (1 + 0.1 * (double)pick(s, 1, 9) + (r == 0 ? 1 : 0));
        double write = 0.1 * (double)pick(s, 3, 9) + (r == s->ranks - 1 ? 0.77 : 0);
        step = no_float(step, 0.45);
        write = no_float(write, 0.55);
        give(s, r, "step", DIST_F64, &step, 1);
        give(s, r, "write", DIST_F64, &write, 1);
    }
}

GRADED(all_write_at_the_same_step, 7)
{
    EACH_SITTING(s, 1, 9) {
        lay_out(s, s->ranks == 2 ? 2.2e-6 : 3.7, 2);
        sit(s);
        expect(s, "steps", 1, steps);
        expect(s, "steps again", 1, steps_again);
    }
}

GRADED(at_least_one_step, 2)
{
    EACH_SITTING(s, 1, 4) {
        lay_out(s, 50000, 1);
        sit(s);
        expect(s, "steps", 1, steps);
    }
}

GRADED(few_calls, 1)
{
    EACH_SITTING(s, 2, 8) {
        lay_out(s, 1.3, 1);
        if (!sit(s))
            continue;
        expect(s, "steps", 1, steps);
        for (int r = 0; r < s->ranks; r++)
            claim(s, way_calls(s, r, "all_reduce") <= 2,
                  "rank %d made %d calls of all_reduce; two are more than enough", r,
                  way_calls(s, r, "all_reduce"));
    }
}
