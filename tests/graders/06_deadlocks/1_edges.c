/* Grades 06.1: neighbours in a row swap their edges, in any order that does not get stuck. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "Crossed edges",
    .forbidden = COLLECTIVES,
    .drawing = "flow",
};

static double left_edge(const struct sitting *s, int rank, int64_t i)
{
    return rank > 0 ? given(s, rank - 1, "last", i) : 0;
}

static double right_edge(const struct sitting *s, int rank, int64_t i)
{
    return rank < s->ranks - 1 ? given(s, rank + 1, "first", i) : 0;
}

GRADED(every_edge_arrives, 7)
{
    EACH_SITTING(s, 1, 9) {
        int64_t n = pick_length(s);
        give_random(s, "first", DIST_F32, n);
        give_random(s, "last", DIST_F32, n);
        sit(s);
        expect(s, "from_left", n, left_edge);
        expect(s, "from_right", n, right_edge);
        way_alone(s);
    }
}

GRADED(one_to_each_neighbour, 3)
{
    EACH_SITTING(s, 2, 8) {
        int64_t n = pick_length(s);
        give_random(s, "first", DIST_F32, n);
        give_random(s, "last", DIST_F32, n);
        sit(s);
        expect(s, "from_left", n, left_edge);
        expect(s, "from_right", n, right_edge);
        for (int r = 0; r < s->ranks; r++) {
            int to_left = way_sends_to(s, r, r - 1), to_right = way_sends_to(s, r, r + 1);
            bool one_each = to_left == (r > 0) && to_right == (r < s->ranks - 1);
            claim(s, one_each && way_sends(s, r) == to_left + to_right,
                  "rank %d sent %d messages: %d to its left, %d to its right; one to each neighbour is right",
                  r, way_sends(s, r), to_left, to_right);
            way_carries(s, r, 4 * n * ((r > 0) + (r < s->ranks - 1)));
        }
    }
}
