/* Grades 08.3: a reduce_scatter in a ring: block r of the sum on rank r, in n - 1 steps of one block. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "A ring reduce_scatter",
    .forbidden = COLLECTIVES,
    .drawing = "spacetime",
    .calls_often = true,
};

static double sum_of_block(const struct sitting *s, const char *name, int rank, int64_t i)
{
    int64_t size = given_count(s, 0, name) / s->ranks;
    double total = 0;
    for (int r = 0; r < s->ranks; r++)
        total += given(s, r, name, rank * size + i);
    return total;
}

static double block_of_sum(const struct sitting *s, int rank, int64_t i)
{
    return sum_of_block(s, "input", rank, i);
}

static double block_again(const struct sitting *s, int rank, int64_t i)
{
    return sum_of_block(s, "input again", rank, i);
}

static double as_it_was(const struct sitting *s, int rank, int64_t i)
{
    return given(s, rank, "input", i);
}

static void lay_out(struct sitting *s, int64_t size, int calls)
{
    give_random(s, "input", DIST_F32, size * s->ranks);
    give_number(s, "calls", calls);
}

GRADED(block_r_of_the_sum, 4)
{
    EACH_SITTING(s, 1, 9) {
        int64_t size = pick_length(s), larger = size + pick(s, 1, 9);
        lay_out(s, size, 2);
        give_random(s, "input again", DIST_F32, larger * s->ranks);
        sit(s);
        expect(s, "output", size, block_of_sum);
        expect(s, "output again", larger, block_again);
        expect(s, "input", size * s->ranks, as_it_was);
        way_alone(s);
    }
}

GRADED(one_block_a_message, 3)
{
    EACH_SITTING(s, 1, 8) {
        int messages = s->ranks - 1, bytes = 4 * (int)(s->ranks == 5 ? 500 : pick(s, 2, 5));
        lay_out(s, bytes / 4, 1);
        sit(s);
        expect(s, "output", bytes / 4, block_of_sum);
        nothing_left(s);
        for (int r = 0; r < s->ranks; r++) {
            int to_next = way_sends_to(s, r, (r + 1) % s->ranks);
            claim(s,
                  way_sends(s, r) == messages && to_next == messages && way_bytes(s, r) == messages * bytes,
                  "rank %d sent %d messages, %d of them to the next rank, together %d bytes; a ring sends n "
                  "- 1 = "
                  "%d, all to the next rank, together %d bytes",
                  r, way_sends(s, r), to_next, (int)way_bytes(s, r), messages, messages * bytes);
        }
    }
}

GRADED(all_at_the_same_time, 3)
{
    EACH_SITTING(s, 2, 8) {
        lay_out(s, 2, 1);
        sit(s);
        expect(s, "output", 2, block_of_sum);
        claim(s, way_steps(s) == s->ranks - 1,
              "%d messages have to follow one after the other; in a ring where all send and receive at the "
              "same "
              "time it is n - 1 = %d",
              way_steps(s), s->ranks - 1);
    }
}
