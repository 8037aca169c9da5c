/* Grades 12.2: two collectives of two groups, in one order on all ranks, and both under way at once. */
#include "../../grader/grader.h"

const struct exercise exercise = { .title = "Two groups, one order",
                                   .drawing = "spacetime",
                                   .calls_often = true };

static double sum(const struct sitting *s, int rank, int64_t i)
{
    double all = 0;
    (void)rank;
    for (int r = 0; r < s->ranks; r++)
        all += given(s, r, "sum", i);
    return all;
}

static double most(const struct sitting *s, int rank, int64_t i)
{
    double largest = given(s, 0, "most", i);
    (void)rank;
    for (int r = 1; r < s->ranks; r++)
        largest = given(s, r, "most", i) > largest ? given(s, r, "most", i) : largest;
    return largest;
}

enum { GROUP_A = 1, GROUP_B }; /* groups are numbered as they are made; 0 is the world */

/* One is longer than the other, so that a trace tells which is which. */
static int64_t lay_out(struct sitting *s, int calls, bool held)
{
    int64_t n = pick_length(s);
    give_number(s, "calls", calls);
    give_number(s, "held", held);
    give_random(s, "sum", DIST_F32, n);
    give_random(s, "most", DIST_F32, n + 1);
    for (int r = 0; r < s->ranks; r++)
        give(s, r, "most_first", DIST_F64, (double[]){ r == 1 ? 1 : (double)pick(s, 0, 1) }, 1);
    return n;
}

GRADED(the_values, 4)
{
    EACH_SITTING(s, 1, 9) {
        int64_t n = lay_out(s, 2, false);
        sit(s);
        expect(s, "sum", n, sum);
        expect(s, "most", n + 1, most);
        for (int r = 0; r < s->ranks; r++)
            claim(s, handed(s, r, "in_order", 0) == 1,
                  "rank %d: make_sum and make_most must each be called once, make_most first where "
                  "most_first says so",
                  r);
    }
}

/* A rank's nth all-reduce; -1. */
static int nth_reduce(const struct run *run, int rank, int nth)
{
    for (int i = run->first[rank]; i < run->first[rank + 1]; i++)
        if (run->acts[i].kind == ACT_COLLECTIVE && strcmp(run->acts[i].name, "all_reduce") == 0 && nth-- == 0)
            return i;
    return -1;
}

/* The sum has n elements, the largest n + 1. */
static bool in_its_group(const struct act *act, int64_t n)
{
    return (act->group == GROUP_A && act->elements == n) || (act->group == GROUP_B && act->elements == n + 1);
}

/* Between the two starts nobody is waited for: not for the first of the two, and not in a call of another kind. */
static bool nothing_between(const struct run *run, int first, int second)
{
    for (int i = first + 1; i < second; i++)
        if (run->acts[i].kind == ACT_WAIT ? way_waits(run, i) : run->acts[i].kind != ACT_SPAN)
            return false;
    return run->acts[first].finished >= 0;
}

static void look(struct sitting *s, int r, int call, int64_t n)
{
    int first = nth_reduce(s->run, r, 2 * call), second = nth_reduce(s->run, r, 2 * call + 1);
    if (!claim(s, first >= 0 && second >= 0, "rank %d: there must be an all-reduce in each group", r))
        return;
    bool placed = in_its_group(&s->run->acts[first], n) && in_its_group(&s->run->acts[second], n) &&
                  s->run->acts[first].group != s->run->acts[second].group;
    claim(s, placed, "rank %d: the sum belongs into group a, the largest into group b", r);
    claim(s, !placed || s->run->acts[first].group == GROUP_A,
          "rank %d did not start the one of group a first: with NCCL it may stand still for ever", r);
    claim(s, nothing_between(s->run, first, second),
          "rank %d waited after it had started the first all-reduce, before it started the second: "
          "both under way together, then wait",
          r);
}

/* With four ranks the function is called twice, and the order must hold both times. */
GRADED(one_order, 6)
{
    EACH_SITTING(s, 1, 8) {
        int calls = s->ranks == 4 ? 2 : 1;
        int64_t n = lay_out(s, calls, false);
        if (!sit(s))
            continue;
        expect(s, "sum", n, sum);
        expect(s, "most", n + 1, most);
        for (int r = 0; r < s->ranks * calls; r++)
            look(s, r / calls, r % calls, n);
    }
    EACH_SITTING(s, 2, 3) { /* a wait that no trace shows: a look again and again */
        int64_t n = lay_out(s, 1, true);
        sit(s);
        expect(s, "sum", n, sum);
        expect(s, "most", n + 1, most);
    }
}
