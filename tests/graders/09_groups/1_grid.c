/* Grades 09.1: a group for each row and column of a grid, made by all. */
#include "../../grader/grader.h"

#include <string.h>

const struct exercise exercise = {
    .title = "A grid of any size",
    .forbidden = COLLECTIVES MESSAGES,
    .needed = "dist_all_gather dist_new_group",
    .drawing = "spacetime",
    .calls_often = true,
};

static int width; /* columns of the grid that the answers below are about */

static double row_member(const struct sitting *s, int rank, int64_t i)
{
    (void)s;
    return (double)(rank / width * width + i);
}

static double column_member(const struct sitting *s, int rank, int64_t i)
{
    (void)s;
    return (double)(rank % width + i * width);
}

/* The desk makes all grids that this number of ranks can have. */
#define EACH_GRID(s, rows) \
    for (int rows = 1; rows <= (s)->ranks; rows++) \
        if ((s)->ranks % rows == 0)

static const char *called(const char *what, int rows, int columns)
{
    static char name[64];
    snprintf(name, sizeof name, "%d x %d: %s", rows, columns, what);
    return name;
}

/* Does each rank hold a group that it is in? */
static bool handed_over(struct sitting *s, const char *what, int rows)
{
    char place[32];
    bool all = true;
    snprintf(place, sizeof place, "%s place", what);
    for (int r = 0; r < s->ranks && all; r++)
        all = claim(s, handed(s, r, called(place, rows, s->ranks / rows), 0) >= 0,
                    "%d x %d: rank %d was handed over no %s that it is in", rows, s->ranks / rows, r, what);
    return all;
}

/* The grader's desk itself meets twice in each grid, in the row and in the column. */
static void only_groups(struct sitting *s, int groups, int grids)
{
    for (int r = 0; s->run && r < s->ranks; r++) {
        claim(s, way_calls(s, r, "new_group") == groups,
              "rank %d made %d groups for %d grids; rows + columns of them are %d", r,
              way_calls(s, r, "new_group"), grids, groups);
        claim(s, way_calls(s, r, "all_gather") == 2 * grids,
              "rank %d meets the others in all_gather; no group needs that", r);
    }
}

/* Members of the k-th new_group of a rank: the trace tells them of groups that were used, and all are. */
static const struct members *group_of(const struct sitting *s, int rank, int nth)
{
    for (int i = s->run->first[rank]; i < s->run->first[rank + 1]; i++)
        if (strcmp(s->run->acts[i].name, "all_gather") == 0 && nth-- == 0)
            return run_group(s->run, s->run->acts[i].group);
    return NULL;
}

static void expect_grids(struct sitting *s)
{
    EACH_GRID(s, rows)
    {
        width = s->ranks / rows;
        if (handed_over(s, "row", rows))
            expect(s, called("row", rows, width), width, row_member);
        if (handed_over(s, "column", rows))
            expect(s, called("column", rows, width), rows, column_member);
    }
}

GRADED(who_is_in_it, 5)
{
    EACH_SITTING(s, 1, 9) {
        sit(s);
        expect_grids(s);
    }
}

/* Groups are numbered as they are made: in each grid every row's number is below every column's. */
GRADED(by_all_ranks_in_one_order, 3)
{
    EACH_SITTING(s, 1, 8) {
        int groups = 0, grids = 0;
        EACH_GRID(s, rows)
        {
            groups += rows + s->ranks / rows;
            grids++;
        }
        if (!sit(s))
            continue;
        expect_grids(s);
        only_groups(s, groups, grids);
        int last = 0, grid = 0;
        EACH_GRID(s, rows)
        {
            for (int r = 0; r < s->ranks; r++) {
                const struct members *row = group_of(s, r, 2 * grid), *column = group_of(s, r, 2 * grid + 1);
                claim(
                    s, row && column && row->id > last && row->id <= last + rows && column->id > last + rows,
                    "%d x %d: rank %d's row is not among the first %d groups that were made; first all rows, "
                    "then all columns",
                    rows, s->ranks / rows, r, rows);
            }
            last += rows + s->ranks / rows;
            grid++;
        }
    }
}

GRADED(nothing_is_left, 2)
{
    EACH_SITTING(s, 1, 8) {
        sit(s);
        expect_grids(s);
        for (int r = 0; r < s->ranks; r++)
            claim(s, handed(s, r, "left", 0) == 0,
                  "rank %d leaves 1 or more groups or tensors behind that nobody gave back", r);
    }
}
