/* Grades 10.1: the mean over all samples, however many of them each rank has. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "A mean over samples",
    .forbidden = COLLECTIVES MESSAGES,
    .needed = "dist_all_reduce",
    .drawing = "spacetime",
};

static int which; /* the gradient that mean() tells of */

static const char *name_of(int i)
{
    static char name[32];
    snprintf(name, sizeof name, "gradient %d", i);
    return name;
}

/* With so many samples more on each rank. */
static double mean_with(const struct sitting *s, int64_t i, double more)
{
    double sum = 0, samples = 0;
    for (int r = 0; r < s->ranks; r++) {
        sum += (given(s, r, "samples", 0) + more) * given(s, r, name_of(which), i);
        samples += given(s, r, "samples", 0) + more;
    }
    return sum / samples;
}

static double mean(const struct sitting *s, int rank, int64_t i)
{
    (void)rank;
    return mean_with(s, i, 0);
}

static double mean_again(const struct sitting *s, int rank, int64_t i)
{
    (void)rank;
    return mean_with(s, i, 1);
}

/* With seven ranks, and in the second call of a run, more than whoever counts on a few has room for. */
static int how_many(struct sitting *s)
{
    return (int)(s->ranks == 3 ? 1 : s->ranks == 7 || s->again ? pick(s, 9, 12) : pick(s, 2, 4));
}

/* With four ranks every second gradient is F64, and the first is not: each has a type of its own. */
static bool is_wide(const struct sitting *s, int i)
{
    return s->ranks == 4 && i % 2 == 1;
}

/* One rank has none (where there are others), its neighbour has the most: with six ranks more than fit into a byte. */
static void deal_out(struct sitting *s, int count, int calls)
{
    int64_t idle = pick(s, 0, s->ranks - 1), busy = (idle + 1) % s->ranks;
    give_number(s, "count", count);
    give_number(s, "calls", calls);
    for (int i = 0; i < count; i++)
        give_random(s, name_of(i), is_wide(s, i) ? DIST_F64 : DIST_F32, pick_length(s));
    for (int r = 0; r < s->ranks; r++) {
        double samples = (double)(r == busy ? pick(s, 5, 9) : r == idle ? 0 : pick(s, 1, 4));
        samples = r == busy && s->ranks == 6 ? 1000 : samples;
        give(s, r, "samples", DIST_F64, &samples, 1);
    }
}

static void expect_all(struct sitting *s, int count, const char *what, answer *right)
{
    for (which = 0; which < count; which++) {
        char name[32];
        snprintf(name, sizeof name, "%s %d", what, which);
        s->tolerance = is_wide(s, which) ? 1e-12 : 3e-6;
        expect(s, name, given_count(s, 0, name_of(which)), right);
    }
}

GRADED(mean_over_all_samples, 7)
{
    EACH_SITTING(s, 1, 9) {
        int count = how_many(s);
        deal_out(s, count, 2);
        sit(s);
        expect_all(s, count, "gradient", mean);
        expect_all(s, count, "again", mean_again);
    }
}

GRADED(no_call_too_many, 3)
{
    EACH_SITTING(s, 2, 8) {
        int count = how_many(s);
        deal_out(s, count, 1);
        if (!sit(s))
            continue;
        expect_all(s, count, "gradient", mean);
        for (int r = 0; r < s->ranks; r++)
            claim(s, way_calls(s, r, "all_reduce") <= count + 1,
                  "rank %d made %d calls of all_reduce; one for each of the %d gradients, and one more, is "
                  "all it takes",
                  r, way_calls(s, r, "all_reduce"), count);
    }
}
