/* Grades 13.1: alpha and beta, for one ring and for two levels. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "Predict two levels",
    .forbidden = COLLECTIVES,
    .drawing = "spacetime",
};

static double number(const struct sitting *s, const char *name)
{
    return given(s, 0, name, 0);
}

static double ring(double ranks, double bytes, double alpha, double beta)
{
    return 2 * (ranks - 1) * (alpha + bytes / ranks * beta);
}

/* In microseconds: so a number that is off by a part of itself is off by enough. */
static double one_ring(const struct sitting *s, int rank, int64_t i)
{
    const char *alpha = number(s, "nodes") > 1 ? "far alpha" : "near alpha";
    const char *beta = number(s, "nodes") > 1 ? "far beta" : "near beta";
    double ranks = number(s, "nodes") * number(s, "per node");
    (void)rank, (void)i;
    return 1e6 * ring(ranks, number(s, "bytes"), number(s, alpha), number(s, beta));
}

static double two_levels(const struct sitting *s, int rank, int64_t i)
{
    double nodes = number(s, "nodes"), each = number(s, "per node"), bytes = number(s, "bytes");
    (void)rank, (void)i;
    return 1e6 * (ring(each, bytes, number(s, "near alpha"), number(s, "near beta")) +
                  ring(nodes, bytes / each, number(s, "far alpha"), number(s, "far beta")));
}

static void lay_out(struct sitting *s, int64_t nodes, int64_t each)
{
    s->tolerance = 1e-9;
    give_number(s, "nodes", (double)nodes);
    give_number(s, "per node", (double)each);
    give_number(s, "bytes", (double)pick(s, 1000, 100000000) * (nodes > 2 ? 1000 : 1)); /* up to 100 GB */
    give_number(s, "near alpha", 1e-6 * (double)pick(s, 2, 9));
    give_number(s, "near beta", 1e-12 * (double)pick(s, 2, 9));
    give_number(s, "far alpha", 1e-6 * (double)pick(s, 11, 40));
    give_number(s, "far beta", 1e-12 * (double)pick(s, 20, 90));
}

GRADED(one_ring_over_all, 4)
{
    for (int try = 0; try < 4; try++)
        EACH_SITTING(s, 1, 2) {
            bool alone = s->ranks == 1 && try == 0; /* one rank in all: there is nothing to send */
            lay_out(s, try < 2 ? try + 1 : pick(s, 3, 40), alone || try == 3 ? 1 : pick(s, 2, 16));
            sit(s);
            expect(s, "one ring", 1, one_ring);
        }
}

GRADED(in_two_levels, 6)
{
    for (int try = 0; try < 4; try++)
        EACH_SITTING(s, 1, 2) {
            bool alone = s->ranks == 1 && try == 0;
            lay_out(s, try == 0 ? 1 : try == 2 ? 2 : pick(s, 3, 40), alone || try == 1 ? 1 : pick(s, 2, 16));
            sit(s);
            expect(s, "two levels", 1, two_levels);
        }
}
