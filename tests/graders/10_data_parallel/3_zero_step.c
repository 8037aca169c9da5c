/* Grades 10.3: a step with the optimizer's state cut over the ranks; two of them, so that the velocity counts. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "A step for one share",
    .forbidden = COLLECTIVES MESSAGES,
    .needed = "dist_all_gather dist_reduce_scatter",
    .drawing = "spacetime",
};

static double mean(const struct sitting *s, const char *name, int64_t i)
{
    double sum = 0;
    for (int r = 0; r < s->ranks; r++)
        sum += given(s, r, name, i);
    return sum / s->ranks;
}

/* Element i of the whole: its velocity after the first step, and after the second. */
static double velocity_after(const struct sitting *s, int64_t i, int steps)
{
    int64_t block = given_count(s, 0, "velocity");
    double v = 0.5 * given(s, (int)(i / block), "velocity", i % block) + mean(s, "gradients 1", i);
    return steps == 1 ? v : 0.5 * v + mean(s, "gradients 2", i);
}

static double weight(const struct sitting *s, int rank, int64_t i)
{
    (void)rank;
    return given(s, 0, "weights", i) - 0.25 * (velocity_after(s, i, 1) + velocity_after(s, i, 2));
}

static double velocity(const struct sitting *s, int rank, int64_t i)
{
    return velocity_after(s, rank * given_count(s, 0, "velocity") + i, 2);
}

/* A second call in the same run has longer blocks than the first. */
static void lay_out(struct sitting *s)
{
    int64_t block = s->ranks == 5 ? pick(s, 4100, 5000) : s->again ? pick(s, 6, 9) : pick(s, 1, 5);
    static double weights[5 * 5000];
    s->tolerance = 3e-6;
    for (int64_t i = 0; i < block * s->ranks; i++)
        weights[i] = pick_f32(s);
    for (int r = 0; r < s->ranks; r++) /* replicas: the same on all */
        give(s, r, "weights", DIST_F32, weights, block * s->ranks);
    give_random(s, "velocity", DIST_F32, block);
    give_random(s, "gradients 1", DIST_F32, block * s->ranks);
    give_random(s, "gradients 2", DIST_F32, block * s->ranks);
}

static void expect_all(struct sitting *s)
{
    expect(s, "weights", given_count(s, 0, "weights"), weight);
    expect(s, "velocity", given_count(s, 0, "velocity"), velocity);
}

GRADED(weights_and_velocity, 7)
{
    EACH_SITTING(s, 1, 9) {
        lay_out(s);
        sit(s);
        expect_all(s);
    }
}

GRADED(one_of_each, 3)
{
    EACH_SITTING(s, 2, 8) {
        lay_out(s);
        if (!sit(s))
            continue;
        expect_all(s);
        int64_t bytes = 2 * 4 * given_count(s, 0, "weights"); /* in two steps */
        for (int r = 0; r < s->ranks; r++) {
            claim(s, way_calls(s, r, "reduce_scatter") == 2 && way_calls(s, r, "all_gather") == 2,
                  "rank %d made %d calls of reduce_scatter and %d of all_gather in two steps; each is needed "
                  "once a step",
                  r, way_calls(s, r, "reduce_scatter"), way_calls(s, r, "all_gather"));
            claim(s,
                  way_call_bytes(s, r, "reduce_scatter") == bytes &&
                      way_call_bytes(s, r, "all_gather") == bytes,
                  "rank %d: in two steps %lld bytes went into reduce_scatter and %lld into all_gather; all "
                  "gradients, then all weights, are %lld each",
                  r, (long long)way_call_bytes(s, r, "reduce_scatter"),
                  (long long)way_call_bytes(s, r, "all_gather"), (long long)bytes);
        }
    }
}
