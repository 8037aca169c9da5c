/* Grades 08.1: a broadcast from any root, in log2(n) steps. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "A tree broadcast",
    .forbidden = COLLECTIVES,
    .drawing = "spacetime",
    .calls_often = true,
};

static double from_root(const struct sitting *s, int rank, int64_t i)
{
    return given(s, (int)given(s, rank, "root", 0), "x", i);
}

static double from_root_again(const struct sitting *s, int rank, int64_t i)
{
    return given(s, (int)given(s, rank, "root again", 0), "x again", i);
}

enum { KINDS = 7 };
static const struct {
    enum dist_type type;
    int bytes;
} kinds[KINDS] = { { DIST_F32, 4 }, { DIST_F64, 8 },  { DIST_I32, 4 }, { DIST_I64, 8 },
                   { DIST_U8, 1 },  { DIST_BF16, 2 }, { DIST_F16, 2 } };

/* One broadcast, as the tests of the way want it; how many elements. */
static int64_t lay_out(struct sitting *s)
{
    int64_t n = pick_length(s);
    give_random(s, "x", kinds[s->ranks % KINDS].type, n);
    give_number(s, "root", (double)pick(s, 0, s->ranks - 1));
    give_number(s, "calls", 1);
    return n;
}

/* log2(ranks), rounded up. */
static int steps_needed(int ranks)
{
    int steps = 0;
    while (1 << steps < ranks)
        steps++;
    return steps;
}

/* The picture has eight places: with nine there is one more step than it shows. */
GRADED(everybody_has_it, 4)
{
    EACH_SITTING(s, 1, 9) {
        int64_t n = pick_length(s), root = s->ranks > 1 ? pick(s, 1, s->ranks - 1) : 0;
        give_random(s, "x", kinds[s->ranks % KINDS].type, n);
        give_number(s, "root", (double)root);
        give_number(s, "calls", 2);
        give_random(s, "x again", kinds[(s->ranks + 1) % KINDS].type, n + 3);
        give_number(s, "root again", (double)((root + 1) % s->ranks));
        sit(s);
        expect(s, "x", n, from_root);
        expect(s, "x again", n + 3, from_root_again);
        way_alone(s);
    }
}

GRADED(each_receives_once, 2)
{
    EACH_SITTING(s, 2, 8) {
        int64_t n = lay_out(s);
        sit(s);
        expect(s, "x", n, from_root);
        for (int r = 0; r < s->ranks; r++) {
            bool is_root = r == (int)given(s, r, "root", 0);
            claim(s, way_receives(s, r) == !is_root, "rank %d, %s the root, received %d messages; %s", r,
                  is_root ? "which is" : "not", way_receives(s, r),
                  is_root ? "it needs none" : "one is right");
            int64_t bytes = n * kinds[s->ranks % KINDS].bytes;
            claim(s, way_bytes(s, r) == bytes * way_sends(s, r),
                  "rank %d sent %lld bytes in %d messages, and x has %lld: send all of it, in its own type",
                  r, (long long)way_bytes(s, r), way_sends(s, r), (long long)bytes);
        }
    }
}

GRADED(few_steps, 4)
{
    EACH_SITTING(s, 2, 8) {
        int64_t n = lay_out(s);
        sit(s);
        expect(s, "x", n, from_root);
        claim(s, way_steps(s) == steps_needed(s->ranks),
              "%d messages have to follow one after the other; down a binomial tree of %d ranks it is %d",
              way_steps(s), s->ranks, steps_needed(s->ranks));
    }
}
