/* Grades 06.2: ranks with different numbers of batches train together, in as many steps as the busiest needs. */
#include "../../grader/grader.h"

#define MOST 12

const struct exercise exercise = {
    .title = "Uneven work",
    .forbidden = MESSAGES,
    .drawing = "spacetime",
};

static int64_t steps(const struct sitting *s)
{
    double most = 0;
    for (int r = 0; r < s->ranks; r++)
        most = given(s, r, "count", 0) > most ? given(s, r, "count", 0) : most;
    return (int64_t)most;
}

static double weight(const struct sitting *s, int rank, int64_t i)
{
    (void)rank; /* the same on all */
    int64_t n = given_count(s, 0, "weights");
    double w = given(s, 0, "weights", i);
    for (int64_t step = 0; step < steps(s); step++) {
        w *= 2;
        for (int r = 0; r < s->ranks; r++)
            w += (double)step < given(s, r, "count", 0) ? given(s, r, "batches", step * n + i) : 0;
    }
    return w;
}

/* Each step doubles the weights: where there are more steps, numbers of fewer bits stay exact. */
enum { FEW = 7 };

/* Where it is tight, there are no rows but those of a rank's batches. One rank has nothing to do (with three that is rank 0), and another has the most (with six as many as there may be); where there is only
 * one it has some. With seven nobody has any. */
static int64_t batches_of(struct sitting *s, int rank, int64_t idle)
{
    int64_t busy = (idle + 1) % s->ranks;
    if (s->ranks == 7 || (rank == idle && rank != busy))
        return 0;
    return rank != busy    ? pick(s, 1, 3)
           : s->ranks == 6 ? MOST - 1
                           : pick(s, 4, s->ranks == 2 ? FEW : MOST - 1);
}

static void deal_out(struct sitting *s)
{
    int64_t n = pick_length(s), idle = s->ranks == 3 ? 0 : pick(s, 0, s->ranks - 1);
    give_number(s, "tight", s->ranks % 3 == 0);
    for (int r = 0; r < s->ranks; r++) {
        double count = (double)batches_of(s, r, idle);
        give(s, r, "count", DIST_F64, &count, 1);
    }
    if (steps(s) <= FEW) {
        give_random(s, "weights", DIST_F32, n);
        give_random(s, "batches", DIST_F32, MOST * n);
    } else {
        give_below_100(s, "weights", n);
        give_below_100(s, "batches", MOST * n);
    }
}

GRADED(same_weights_everywhere, 7)
{
    EACH_SITTING(s, 1, 9) {
        deal_out(s);
        sit(s);
        expect(s, "weights", given_count(s, 0, "weights"), weight);
    }
}

GRADED(steps_of_the_busiest, 3)
{
    EACH_SITTING(s, 2, 8) {
        deal_out(s);
        sit(s);
        expect(s, "weights", given_count(s, 0, "weights"), weight);
        int64_t n = given_count(s, 0, "weights"), bytes = 8 + 4 * n * steps(s);
        for (int r = 0; r < s->ranks; r++) {
            claim(s, way_calls(s, r, "all_reduce") == steps(s) + 1 && way_calls(s, r, "broadcast") == 1,
                  "rank %d called all_reduce %d times, broadcast %d times; with %d steps it is %d times, and "
                  "once",
                  r, way_calls(s, r, "all_reduce"), way_calls(s, r, "broadcast"), (int)steps(s),
                  (int)steps(s) + 1);
            claim(s,
                  way_call_bytes(s, r, "all_reduce") >= bytes && way_call_bytes(s, r, "broadcast") >= 4 * n,
                  "rank %d brought %lld bytes into its all_reduces; what others need from it has %lld", r,
                  (long long)way_call_bytes(s, r, "all_reduce"), (long long)bytes);
        }
    }
}
