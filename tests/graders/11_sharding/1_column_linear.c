/* Grades 11.1: a linear layer cut by columns, and the one sum that its backward needs. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "Columns of a linear layer",
    .forbidden = COLLECTIVES MESSAGES,
    .needed = "dist_all_reduce",
    .drawing = "spacetime",
};

/* Of this sitting. */
static int rows, inner, columns;

static double at(const struct sitting *s, int rank, const char *name, int row, int column, int width)
{
    return given(s, rank, name, (int64_t)row * width + column);
}

static double y(const struct sitting *s, int rank, int64_t i)
{
    double sum = 0;
    for (int k = 0; k < inner; k++)
        sum += at(s, rank, "x", (int)i / columns, k, inner) * at(s, rank, "w", k, (int)i % columns, columns);
    return sum;
}

static double dw(const struct sitting *s, int rank, int64_t i)
{
    double sum = 0;
    for (int r = 0; r < rows; r++)
        sum += at(s, rank, "x", r, (int)i / columns, inner) * at(s, rank, "dy", r, (int)i % columns, columns);
    return sum;
}

static double dx(const struct sitting *s, int rank, int64_t i)
{
    (void)rank;
    double sum = 0;
    for (int r = 0; r < s->ranks; r++)
        for (int c = 0; c < columns; c++)
            sum += at(s, r, "dy", (int)i / inner, c, columns) * at(s, r, "w", (int)i % inner, c, columns);
    return sum;
}

/* In worlds of so many ranks this one has numbers that no F16 holds; not two of them at once, or their products would be rounded. */
static void give_long_with(struct sitting *s, int ranks, const char *name, int count)
{
    if (s->ranks == ranks)
        give_random(s, name, DIST_F32, count);
    else
        give_below_100(s, name, count);
}

/* Small matrices; with five ranks many rows, with six many columns. All are larger in the second call of a run. */
static void lay_out(struct sitting *s, int calls)
{
    double x[90 * 5];
    int more = s->again ? 4 : 0;
    rows = (int)(s->ranks == 5 ? pick(s, 70, 90) : pick(s, 1, 5)) + 2 * more;
    give_number(s, "calls", calls);
    inner = (int)(s->ranks == 6 ? pick(s, 30, 40) : pick(s, 2, 5)) + more;
    columns = (int)(s->ranks == 6 ? pick(s, 20, 30) : pick(s, 1, 4)) + more;
    for (int i = 0; i < rows * inner; i++)
        x[i] = s->ranks == 4 ? pick_f32(s) : (double)pick(s, 1, 99);
    for (int r = 0; r < s->ranks; r++)
        give(s, r, "x", DIST_F32, x, rows * inner);
    give_long_with(s, 2, "w", inner * columns);
    give_long_with(s, 3, "dy", rows * columns);
    give_number(s, "rows", rows);
    give_number(s, "inner", inner);
    give_number(s, "columns", columns);
}

static void expect_all(struct sitting *s)
{
    expect(s, "y", rows * columns, y);
    expect(s, "dw", inner * columns, dw);
    expect(s, "dx", rows * inner, dx);
    for (int r = 0; r < s->ranks; r++)
        claim(s, handed(s, r, "w is the same", 0) == 1, "rank %d: w is const, and yet it was changed", r);
}

GRADED(forward_and_gradients, 7)
{
    EACH_SITTING(s, 1, 9) {
        lay_out(s, 2);
        sit(s);
        expect_all(s);
    }
}

GRADED(only_dx_travels, 3)
{
    EACH_SITTING(s, 2, 8) {
        lay_out(s, 1);
        if (!sit(s))
            continue;
        expect_all(s);
        for (int r = 0; r < s->ranks; r++) {
            int64_t bytes = 0;
            for (int i = s->run->first[r]; i < s->run->first[r + 1]; i++)
                bytes += s->run->acts[i].kind == ACT_COLLECTIVE ? s->run->acts[i].bytes : 0;
            claim(s, bytes == 4 * rows * inner && way_calls(s, r, "all_reduce") == 1,
                  "rank %d summed %lld bytes in %d calls of all_reduce; one call with dx, %d bytes, is all "
                  "that "
                  "forward and backward need",
                  r, (long long)bytes, way_calls(s, r, "all_reduce"), 4 * rows * inner);
        }
    }
}
