/* Grades 13.2: a ring that leaves each node once. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "Place the ranks",
    .forbidden = COLLECTIVES MESSAGES,
    .needed = "dist_all_gather",
    .drawing = "spacetime",
    .calls_often = true,
};

static int place_of(const struct sitting *s, const char *nodes, int rank)
{
    double mine = given(s, rank, nodes, 0);
    int before = 0;
    for (int r = 0; r < s->ranks; r++) {
        double other = given(s, r, nodes, 0);
        before += other < mine || (other == mine && r < rank);
    }
    return before;
}

static double neighbour_of(const struct sitting *s, const char *nodes, int rank, int64_t i)
{
    int wanted = (place_of(s, nodes, rank) + (i == 0 ? 1 : s->ranks - 1)) % s->ranks;
    for (int r = 0; r < s->ranks; r++)
        if (place_of(s, nodes, r) == wanted)
            return r;
    return -1;
}

static double neighbour(const struct sitting *s, int rank, int64_t i)
{
    return neighbour_of(s, "node", rank, i);
}

static double neighbour_again(const struct sitting *s, int rank, int64_t i)
{
    return neighbour_of(s, "node again", rank, i);
}

/* First some nodes whose numbers fall, never in the order of the ranks alone. Then any, up to one for each rank; where the world is
 * odd, three of the numbers are far apart in such a way that their low 8 or 16 bits alone put the ring the other way round; where it is even,
 * they are so large that a float does not tell them apart. */
static void lay_out(struct sitting *s, int calls)
{
    int64_t first = pick(s, 20, 40), step = pick(s, 2, 9), count = pick(s, 2, 3), turn = pick(s, 3, 5);
    int64_t most = s->ranks == 4 ? 0 : s->ranks, far = s->ranks % 2 ? 65535 : 1,
            base = s->ranks % 2 ? 0 : 1 << 30;
    give_number(s, "calls", calls);
    for (int r = 0; r < s->ranks; r++) {
        double node = (double)(first - step * ((r + r / 3) % count));
        give(s, r, "node", DIST_F64, &node, 1);
        node = (double)(base + far * (r < 3 && most >= 2 ? (turn - r) % 3 : pick(s, 0, most)));
        give(s, r, "node again", DIST_F64, &node, 1);
    }
}

/* The text names no largest world: who has room for eight ranks only has too little. */
GRADED(right_neighbours, 7)
{
    EACH_SITTING(s, 1, 9) {
        lay_out(s, 2);
        sit(s);
        expect(s, "neighbours", 2, neighbour);
        expect(s, "neighbours again", 2, neighbour_again);
    }
}

GRADED(one_gather, 3)
{
    EACH_SITTING(s, 2, 8) {
        lay_out(s, 1);
        if (!sit(s))
            continue;
        expect(s, "neighbours", 2, neighbour);
        for (int r = 0; r < s->ranks; r++)
            claim(s, way_calls(s, r, "all_gather") == 1,
                  "rank %d made %d calls of all_gather; one is what it takes", r,
                  way_calls(s, r, "all_gather"));
    }
}
