/* Grades 06.3: a wait, a peer and a tag were wrong. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "Layers handed on",
    .forbidden = COLLECTIVES,
    .drawing = "spacetime",
};

static double previous(const struct sitting *s, int rank, const char *name, int64_t i)
{
    return given(s, (rank + s->ranks - 1) % s->ranks, name, i);
}

static double previous_weights(const struct sitting *s, int rank, int64_t i)
{
    return previous(s, rank, "weights", i);
}

static double previous_bias(const struct sitting *s, int rank, int64_t i)
{
    return previous(s, rank, "bias", i);
}

static double own_weights(const struct sitting *s, int rank, int64_t i)
{
    return given(s, rank, "weights", i);
}

static double own_bias(const struct sitting *s, int rank, int64_t i)
{
    return given(s, rank, "bias", i);
}

/* Weights and bias of one size: then a mixed-up tag is not found by its length. */
GRADED(weights_and_bias_arrive, 7)
{
    EACH_SITTING(s, 2, 9) {
        int64_t n = pick_length(s);
        give_random(s, "weights", DIST_F32, n);
        give_random(s, "bias", DIST_F32, n);
        sit(s);
        expect(s, "new_weights", n, previous_weights);
        expect(s, "new_bias", n, previous_bias);
        expect(s, "weights", n, own_weights);
        expect(s, "bias", n, own_bias);
    }
}

/* Under which tag has a rank sent a message of so many bytes? -1: it has sent none. */
static int tag_of(const struct run *run, int rank, int64_t bytes)
{
    for (int i = run->first[rank]; i < run->first[rank + 1]; i++) {
        const struct act *act = &run->acts[i];
        if ((act->kind == ACT_SEND || act->kind == ACT_ISEND) && act->bytes == bytes)
            return act->tag;
    }
    return -1;
}

GRADED(two_to_the_next_rank, 3)
{
    EACH_SITTING(s, 1, 8) {
        int64_t n = pick_length(s), bias_n = n + pick(s, 1, 9); /* told apart by their lengths */
        give_random(s, "weights", DIST_F32, n);
        give_random(s, "bias", DIST_F32, bias_n);
        if (!sit(s))
            continue;
        expect(s, "new_weights", n, previous_weights);
        expect(s, "new_bias", bias_n, previous_bias);
        if (s->ranks == 1 && way_sends(s, 0) == 0)
            continue; /* what a rank hands on to itself may stay at home */
        for (int r = 0; r < s->ranks; r++) {
            way_carries(s, r, 4 * (n + bias_n));
            claim(s, way_sends(s, r) == 2 && way_sends_to(s, r, (r + 1) % s->ranks) == 2,
                  "rank %d sent %d messages, %d of them to the next rank; two are right, both to the next", r,
                  way_sends(s, r), way_sends_to(s, r, (r + 1) % s->ranks));
            int weights = tag_of(s->run, r, 4 * n), bias = tag_of(s->run, r, 4 * bias_n);
            claim(s, weights == 1 && bias == 2,
                  "rank %d sent its weights with tag %d and its bias with tag %d; in the picture these are 1 "
                  "and 2",
                  r, weights, bias);
        }
    }
}
