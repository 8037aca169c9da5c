/* Grades 02.1: the chain from the highest rank down. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "The chain backwards",
    .forbidden = COLLECTIVES,
    .drawing = "flow",
};

static double own_and_all_above(const struct sitting *s, int rank, int64_t i)
{
    double sum = 0;
    for (int r = rank; r < s->ranks; r++)
        sum += given(s, r, "mine", i);
    return sum;
}

GRADED(every_sum, 6)
{
    EACH_SITTING(s, 1, 9) {
        int64_t n = pick_length(s);
        give_random(s, "mine", DIST_F32, n);
        sit(s);
        expect(s, "x", n, own_and_all_above);
        way_alone(s);
    }
}

GRADED(one_message_each, 4)
{
    EACH_SITTING(s, 2, 8) {
        int64_t n = pick_length(s);
        give_random(s, "mine", DIST_F32, n);
        sit(s);
        expect(s, "x", n, own_and_all_above);
        for (int r = 1; r < s->ranks; r++)
            way_carries(s, r, n * 4);
        for (int r = 1; r < s->ranks; r++)
            claim(s, way_sends(s, r) == 1 && way_sends_to(s, r, r - 1) == 1,
                  "messages sent by rank %d: %d, to rank %d: %d; it takes one, to the rank below", r,
                  way_sends(s, r), r - 1, way_sends_to(s, r, r - 1));
        claim(s, way_sends(s, 0) == 0, "rank 0 is the end of the chain; messages that it sent: %d",
              way_sends(s, 0));
    }
}
