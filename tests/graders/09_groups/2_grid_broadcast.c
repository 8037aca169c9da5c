/* Grades 09.2: a broadcast along the root's row, then down all columns. */
#include "steps.h"

const struct exercise exercise = {
    .title = "A broadcast over a grid",
    .forbidden = COLLECTIVES MESSAGES,
    .needed = "dist_broadcast dist_new_group",
    .drawing = "spacetime",
    .calls_often = true,
};

static int root; /* that of_root() tells of */

static double of_root(const struct sitting *s, int rank, int64_t i)
{
    (void)rank; /* the same on all */
    return given(s, root, "x", i);
}

enum { KINDS = 7 };
static const struct {
    enum dist_type type;
    int bytes;
} kinds[KINDS] = { { DIST_F32, 4 }, { DIST_F64, 8 },  { DIST_I32, 4 }, { DIST_I64, 8 },
                   { DIST_U8, 1 },  { DIST_BF16, 2 }, { DIST_F16, 2 } };

static void lay_out(struct sitting *s, int64_t least, int64_t most)
{
    give_random(s, "x", kinds[s->ranks % KINDS].type, pick(s, least, most));
}

/* The desk has all grids that this number of ranks can have, and in each all roots. */
#define EACH_GRID(s, rows) \
    for (int rows = 1; rows <= (s)->ranks; rows++) \
        if ((s)->ranks % rows == 0)

static void expect_all(struct sitting *s)
{
    EACH_GRID(s, rows)
    {
        for (root = 0; root < s->ranks; root++) {
            char name[64];
            snprintf(name, sizeof name, "x (%d x %d, root %d)", rows, s->ranks / rows, root);
            expect(s, name, given_count(s, 0, "x"), of_root);
        }
    }
}

GRADED(everybody_has_it, 4)
{
    EACH_SITTING(s, 1, 9) {
        lay_out(s, 1, 9);
        sit(s);
        expect_all(s);
    }
}

/* What a rank must take part in, for one grid and one root. A group of one needs nothing. */
static int steps_of(const struct sitting *s, int rank, int rows, struct step *steps)
{
    int columns = s->ranks / rows, count = 0, here = root / columns * columns + rank % columns;
    if (rank / columns == root / columns && columns > 1)
        steps[count++] =
            (struct step){ "broadcast", "along the root's row", rank / columns * columns, 1, columns, root };
    if (rows > 1)
        steps[count++] = (struct step){ "broadcast", "down its column", rank % columns, columns, rows, here };
    return count;
}

static void follow_grid(struct sitting *s, int rank, int rows, int *nth)
{
    for (root = 0; root < s->ranks; root++, ++*nth) {
        char when[64];
        struct step steps[2];
        int count = steps_of(s, rank, rows, steps);
        snprintf(when, sizeof when, "%d x %d, root %d", rows, s->ranks / rows, root);
        /* behind the last root of a grid the desk makes the groups of the next one */
        claim(s, steps_calls(s, rank, *nth, "new_group") == 0 || root + 1 == s->ranks,
              "%s: rank %d makes a group; it was given all that it needs", when, rank);
        steps_follow(s, rank, *nth, when, steps, count);
    }
}

/* The desk itself calls no collective. */
static void in_its_own_type(struct sitting *s, int rank)
{
    int64_t bytes = given_count(s, 0, "x") * kinds[s->ranks % KINDS].bytes;
    for (int i = s->run->first[rank]; i < s->run->first[rank + 1]; i++) {
        const struct act *act = &s->run->acts[i];
        bool right = act->kind != ACT_COLLECTIVE || act->bytes == bytes;
        if (!claim(s, right, "rank %d broadcasts %lld bytes, and x has %lld: send all of it, in its own type",
                   rank, (long long)act->bytes, (long long)bytes))
            return;
    }
}

GRADED(along_the_row_then_down, 4)
{
    EACH_SITTING(s, 2, 8) {
        lay_out(s, s->ranks == 5 ? 4100 : 500, s->ranks == 5 ? 5000 : 2000);
        sit(s);
        expect_all(s);
        for (int r = 0; s->run && r < s->ranks; r++) {
            int nth = 0;
            in_its_own_type(s, r);
            EACH_GRID(s, rows)
            {
                follow_grid(s, r, rows, &nth);
            }
        }
    }
}

GRADED(nothing_is_left, 2)
{
    EACH_SITTING(s, 1, 8) {
        lay_out(s, 1, 9);
        sit(s);
        expect_all(s);
        for (int r = 0; r < s->ranks; r++)
            claim(s, handed(s, r, "left", 0) == 0,
                  "rank %d leaves 1 or more tensors behind that nobody freed", r);
    }
}
