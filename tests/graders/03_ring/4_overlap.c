/* Grades 03.4: an odd rank starts to receive, works, waits, and adds. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "Start, compute, wait, use",
    .forbidden = COLLECTIVES,
    .drawing = "spacetime",
};

static double squares(const struct sitting *s, int rank, int64_t i)
{
    double mine = given(s, rank, "half", i), other = rank % 2 ? given(s, rank - 1, "half", i) : 0;
    return mine * mine + other * other;
}

GRADED(the_sums, 5)
{
    EACH_SITTING(s, 1, 9) {
        int64_t n = pick_length(s);
        give_random(s, "half", DIST_F32, n);
        give_number(s, "held", false);
        sit(s);
        expect(s, "half", n, squares);
    }
}

/* The place of a rank's first act of a kind, in its order, which if it is a span is the desk's; -1: there is none. */
static int place(const struct run *run, int rank, enum act_kind kind)
{
    for (int i = run->first[rank]; i < run->first[rank + 1]; i++)
        if (run->acts[i].kind == kind && (kind != ACT_SPAN || strcmp(run->acts[i].name, "desk: work") == 0))
            return i;
    return -1;
}

/* Where what was started was waited for; -1: nowhere. */
static int wait_for(const struct run *run, int start)
{
    for (int i = start; start >= 0 && i < run->first[run->acts[start].rank + 1]; i++)
        if (run->acts[i].started == start && way_waits(run, i))
            return i;
    return -1;
}

/* Bytes that a rank had started to receive before this act; that it received at all. */
static int64_t on_their_way(const struct run *run, int rank, int before)
{
    int64_t bytes = 0;
    for (int i = run->first[rank]; i < before; i++)
        bytes += run->acts[i].kind == ACT_IRECV ? run->acts[i].bytes : 0;
    return bytes;
}

static int64_t received(const struct run *run, int rank)
{
    int64_t bytes = 0;
    for (int i = run->first[rank]; i < run->first[rank + 1]; i++)
        bytes += run->acts[i].kind == ACT_IRECV || run->acts[i].kind == ACT_RECV ? run->acts[i].bytes : 0;
    return bytes;
}

/* By the order of what an odd rank did, not by the clock. */
GRADED(work_while_it_travels, 5)
{
    EACH_SITTING(s, 2, 8) {
        int64_t n = pick_length(s);
        give_random(s, "half", DIST_F32, n);
        give_number(s, "held", false);
        if (!sit(s))
            continue;
        expect(s, "half", n, squares);
        for (int r = 0; r + 1 < s->ranks; r += 2)
            way_carries(s, r, n * 4);
        for (int r = 1; r < s->ranks; r += 2) {
            int start = place(s->run, r, ACT_IRECV), work = place(s->run, r, ACT_SPAN);
            int wait = wait_for(s->run, start);
            claim(s, start >= 0, "rank %d never started a receive (dist_irecv)", r);
            claim(s, work >= 0, "rank %d did not work", r);
            claim(s, start < 0 || work < 0 || start < work,
                  "rank %d worked before it started to receive: the message could not travel meanwhile", r);
            int64_t early = on_their_way(s->run, r, work), all = received(s->run, r);
            claim(s, work < 0 || (early >= n * 4 && early == all),
                  "rank %d worked when it had started to receive %lld bytes of %lld; the result of rank %d "
                  "has %lld",
                  r, (long long)early, (long long)all, r - 1, (long long)n * 4);
            claim(s, way_sends(s, r) == 0, "rank %d sent %d messages; only even ranks send", r,
                  way_sends(s, r));
            claim(s, wait < 0 || work < wait, "rank %d waited before it worked: nothing overlaps", r);
        }
    }
    EACH_SITTING(s, 2, 3) { /* a wait that no trace shows: a look again and again */
        int64_t n = pick_length(s);
        give_random(s, "half", DIST_F32, n);
        give_number(s, "held", true);
        sit(s);
        expect(s, "half", n, squares);
    }
}
