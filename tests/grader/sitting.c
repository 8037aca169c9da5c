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
    return s->ranks == 5 ? pick(s, 2000, 3000) : s->again ? pick(s, 10, 18) : pick(s, 1, 9);
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

static void give_whole_and(double fraction, struct sitting *s, const char *name, enum dist_type type,
                           int64_t count)
{
    double *values = calloc((size_t)count + 1, sizeof *values);
    int64_t last = 0;
    for (int rank = 0; values && rank < s->ranks; rank++) {
        for (int64_t i = 0; i < count; i++) {
            int64_t value = pick(s, 1, 98);
            last = value >= last ? value + 1 : value; /* from 1 to 99, but not the last one */
            values[i] = ((double)last + fraction) * (type != DIST_U8 && pick(s, 0, 1) ? -1 : 1);
        }
        give(s, rank, name, type, values, count);
    }
    free(values);
}

void give_random(struct sitting *s, const char *name, enum dist_type type, int64_t count)
{
    give_whole_and(type == DIST_F32 ? 0.5 : 0, s, name, type, count);
}

void give_fractions(struct sitting *s, const char *name, int64_t count)
{
    give_whole_and(0x1p-25, s, name, DIST_F64, count);
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
