/* Grades 05.3: deal out, compute, collect. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "Scatter, then gather",
    .forbidden = COLLECTIVES MESSAGES,
    .needed = "dist_scatter dist_gather",
    .drawing = "spacetime",
};

static int64_t block_of(const struct sitting *s)
{
    return ((int64_t)given(s, 0, "count", 0) + s->ranks - 1) / s->ranks;
}

static double squared_by_its_rank(const struct sitting *s, int root, int64_t i)
{
    double sample = given(s, root, "samples", i);
    return sample * sample + (double)(i / block_of(s));
}

static int lay_out(struct sitting *s, int64_t count)
{
    static double samples[5 * 5000];
    int root = (int)pick(s, 0, s->ranks - 1);
    for (int64_t i = 0; i < count; i++)
        samples[i] = pick_f32(s);
    give(s, root, "samples", DIST_F32, samples, count);
    give_number(s, "root", root);
    give_number(s, "count", (double)count);
    return root;
}

static void try_count(struct sitting *s, int64_t count)
{
    int root = lay_out(s, count);
    sit(s);
    expect_on(s, root, "results", count, squared_by_its_rank);
}

GRADED(evenly_shared, 3)
{
    EACH_SITTING(s, 1, 9)
        try_count(s, s->ranks * (s->ranks == 5 ? 4100 : pick(s, 1, 6)));
}

/* Some blocks hold fewer samples than others, or none: with three or seven ranks as there are fewer samples than ranks; with four, where
 * there are more, the last block would begin behind the end. */
static int64_t uneven_count(struct sitting *s)
{
    int64_t ranks = s->ranks;
    if (ranks == 4 && !s->again)
        return ranks + 1;
    if (ranks == 3 || ranks == 7 || (ranks != 5 && pick(s, 0, 1)))
        return pick(s, 1, ranks == 7 ? 5 : ranks - 1);
    return ranks * (ranks == 5 ? 4100 : pick(s, 1, 5)) + pick(s, 1, ranks - 1);
}

GRADED(any_number_of_samples, 4)
{
    EACH_SITTING(s, 2, 8)
        try_count(s, uneven_count(s));
}

GRADED(all_take_part, 3)
{
    EACH_SITTING(s, 2, 8) {
        int64_t count = s->ranks == 5 ? pick(s, 20500, 25000) : pick(s, 1, 40);
        try_count(s, count);
        for (int r = 0; r < s->ranks; r++) {
            way_carries(s, r, 2 * 4 * block_of(s));
            claim(s, way_calls(s, r, "scatter") == 1 && way_calls(s, r, "gather") == 1,
                  "calls of scatter on rank %d: %d, of gather: %d; every rank makes one of each", r,
                  way_calls(s, r, "scatter"), way_calls(s, r, "gather"));
        }
    }
}
