/* Grades 01.2: mine minus the mean of all, and the largest of these differences. */
#include "../../grader/grader.h"

const struct exercise exercise = { .title = "How far from the mean?", .drawing = "collective" };

static double mine(const struct sitting *s, int rank, int64_t i)
{
    return given(s, rank, "mine", i);
}

static double difference(const struct sitting *s, int rank, int64_t i)
{
    double sum = 0;
    for (int r = 0; r < s->ranks; r++)
        sum += given(s, r, "mine", i);
    return given(s, rank, "mine", i) - sum / s->ranks;
}

static double largest(const struct sitting *s, int rank, int64_t i)
{
    double most = difference(s, rank, i);
    for (int r = 0; r < s->ranks; r++)
        if (difference(s, r, i) > most)
            most = difference(s, r, i);
    return most;
}

/* Lay out, run; how many elements. */
static int64_t sit_with_numbers(struct sitting *s)
{
    int64_t n = pick_length(s);
    give_random(s, "mine", DIST_F32, n);
    sit(s);
    s->tolerance = 3e-6; /* a mean is rounded */
    return n;
}

GRADED(each_difference, 5)
{
    EACH_SITTING(s, 1, 9) {
        int64_t n = sit_with_numbers(s);
        expect(s, "difference", n, difference);
        s->tolerance = 0;
        expect(s, "mine", n, mine);
    }
}

GRADED(the_largest, 3)
{
    EACH_SITTING(s, 1, 8)
        expect(s, "largest", sit_with_numbers(s), largest);
}

GRADED(two_collectives, 2)
{
    EACH_SITTING(s, 2, 8) {
        int64_t n = sit_with_numbers(s);
        expect(s, "difference", n, difference);
        expect(s, "largest", n, largest);
        for (int r = 0; r < s->ranks; r++) {
            int messages = way_sends(s, r) + way_receives(s, r);
            claim(s, way_collectives(s, r) <= 2 && messages == 0,
                  "rank %d made %d collectives and %d sends and receives; two collectives are enough", r,
                  way_collectives(s, r), messages);
            way_carries(s, r, 4 * n);
        }
    }
}
