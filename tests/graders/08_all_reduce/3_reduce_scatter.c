/* Grades 08.3: a reduce_scatter in a ring: block r of the sum on rank r, in n - 1 steps of one block. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "A ring reduce_scatter",
    .forbidden = COLLECTIVES,
    .drawing = "spacetime",
};

static double block_of_sum(const struct sitting *s, int rank, int64_t i)
{
    int64_t size = given_count(s, 0, "input") / s->ranks;
    double total = 0;
    for (int r = 0; r < s->ranks; r++)
        total += given(s, r, "input", rank * size + i);
    return total;
}

static double as_it_was(const struct sitting *s, int rank, int64_t i)
{
    return given(s, rank, "input", i);
}

GRADED(block_r_of_the_sum, 4)
{
    EACH_SITTING(s, 1, 8) {
        int64_t size = s->ranks == 5 ? 500 : pick(s, 1, 5);
        give_random(s, "input", DIST_F32, size * s->ranks);
        sit(s);
        expect(s, "output", size, block_of_sum);
        expect(s, "input", size * s->ranks, as_it_was);
        way_alone(s);
    }
}

GRADED(one_block_a_message, 3)
{
    EACH_SITTING(s, 3, 8) {
        int messages = s->ranks - 1, bytes = 4 * (int)pick(s, 2, 5);
        give_random(s, "input", DIST_F32, bytes / 4 * s->ranks);
        sit(s);
        expect(s, "output", bytes / 4, block_of_sum);
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
    EACH_SITTING(s, 3, 8) {
        give_random(s, "input", DIST_F32, 2 * s->ranks);
        sit(s);
        expect(s, "output", 2, block_of_sum);
        claim(s, way_steps(s) == s->ranks - 1,
              "%d messages have to follow one after the other; in a ring where all send and receive at the "
              "same "
              "time it is n - 1 = %d",
              way_steps(s), s->ranks - 1);
    }
}
