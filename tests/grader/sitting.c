/* sitting.c: one sitting after another, and what the grader lays out for each. */
#define _GNU_SOURCE
#include "inside.h"
#include "../reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TWICE_WITH 4 /* ranks */

static struct sitting now;

/* Never 0, which would mean: none yet. So many that nobody finds the right one by trying, in the seconds that a program has: from its own
 * numbers a rank must not learn those of the others. */
static uint64_t new_seed(void)
{
    uint64_t seed = 0;
    const char *given = getenv("GRADE_SEED");
    if (given)
        seed = strtoull(given, NULL, 10);
    else if (getentropy(&seed, sizeof seed) != 0)
        abort();
    seed = given ? seed : seed >> 16;
    return seed ? seed : 1;
}

static struct sitting *begin(int ranks)
{
    uint64_t seed = now.seed ? now.seed : new_seed();
    now = (struct sitting){ .ranks = ranks, .seed = seed, .state = seed * 1000003u + (uint64_t)ranks };
    sheets_new(ranks);
    return &now;
}

/* As many ranks once more, and other numbers: for a second call in the same run. */
static struct sitting *begin_again(void)
{
    now = (struct sitting){ .ranks = now.ranks,
                            .again = true,
                            .seed = now.seed,
                            .state = now.seed * 1000003u + (uint64_t)now.ranks + 500009u };
    sheets_again(now.ranks);
    return &now;
}

const struct sitting *sitting_now(void)
{
    return &now;
}

/* How often we have moved on, and the fewest ranks that make sense here. A world of one comes last: it is a special case,
 * and what is said about it does not help anybody whose program fails in all others too. */
static int moves, fewest;

/* After a failure the sitting stays the one in which it was. */
struct sitting *sitting_first(int least, int most)
{
    if (feedback_any())
        return NULL;
    moves = 0;
    fewest = least;
    now.ranks = 0;
    return sitting_next(&now, most);
}

/* A world in which the function is called twice has enough ranks for all that can go wrong, and not so many that it takes long. */
static bool is_for_two_calls(const struct sitting *s, int most)
{
    return s->ranks > 1 && s->ranks == (most < TWICE_WITH ? most : TWICE_WITH) && !s->again &&
           !exercise.calls_often;
}

struct sitting *sitting_next(struct sitting *s, int most)
{
    if (is_for_two_calls(s, most) && !feedback_any())
        return begin_again();
    while (moves < MOST_RANKS && !feedback_any()) {
        int ranks = ++moves < MOST_RANKS ? moves + 1 : 1;
        if (ranks >= fewest && ranks <= most)
            return begin(ranks);
    }
    return NULL;
}

/* ---- laying out ----------------------------------------------------------------- */

int64_t pick(struct sitting *s, int64_t least, int64_t most)
{
    return least + ref_below(&s->state, most - least + 1);
}

/* A tensor that was kept from the first call must not happen to fit the second one. */
int64_t pick_length(struct sitting *s)
{
    return s->ranks == 5 ? pick(s, 4100, 5000) : s->again ? pick(s, 10, 18) : pick(s, 1, 9);
}

void give(struct sitting *s, int rank, const char *name, enum dist_type type, const double *values,
          int64_t count)
{
    if (rank < 0 || rank >= s->ranks)
        abort();
    sheet_add(&given_sheets[rank], name, type, values, count);
}

void give_number(struct sitting *s, const char *name, double value)
{
    for (int rank = 0; rank < s->ranks; rank++)
        give(s, rank, name, DIST_F64, &value, 1);
}

/* What numbers are drawn: (a whole one + fraction) x unit. */
struct spread {
    int64_t least, most;
    double fraction, unit;
};

/* Of either sign where the type has one; never two neighbours alike. */
static void give_spread(struct sitting *s, const char *name, enum dist_type type, int64_t count,
                        struct spread spread)
{
    double *values = calloc((size_t)count + 1, sizeof *values);
    int64_t last = spread.least - 1;
    for (int rank = 0; values && rank < s->ranks; rank++) {
        for (int64_t i = 0; i < count; i++) {
            int64_t value = pick(s, spread.least, spread.most - 1);
            last = value >= last ? value + 1 : value; /* one of all but the last one */
            values[i] = ((double)last + spread.fraction) * spread.unit;
            values[i] *= type != DIST_U8 && pick(s, 0, 1) ? -1 : 1;
        }
        give(s, rank, name, type, values, count);
    }
    s->largest = fmax(s->largest, (double)(spread.most + 1) * spread.unit);
    free(values);
}

void give_random(struct sitting *s, const char *name, enum dist_type type, int64_t count)
{
    static const struct spread spreads[] = {
        [DIST_F32] = { 1024, 2047, 0.5, 1 },           /* 12 bits: an F16 has 11 */
        [DIST_F64] = { 1, 99, 0x1p-25, 1 },            /* 26 bits and more: an F32 has 24 */
        [DIST_F16] = { 1024, 2047, 0, 1 },             /* 11 bits: a BF16 has 8 */
        [DIST_BF16] = { 128, 255, 0, 1 << 20 },        /* beyond the largest F16 */
        [DIST_I32] = { 1 << 23, 1 << 25, 0.5, 2 },     /* odd, beyond 2^24: no F32 */
        [DIST_I64] = { 1LL << 31, 1LL << 32, 0.5, 2 }, /* beyond the largest I32, and odd */
        [DIST_U8] = { 1, 99, 0, 1 },
    };
    give_spread(s, name, type, count, spreads[type]);
}

void give_below_100(struct sitting *s, const char *name, int64_t count)
{
    give_spread(s, name, DIST_F32, count, (struct spread){ 1, 99, 0.5, 1 });
}

static double item(const struct sheet *sheet, const char *name, int64_t i)
{
    struct sheet_head head;
    const char *data = sheet_find(sheet, name, &head);
    return data && i >= 0 && i < head.count ? sheet_item(&head, data, i) : (double)NAN;
}

double given(const struct sitting *s, int rank, const char *name, int64_t i)
{
    return rank >= 0 && rank < s->ranks ? item(&given_sheets[rank], name, i) : (double)NAN;
}

int64_t given_count(const struct sitting *s, int rank, const char *name)
{
    struct sheet_head head;
    return rank >= 0 && rank < s->ranks && sheet_find(&given_sheets[rank], name, &head) ? head.count : -1;
}

double handed(const struct sitting *s, int rank, const char *name, int64_t i)
{
    return rank >= 0 && rank < s->ranks ? item(&handed_sheets[rank], name, i) : (double)NAN;
}
