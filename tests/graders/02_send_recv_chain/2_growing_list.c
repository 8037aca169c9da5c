/* Grades 02.2: a list that grows from message to message. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "A list that grows",
    .forbidden = COLLECTIVES,
    .drawing = "flow",
};

static double entry(const struct sitting *s, int rank, int64_t i)
{
    (void)rank;
    return given(s, (int)i, "mine", 0);
}

GRADED(every_entry, 6)
{
    EACH_SITTING(s, 1, 9) {
        give_random(s, "mine", DIST_F32, 1);
        sit(s);
        for (int r = 0; r < s->ranks; r++)
            expect_on(s, r, "list", r + 1, entry);
        way_alone(s);
    }
}

GRADED(no_more_than_is_known, 4)
{
    EACH_SITTING(s, 2, 8) {
        give_random(s, "mine", DIST_F32, 1);
        sit(s);
        for (int r = 0; r < s->ranks; r++) {
            expect_on(s, r, "list", r + 1, entry);
            int messages = r < s->ranks - 1;
            int64_t bytes = messages * (r + 1) * 4;
            claim(s, way_sends(s, r) == messages && way_bytes(s, r) == bytes,
                  "messages sent by rank %d: %d, together %lld bytes; expected %d, together %lld bytes", r,
                  way_sends(s, r), (long long)way_bytes(s, r), messages, (long long)bytes);
        }
    }
}
