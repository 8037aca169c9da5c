/* Grades 11.4: tokens to the experts that were chosen for them, and back; values, and how much has travelled. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "Tokens to their experts",
    .forbidden = COLLECTIVES MESSAGES,
    .needed = "dist_all_to_all",
    .drawing = "spacetime",
};

enum { MOST = 1000 }; /* tokens of a rank */

static int width, calls;

/* To whom a token goes in the last call: with each call one further on. */
static double chosen(const struct sitting *s, int rank, int64_t token)
{
    return (double)(((int)given(s, rank, "choice", token) + calls - 1) % s->ranks);
}

static double result(const struct sitting *s, int rank, int64_t i)
{
    double expert = chosen(s, rank, i / width);
    return given(s, rank, "x", i) * (expert + 2) + 1000 * (expert + 1);
}

static int tokens_for(const struct sitting *s, int rank, int expert)
{
    int count = 0;
    for (int64_t i = 0; i < given_count(s, rank, "choice"); i++)
        count += chosen(s, rank, i) == expert;
    return count;
}

/* How many come to an expert. */
static int arriving(const struct sitting *s, int expert)
{
    int count = 0;
    for (int r = 0; r < s->ranks; r++)
        count += tokens_for(s, r, expert);
    return count;
}

static double rows_at_work(const struct sitting *s, int rank, int64_t i)
{
    (void)i;
    return arriving(s, rank);
}

/* One expert is chosen by nobody, where there are three ranks or more; the others not evenly. With six ranks one of them has no token, with five
 * each has so many that a count of them fits into no byte; with three the rows are long. In the second call of a run each has more
 * tokens than in the first. */
static void lay_out(struct sitting *s, int many)
{
    calls = many;
    give_number(s, "calls", calls);
    int64_t lonely = s->ranks > 2 ? pick(s, 0, s->ranks - 1) : -1;
    width = (int)(s->ranks == 3 ? pick(s, 20, 40) : pick(s, 1, 4));
    give_number(s, "width", width);
    for (int r = 0; r < s->ranks; r++) {
        int64_t tokens = s->ranks == 6 && r == 3 ? 0
                         : s->ranks == 5         ? pick(s, 900, MOST)
                         : s->again              ? pick(s, 10, 18)
                                                 : pick(s, 1, 9);
        double choice[MOST], x[MOST * 4];
        for (int64_t i = 0; i < tokens; i++) {
            choice[i] = (double)(pick(s, 0, s->ranks - 1) * pick(s, 0, 1) + pick(s, 0, 1));
            if (choice[i] >= s->ranks || choice[i] == lonely)
                choice[i] = (double)((lonely + 1) % s->ranks);
        }
        for (int64_t i = 0; i < tokens * width; i++)
            x[i] = pick_f32(s);
        give(s, r, "choice", DIST_I64, choice, tokens);
        give(s, r, "x", DIST_F32, x, tokens * width);
    }
}

static void expect_all(struct sitting *s)
{
    for (int r = 0; r < s->ranks; r++)
        expect_on(s, r, "y", given_count(s, r, "x"), result);
    expect(s, "rows", 1, rows_at_work);
    for (int r = 0; r < s->ranks; r++)
        claim(s, handed(s, r, "x is the same", 0) == 1, "rank %d: x is const, and yet it was changed", r);
    for (int r = 0; r < s->ranks; r++)
        claim(s, handed(s, r, "works", 0) == calls,
              "rank %d called work() %g times in %d calls of route; it is called once, also with no row", r,
              handed(s, r, "works", 0), calls);
}

GRADED(every_token_comes_back, 6)
{
    EACH_SITTING(s, 1, 8) {
        lay_out(s, 2);
        sit(s);
        expect_all(s);
    }
}

GRADED(only_what_must_travel, 4)
{
    EACH_SITTING(s, 2, 8) {
        lay_out(s, 1);
        if (!sit(s))
            continue;
        expect_all(s);
        for (int r = 0; r < s->ranks; r++) {
            int64_t sent = given_count(s, r, "choice"), come = arriving(s, r),
                    most = sent > come ? sent : come, bytes = 0;
            int64_t right = 2 * most * width * 4 + 8 * s->ranks;
            for (int i = s->run->first[r]; i < s->run->first[r + 1]; i++)
                bytes += s->run->acts[i].kind == ACT_COLLECTIVE ? s->run->acts[i].bytes : 0;
            claim(s, bytes <= right && way_calls(s, r, "all_to_all") == 3,
                  "rank %d took part with %lld bytes in %d calls of all_to_all; counts, tokens there and "
                  "tokens back are three "
                  "calls with %lld",
                  r, (long long)bytes, way_calls(s, r, "all_to_all"), (long long)right);
        }
    }
}
