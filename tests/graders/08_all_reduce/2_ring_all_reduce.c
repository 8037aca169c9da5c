/* Grades 08.2: an all-reduce in a ring: the sum everywhere, in 2 (N - 1) steps of one block. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "A ring all-reduce",
    .forbidden = COLLECTIVES,
    .drawing = "spacetime",
    .calls_often = true,
};

static double sum_of(const struct sitting *s, const char *name, int64_t i)
{
    double total = 0;
    for (int r = 0; r < s->ranks; r++)
        total += given(s, r, name, i);
    return total;
}

static double sum(const struct sitting *s, int rank, int64_t i)
{
    (void)rank; /* the same on all */
    return sum_of(s, "x", i);
}

static double sum_again(const struct sitting *s, int rank, int64_t i)
{
    (void)rank;
    return sum_of(s, "x again", i);
}

/* A length that the ranks do not divide, where there are at least two. */
static int64_t uneven(struct sitting *s)
{
    return (s->ranks == 5 ? 500 : pick(s, 1, 4)) * s->ranks + (s->ranks > 1 ? pick(s, 1, s->ranks - 1) : 0);
}

static void lay_out(struct sitting *s, int64_t n, int calls)
{
    give_random(s, "x", DIST_F32, n);
    give_number(s, "calls", calls);
}

/* Any: fewer than ranks, as many blocks as ranks, or uneven. */
static int64_t any_length(struct sitting *s)
{
    return s->ranks == 4 ? 4 * pick(s, 1, 4) : s->ranks == 7 ? pick(s, 1, 6) : uneven(s);
}

/* With three ranks or more nothing else looks like it. */
static void no_detour(struct sitting *s)
{
    bool detour = s->ranks > 2;
    for (int r = 1; r < s->ranks; r++)
        detour = detour && way_sends_to(s, r, 0) == 1 && way_sends_to(s, 0, r) == 1;
    claim(s, !detour,
          "all goes through rank 0: that is gather and broadcast, where rank 0 works and the others wait");
}

GRADED(the_sum_everywhere, 4)
{
    EACH_SITTING(s, 1, 9) {
        int64_t n = any_length(s), more = n + pick(s, 1, 9);
        lay_out(s, n, 2);
        give_random(s, "x again", DIST_F32, more);
        sit(s);
        expect(s, "x", n, sum);
        expect(s, "x again", more, sum_again);
        way_alone(s);
    }
}

GRADED(one_block_a_message, 3)
{
    EACH_SITTING(s, 1, 8) {
        int64_t n = uneven(s);
        int messages = 2 * (s->ranks - 1), bytes = 4 * (int)((n + s->ranks - 1) / s->ranks);
        lay_out(s, n, 1);
        sit(s);
        expect(s, "x", n, sum);
        no_detour(s);
        nothing_left(s);
        for (int r = 0; r < s->ranks; r++) {
            way_carries(s, r, 2 * 4 * (n - (n + s->ranks - 1) / s->ranks));
            int to_next = way_sends_to(s, r, (r + 1) % s->ranks);
            claim(s, way_sends(s, r) == messages && to_next == messages && way_largest(s, r) <= bytes,
                  "rank %d sent %d messages, %d of them to the next rank, the largest of %d bytes; a ring "
                  "sends "
                  "2 (N - 1) = %d, all to the next rank, of at most %d bytes",
                  r, way_sends(s, r), to_next, (int)way_largest(s, r), messages, bytes);
        }
    }
}

GRADED(all_at_the_same_time, 3)
{
    EACH_SITTING(s, 2, 8) {
        int64_t n = pick(s, 0, 1) ? uneven(s) : pick(s, 1, s->ranks);
        lay_out(s, n, 1);
        sit(s);
        expect(s, "x", n, sum);
        no_detour(s);
        bool empty = n < s->ranks; /* blocks of nothing may stay at home */
        claim(s, way_steps(s) == 2 * (s->ranks - 1) || (empty && way_steps(s) < 2 * (s->ranks - 1)),
              "%d messages have to follow one after the other; in a ring where all send and receive at the "
              "same "
              "time it is 2 (N - 1) = %d",
              way_steps(s), 2 * (s->ranks - 1));
    }
}
