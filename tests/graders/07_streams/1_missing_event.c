/* Grades 07.1: two events, there and back, and a host that never waits. Checked mode reports a missing one on every run. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "The missing event",
    .forbidden = "dist_synchronize dist_stream_synchronize",
    .drawing = "streams",
};

static double sum(const struct sitting *s, int rank, int64_t i)
{
    double x = 3 * given(s, rank, "x", i);
    return x + x * x;
}

GRADED(the_sums, 5)
{
    EACH_SITTING(s, 1, 4) {
        int64_t n = pick(s, 1, 9);
        give_random(s, "x", DIST_F32, n);
        sit(s);
        expect(s, "x", n, sum);
    }
}

static int busy(const struct run *run, int rank, int stream)
{
    int count = 0;
    for (int i = 0; i < run->slice_count; i++)
        count += run->slices[i].rank == rank && run->slices[i].stream == stream;
    return count;
}

GRADED(two_streams_are_used, 5)
{
    EACH_SITTING(s, 1, 4) {
        give_random(s, "x", DIST_F32, 3);
        if (!sit(s))
            continue;
        expect(s, "x", 3, sum);
        for (int r = 0; r < s->ranks; r++) {
            claim(s, handed(s, r, "current", 0) == 1,
                  "rank %d: in the end the default stream is not the current stream", r);
            claim(s, handed(s, r, "events", 0) == 0, "rank %d leaves %g events behind that nobody freed", r,
                  handed(s, r, "events", 0));
            claim(s, busy(s->run, r, 1) >= 2,
                  "rank %d: the stream aside should copy and multiply, and has done %d things", r,
                  busy(s->run, r, 1));
        }
    }
}
