/* Grades 03.2: neighbours in a row swap, with blocking calls, in four steps. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "Even and odd",
    .forbidden = COLLECTIVES " dist_isend dist_irecv dist_batch_isend_irecv",
    .drawing = "spacetime",
};

static double left(const struct sitting *s, int rank, int64_t i)
{
    return rank > 0 ? given(s, rank - 1, "mine", i) : given(s, rank, "from_left", i);
}

static double right(const struct sitting *s, int rank, int64_t i)
{
    return rank < s->ranks - 1 ? given(s, rank + 1, "mine", i) : given(s, rank, "from_right", i);
}

/* Something stands in what is to be received into, too: where nobody is, that stays. How many elements. */
static int64_t lay_out(struct sitting *s)
{
    int64_t n = pick_length(s);
    give_random(s, "mine", DIST_F32, n);
    give_random(s, "from_left", DIST_F32, n);
    give_random(s, "from_right", DIST_F32, n);
    return n;
}

GRADED(both_neighbours, 6)
{
    EACH_SITTING(s, 1, 9) {
        int64_t n = lay_out(s);
        sit(s);
        expect(s, "from_left", n, left);
        expect(s, "from_right", n, right);
    }
}

GRADED(four_steps, 4)
{
    EACH_SITTING(s, 2, 8) {
        int messages = 0;
        int64_t n = lay_out(s);
        sit(s);
        expect(s, "from_left", n, left);
        expect(s, "from_right", n, right);
        for (int r = 0; r < s->ranks; r++) {
            messages += way_sends(s, r);
            way_carries(s, r, n * 4 * ((r > 0) + (r < s->ranks - 1)));
        }
        claim(s, messages == 2 * (s->ranks - 1), "%d messages were sent; %d ranks in a row need %d", messages,
              s->ranks, 2 * (s->ranks - 1));
        claim(s, way_steps(s) <= 4,
              "%d messages have to wait for one another, with %d ranks; even and odd ranks in turns need 4",
              way_steps(s), s->ranks);
    }
}
