/* Grades 07.1: two events, there and back, and a host that never waits. Checked mode reports a missing one on every run. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "The missing event",
    .forbidden = "dist_synchronize dist_stream_synchronize",
    .drawing = "streams",
    .calls_often = true,
};

static double squared(const struct sitting *s, int rank, int64_t i)
{
    double x = -2 * given(s, rank, "x", i);
    return x * x;
}

static double sum(const struct sitting *s, int rank, int64_t i)
{
    return -2 * given(s, rank, "x", i) + squared(s, rank, i);
}

/* Held: the work waits until the learner's function has returned, on all ranks. A rank alone has nobody to wait for. */
static int64_t lay_out(struct sitting *s, bool held)
{
    int64_t n = pick(s, 1, 9);
    give_random(s, "x", DIST_F32, n);
    give_number(s, "held", held && s->ranks > 1);
    give_number(s, "calls", held ? 1 : 2);
    return n;
}

GRADED(the_sums, 5)
{
    EACH_SITTING(s, 1, 8) {
        int64_t n = lay_out(s, false);
        sit(s);
        expect(s, "x", n, sum);
        expect(s, "y", n, squared);
    }
}

static int made(const struct run *run, int rank, int stream, const char *what)
{
    int count = 0;
    for (int i = 0; i < run->slice_count; i++)
        count += run->slices[i].rank == rank && run->slices[i].stream == stream &&
                 strcmp(run->slices[i].name, what) == 0;
    return count;
}

/* In the default stream the desk itself copies once and fills once, before the learner's function begins. */
static void in_its_stream(struct sitting *s, int rank)
{
    enum { USUAL, ASIDE, DESKS_COPIES = 1 };
    claim(s, handed(s, rank, "on usual", 0) == 1, "rank %d: work(x) belongs into the default stream", rank);
    claim(s,
          made(s->run, rank, ASIDE, "tensor_mul") > 0 && made(s->run, rank, USUAL, "tensor_mul") == 0 &&
              made(s->run, rank, USUAL, "tensor_copy") <= DESKS_COPIES &&
              made(s->run, rank, USUAL, "tensor_add") <= 1,
          "rank %d: the two lines for y belong into the stream aside", rank);
    claim(s, made(s->run, rank, USUAL, "tensor_add") > 0,
          "rank %d: the last addition belongs into the default stream", rank);
}

GRADED(two_streams_are_used, 5)
{
    EACH_SITTING(s, 1, 4) {
        int64_t n = lay_out(s, true);
        if (!sit(s))
            continue;
        expect(s, "x", n, sum);
        for (int r = 0; r < s->ranks; r++) {
            claim(s, handed(s, r, "current", 0) == 1,
                  "rank %d: in the end the default stream is not the current stream", r);
            claim(s, handed(s, r, "events", 0) == 0, "rank %d leaves %g events behind that nobody freed", r,
                  handed(s, r, "events", 0));
            in_its_stream(s, r);
        }
    }
}
