/* Grades 01.1: everyone's card, on every rank. */
#include "../../grader/grader.h"

const struct exercise exercise = { .title = "Who is everyone?", .drawing = "collective" };

static double cards(const struct sitting *s, int rank, int64_t i)
{
    (void)rank;
    switch (i % 3) {
    case 0:
        return (double)(i / 3);
    case 1:
        return s->ranks;
    default:
        return given(s, (int)(i / 3), "secret", 0);
    }
}

GRADED(every_card_everywhere, 7)
{
    EACH_SITTING(s, 1, 9) {
        give_random(s, "secret", DIST_F32, 1);
        sit(s);
        expect(s, "list", 3 * s->ranks, cards);
    }
}

GRADED(one_all_gather, 3)
{
    EACH_SITTING(s, 2, 8) {
        give_random(s, "secret", DIST_F32, 1);
        sit(s);
        expect(s, "list", 3 * s->ranks, cards);
        for (int r = 0; r < s->ranks; r++) {
            int gathers = way_calls(s, r, "all_gather");
            int others = way_collectives(s, r) - gathers + way_sends(s, r) + way_receives(s, r);
            claim(s, gathers == 1 && others == 0,
                  "rank %d made %d all_gathers and %d other calls to move data; one all_gather does it", r,
                  gathers, others);
            way_carries(s, r, 3 * 4);
        }
    }
}
