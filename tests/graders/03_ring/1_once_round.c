/* Grades 03.1: a traveller goes once round the ring, doubled and added to on the way. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "Once round the ring",
    .forbidden = COLLECTIVES,
    .drawing = "flow",
};

/* What rank r sends on; what comes home is what the last rank sends on. */
static double sent_on(const struct sitting *s, int rank, int64_t i)
{
    double t = given(s, 0, "mine", i);
    for (int r = 1; r <= (rank == 0 ? s->ranks - 1 : rank); r++)
        t = 2 * t + given(s, r, "mine", i);
    return t;
}

GRADED(what_comes_home, 6)
{
    EACH_SITTING(s, 1, 9) {
        int64_t n = pick_length(s);
        give_random(s, "mine", DIST_F32, n);
        sit(s);
        expect(s, "traveller", n, sent_on);
        way_alone(s);
    }
}

GRADED(one_message_each, 4)
{
    EACH_SITTING(s, 2, 8) {
        int64_t n = pick_length(s);
        give_random(s, "mine", DIST_F32, n);
        sit(s);
        expect(s, "traveller", n, sent_on);
        for (int r = 0; r < s->ranks; r++)
            way_carries(s, r, n * 4);
        for (int r = 0; r < s->ranks; r++)
            claim(s, way_sends(s, r) == 1 && way_sends_to(s, r, (r + 1) % s->ranks) == 1,
                  "rank %d sent %d messages, %d of them to the next rank; it takes one, to the next", r,
                  way_sends(s, r), way_sends_to(s, r, (r + 1) % s->ranks));
    }
}
