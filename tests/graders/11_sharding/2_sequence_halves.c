/* Grades 11.2: an MLP whose weights and rows are both cut: gather, then reduce and scatter; and the same back. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "Two halves of an all-reduce",
    .forbidden = COLLECTIVES MESSAGES,
    .needed = "dist_all_gather dist_reduce_scatter",
    .drawing = "spacetime",
};

enum { ALL = 125, WIDTH = 12, MIDDLE = 60 }; /* at most */

/* Of this sitting: the whole, worked out once. */
static int rows, width, middle, all;
static double x[ALL][WIDTH], h[ALL][MIDDLE], dy[ALL][WIDTH], dh[ALL][MIDDLE];

static double w_at(const struct sitting *s, int i, int j)
{
    return given(s, j / middle, "w", (int64_t)i * middle + j % middle);
}

static double v_at(const struct sitting *s, int i, int j)
{
    return given(s, i / middle, "v", (int64_t)(i % middle) * width + j);
}

static void work_out(const struct sitting *s)
{
    for (int r = 0; r < all; r++) {
        for (int j = 0; j < width; j++) {
            x[r][j] = given(s, r / rows, "x", (int64_t)(r % rows) * width + j);
            dy[r][j] = given(s, r / rows, "dy", (int64_t)(r % rows) * width + j);
        }
        for (int m = 0; m < middle * s->ranks; m++) {
            h[r][m] = dh[r][m] = 0;
            for (int j = 0; j < width; j++) {
                h[r][m] += x[r][j] * w_at(s, j, m);
                dh[r][m] += dy[r][j] * v_at(s, m, j);
            }
            if (h[r][m] <= 0)
                h[r][m] = dh[r][m] = 0;
        }
    }
}

static double y(const struct sitting *s, int rank, int64_t i)
{
    double sum = 0;
    for (int m = 0; m < middle * s->ranks; m++)
        sum += h[rank * rows + i / width][m] * v_at(s, m, (int)(i % width));
    return sum;
}

static double dx(const struct sitting *s, int rank, int64_t i)
{
    double sum = 0;
    for (int m = 0; m < middle * s->ranks; m++)
        sum += dh[rank * rows + i / width][m] * w_at(s, (int)(i % width), m);
    return sum;
}

static double dw(const struct sitting *s, int rank, int64_t i)
{
    (void)s;
    double sum = 0;
    for (int r = 0; r < all; r++)
        sum += x[r][i / middle] * dh[r][rank * middle + i % middle];
    return sum;
}

static double dv(const struct sitting *s, int rank, int64_t i)
{
    (void)s;
    double sum = 0;
    for (int r = 0; r < all; r++)
        sum += h[r][rank * middle + i / width] * dy[r][i % width];
    return sum;
}

/* Few halves, so that all sums are exact; where they are long, more of them than an F16 can count. */
static void give_halves(struct sitting *s, const char *name, int count, bool is_long)
{
    double values[ALL * WIDTH];
    int most = is_long ? 4095 : 6;
    for (int r = 0; r < s->ranks; r++) {
        for (int i = 0; i < count; i++)
            values[i] = 0.5 * (double)pick(s, -most, most);
        give(s, r, name, DIST_F32, values, count);
    }
}

/* Small matrices; larger ones with five ranks, and in the second call of a run. */
static void lay_out(struct sitting *s, int calls)
{
    bool large = s->ranks == 5;
    give_number(s, "calls", calls);
    int more = s->again ? 3 : 0;
    rows = (int)(large ? pick(s, 20, 25) : pick(s, 1, 3) + more);
    width = (int)(large ? pick(s, 9, 12) : pick(s, 2, 4) + more);
    middle = (int)(large ? pick(s, 9, 12) : pick(s, 1, 3) + more);
    all = rows * s->ranks;
    give_halves(s, "x", rows * width, s->ranks == 2);
    give_halves(s, "dy", rows * width, s->ranks == 3);
    give_halves(s, "w", width * middle, false);
    give_halves(s, "v", middle * width, false);
    give_number(s, "rows", rows);
    give_number(s, "width", width);
    give_number(s, "middle", middle);
    work_out(s);
}

static void expect_all(struct sitting *s)
{
    expect(s, "y", rows * width, y);
    expect(s, "dv", middle * width, dv);
    expect(s, "dw", width * middle, dw);
    expect(s, "dx", rows * width, dx);
    for (int r = 0; r < s->ranks; r++)
        claim(s, handed(s, r, "w and v are the same", 0) == 1,
              "rank %d: w and v are const, and yet one of them was changed", r);
}

GRADED(forward_and_gradients, 6)
{
    EACH_SITTING(s, 1, 9) {
        lay_out(s, 2);
        sit(s);
        expect_all(s);
    }
}

GRADED(as_many_bytes_as_an_all_reduce, 4)
{
    EACH_SITTING(s, 2, 8) {
        lay_out(s, 1);
        if (!sit(s))
            continue;
        expect_all(s);
        for (int r = 0; r < s->ranks; r++) {
            int gathers = way_calls(s, r, "all_gather"), scatters = way_calls(s, r, "reduce_scatter");
            int64_t bytes = 0;
            for (int i = s->run->first[r]; i < s->run->first[r + 1]; i++)
                bytes += s->run->acts[i].kind == ACT_COLLECTIVE ? s->run->acts[i].bytes : 0;
            claim(s, gathers == 2 && scatters == 2 && bytes == 4 * 4 * (int64_t)all * width,
                  "rank %d made %d calls of all_gather and %d of reduce_scatter, of %lld bytes together; one "
                  "of each, of "
                  "all rows (%d bytes), is what each direction needs",
                  r, gathers, scatters, (long long)bytes, 4 * all * width);
        }
    }
}
