/* Grades 10.4: which replica drifts, and where? By checksums, which all ranks know. */
#include "../../grader/grader.h"

#include <math.h>

#define MOST 8
#define LENGTH 40 /* at most */

const struct exercise exercise = {
    .title = "The replica that drifts",
    .forbidden = MESSAGES,
    .drawing = "spacetime",
    .calls_often = true,
};

static const char *name_of(int i)
{
    static const char *const names[MOST] = { "parameter 0", "parameter 1", "parameter 2", "parameter 3",
                                             "parameter 4", "parameter 5", "parameter 6", "parameter 7" };
    return names[i];
}

static int count_of(const struct sitting *s)
{
    return (int)given(s, 0, "count", 0);
}

static bool unlike(const struct sitting *s, int rank, int i)
{
    for (int64_t k = 0; k < given_count(s, 0, name_of(i)); k++) {
        double mine = given(s, rank, name_of(i), k), right = given(s, 0, name_of(i), k);
        if (mine != right || signbit(mine) != signbit(right))
            return true;
    }
    return false;
}

/* Element 0: the rank; element 1: the parameter, counted from the last one where they are turned round. */
static double drift_of(const struct sitting *s, bool turned, int64_t element)
{
    int count = count_of(s);
    for (int r = 1; r < s->ranks; r++)
        for (int i = 0; i < count; i++)
            if (unlike(s, r, turned ? count - 1 - i : i))
                return element == 0 ? r : i;
    return -1;
}

static double answer_of(const struct sitting *s, int rank, int64_t element)
{
    (void)rank;
    return drift_of(s, false, element);
}

static double answer_again(const struct sitting *s, int rank, int64_t element)
{
    (void)rank;
    return drift_of(s, true, element);
}

/* Ways for a replica to be unlike: another number, two that have changed places, one up and one down, minus zero. */
static void spoil(struct sitting *s, double *values, int64_t length, int64_t way)
{
    int64_t k = pick(s, 1, length - 1);
    if (way == 0) {
        values[k * pick(s, 0, 1)] += 1; /* often the first one */
    } else if (way == 1) {
        double kept = values[0];
        values[0] = values[k];
        values[k] = kept;
    } else if (way == 2) {
        values[k] += 0.25;
        values[0] -= 0.25;
    } else {
        values[length - 1] = -0.0;
    }
}

/* All alike; then, on the `drifts` ranks with the highest numbers, two of the parameters spoiled. */
static void lay_out(struct sitting *s, int drifts, int64_t way, int calls)
{
    int count = s->ranks == 7 ? MOST : s->ranks == 6 ? 1 : (int)pick(s, 3, MOST);
    int low = s->ranks == 4 || count == 1 ? 0 : (int)pick(s, 0, count - 2), high = count - 1;
    int only_late = s->ranks % 2 ? 0 : 1; /* of the odd worlds the first, while the next drifts early, too */
    give_number(s, "calls", calls);
    give_number(s, "count", count);
    for (int i = 0; i < count; i++) {
        double values[LENGTH];
        int64_t length = i == 0 ? 2 : pick(s, LENGTH / 2, LENGTH);
        for (int k = 0; k < length - 1; k++)
            values[k] = 3 * k + (double)pick(s, 1, 2);
        values[length - 1] = 0;
        for (int r = 0; r < s->ranks; r++) {
            double own[LENGTH];
            for (int k = 0; k < length; k++)
                own[k] = values[k];
            int nth = r - (s->ranks - drifts); /* of those that drift */
            if (r > 0 && nth >= 0 && (i == high || (i == low && nth != only_late)))
                spoil(s, own, length, way);
            give(s, r, name_of(i), DIST_F32, own, length);
        }
    }
}

GRADED(who_and_where, 7)
{
    /* By ranks: none, the last one, half of them; with three all but rank 0, and alike. */
    static const int drifts[] = { 0, 0, 1, 2, 2, 2, 3, 1, 0 };
    EACH_SITTING(s, 1, 8) {
        int64_t way = s->ranks == 2 ? 1 : s->ranks == 5 ? 2 : s->ranks <= 4 ? 3 : pick(s, 0, 3);
        lay_out(s, drifts[s->ranks], way, 2);
        sit(s);
        expect(s, "answer", 2, answer_of);
        expect(s, "answer again", 2, answer_again);
    }
}

GRADED(checksums_travel, 3)
{
    EACH_SITTING(s, 2, 8) {
        lay_out(s, 2, 0, 1);
        if (!sit(s))
            continue;
        expect(s, "answer", 2, answer_of);
        for (int r = 0; r < s->ranks; r++) {
            int64_t bytes = 0;
            for (int i = s->run->first[r]; i < s->run->first[r + 1]; i++)
                bytes += s->run->acts[i].kind == ACT_COLLECTIVE ? s->run->acts[i].bytes : 0;
            claim(s, bytes <= 8 * count_of(s) * (s->ranks + 3),
                  "rank %d took part with %lld bytes in all; parameters do not travel, and the checksums of "
                  "all ranks have %d",
                  r, (long long)bytes, 8 * count_of(s) * s->ranks);
        }
    }
}
