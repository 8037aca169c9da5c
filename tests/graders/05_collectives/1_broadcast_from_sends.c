/* Grades 05.1: a broadcast made of sends. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "Broadcast from sends",
    .forbidden = COLLECTIVES " dist_isend dist_irecv dist_batch_isend_irecv",
    .drawing = "flow",
};

static double of_src(const struct sitting *s, int rank, int64_t i)
{
    return given(s, (int)given(s, rank, "src", 0), "x", i);
}

static int64_t lay_out(struct sitting *s, int64_t src)
{
    int64_t n = pick_length(s);
    give_random(s, "x", DIST_F32, n);
    give_number(s, "src", (double)src);
    return n;
}

GRADED(from_rank_0, 3)
{
    EACH_SITTING(s, 1, 9) {
        int64_t n = lay_out(s, 0);
        sit(s);
        expect(s, "x", n, of_src);
    }
}

/* Any rank but 0: also the last one, one in the middle, an even one, an odd one, and one that a world of four does not have. */
static int64_t pick_src(struct sitting *s)
{
    int64_t half = (s->ranks - 1) / 2;
    switch (s->ranks) {
    case 3:
        return 2;
    case 6:
        return 2 * pick(s, 1, half);
    case 7:
        return 2 * pick(s, 1, half) - 1;
    case 8:
        return pick(s, 4, 6);
    default:
        return pick(s, 1, s->ranks - 1);
    }
}

GRADED(from_any_rank, 4)
{
    EACH_SITTING(s, 2, 8) {
        int64_t n = lay_out(s, pick_src(s));
        sit(s);
        expect(s, "x", n, of_src);
    }
}

GRADED(nobody_gets_it_twice, 3)
{
    EACH_SITTING(s, 2, 8) {
        int src = (int)pick(s, 0, s->ranks - 1);
        int64_t sent = 0, n = lay_out(s, src);
        sit(s);
        expect(s, "x", n, of_src);
        for (int r = 0; r < s->ranks; r++)
            claim(s, way_receives(s, r) == (r != src),
                  "messages received by rank %d: %d; expected %d, as src is rank %d", r, way_receives(s, r),
                  r != src, src);
        for (int r = 0; r < s->ranks; r++)
            sent += way_bytes(s, r);
        claim(s, sent == 4 * n * (s->ranks - 1), "%lld bytes were sent; %d times the tensor are %lld",
              (long long)sent, s->ranks - 1, (long long)(4 * n * (s->ranks - 1)));
    }
}
