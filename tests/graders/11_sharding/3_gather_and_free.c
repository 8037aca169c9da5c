/* Grades 11.3: weights gathered before use and freed after, gradients reduced and scattered; the most memory is measured. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "Gather before use, free after",
    .forbidden = COLLECTIVES MESSAGES " tensor_reset_peak_memory",
    .needed = "dist_all_gather dist_reduce_scatter",
    .drawing = "spacetime",
    .calls_often = true,
};

enum { LAYERS = 8, WIDTH = 16, ROWS = 2 }; /* at most */

/* Of this sitting: the whole, worked out once. */
static int layers, rows, width;
static double w[LAYERS][WIDTH][WIDTH], dw[LAYERS][WIDTH][WIDTH], y[9][LAYERS + 1][ROWS][WIDTH];

static const char *name_of(const char *what, int layer)
{
    static char name[40];
    snprintf(name, sizeof name, "%s %d", what, layer);
    return name;
}

static void work_forward(int r, int l)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < width; j++) {
            double sum = 0;
            for (int k = 0; k < width; k++)
                sum += y[r][l][i][k] * w[l][k][j];
            y[r][l + 1][i][j] = sum > 0 ? sum : 0;
        }
}

static void work_backward(int r, int l, double dy[ROWS][WIDTH])
{
    double dx[ROWS][WIDTH] = { { 0 } };
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < width; j++) {
            double d = y[r][l + 1][i][j] > 0 ? dy[i][j] : 0;
            for (int k = 0; k < width; k++) {
                dw[l][k][j] += y[r][l][i][k] * d;
                dx[i][k] += d * w[l][k][j];
            }
        }
    memcpy(dy, dx, sizeof dx);
}

static void work_out(const struct sitting *s)
{
    int64_t share = (int64_t)width * width / s->ranks;
    memset(dw, 0, sizeof dw);
    for (int l = 0; l < layers; l++)
        for (int64_t i = 0; i < width * width; i++)
            w[l][i / width][i % width] = given(s, (int)(i / share), name_of("share", l), i % share);
    for (int r = 0; r < s->ranks; r++) {
        double dy[ROWS][WIDTH];
        for (int i = 0; i < rows * width; i++) {
            y[r][0][i / width][i % width] = given(s, r, "x", i);
            dy[i / width][i % width] = given(s, r, "dy", i);
        }
        for (int l = 0; l < layers; l++)
            work_forward(r, l);
        for (int l = layers - 1; l >= 0; l--)
            work_backward(r, l, dy);
    }
}

static int layer; /* which answer() tells of */

static double last_y(const struct sitting *s, int rank, int64_t i)
{
    (void)s;
    return y[rank][layers][i / width][i % width];
}

static double gradient(const struct sitting *s, int rank, int64_t i)
{
    int64_t at = rank * ((int64_t)width * width / s->ranks) + i;
    return dw[layer][at / width][at % width];
}

/* Small whole numbers: all sums are exact. */
static void give_small(struct sitting *s, const char *name, int64_t count, int64_t least, int64_t most)
{
    double values[WIDTH * WIDTH];
    for (int r = 0; r < s->ranks; r++) {
        for (int64_t i = 0; i < count; i++)
            values[i] = (double)pick(s, least, most);
        give(s, r, name, DIST_F64, values, count);
    }
}

/* With three ranks there is one layer, with seven as many as there may be. With four and eight a share is no number of whole rows. */
static void lay_out(struct sitting *s, int calls)
{
    give_number(s, "calls", calls);
    rows = (int)pick(s, 1, ROWS);
    layers = (int)(s->ranks == 3 ? 1 : s->ranks == 7 ? LAYERS : pick(s, 2, 5));
    width = s->ranks % 4 == 0 ? 3 * s->ranks / 2 : 2 * s->ranks < 6 ? 6 * s->ranks : 2 * s->ranks;
    width = width > WIDTH ? WIDTH / s->ranks * s->ranks : width;
    for (int l = 0; l < layers; l++)
        give_small(s, name_of("share", l), (int64_t)width * width / s->ranks, -1, 2);
    give_small(s, "x", rows * width, 1,
               layers == 1 ? 1LL << 40 : 3); /* one layer's sums stay exact, and no F32 holds them */
    give_small(s, "dy", rows * width, -3, 3);
    give_number(s, "rows", rows);
    give_number(s, "width", width);
    give_number(s, "layers", layers);
    work_out(s);
}

static void expect_all(struct sitting *s)
{
    expect(s, "y", rows * width, last_y);
    for (layer = 0; layer < layers; layer++)
        expect(s, name_of("gradient", layer), (int64_t)width * width / s->ranks, gradient);
}

GRADED(values_and_gradients, 5)
{
    EACH_SITTING(s, 1, 9) {
        lay_out(s, 2);
        sit(s);
        expect_all(s);
    }
}

/* Forward: one whole layer beside what it must keep. Backward: w, dw, and w turned, which layer_backward makes. */
GRADED(one_layer_at_a_time, 3)
{
    EACH_SITTING(s, 1, 8) {
        lay_out(s, 1);
        if (!sit(s))
            continue;
        expect_all(s);
        double whole = 8.0 * width * width, row = 8.0 * rows * width;
        double copy = s->ranks == 1 ? whole : 0; /* a rank alone may have copied its share, which is all */
        for (int r = 0; r < s->ranks; r++) {
            claim(s, handed(s, r, "forward", 0) <= 1.5 * whole + copy + layers * row,
                  "rank %d had %g bytes at most in forward, beyond what it had before and keeps; the weights "
                  "of one layer are "
                  "%g",
                  r, handed(s, r, "forward", 0) - layers * row, whole);
            claim(s, handed(s, r, "backward", 0) <= 3.5 * whole + copy + 2 * row,
                  "rank %d had %g bytes at most in backward beyond what it had before; the weights of one "
                  "layer, turned too, "
                  "and their gradient are %g",
                  r, handed(s, r, "backward", 0), 3 * whole);
            claim(
                s,
                handed(s, r, "kept by forward", 0) < layers * row + whole / 2 &&
                    handed(s, r, "kept by backward", 0) < whole / 2,
                "rank %d keeps %g bytes when forward is over, and %g when backward is, beyond what it gives: "
                "something whole was not freed",
                r, handed(s, r, "kept by forward", 0) - layers * row, handed(s, r, "kept by backward", 0));
            claim(s, handed(s, r, "kept by backward", 0) < -row / 2,
                  "rank %d holds as much when backward is over as before: a dy was not freed, and it is "
                  "yours to free",
                  r);
        }
    }
}

GRADED(each_layer_travels_three_times, 2)
{
    EACH_SITTING(s, 2, 8) {
        lay_out(s, 1);
        if (!sit(s))
            continue;
        expect_all(s);
        for (int r = 0; r < s->ranks; r++) {
            int gathers = way_calls(s, r, "all_gather"), scatters = way_calls(s, r, "reduce_scatter");
            int64_t bytes = 0, right = 3 * layers * (int64_t)(8 * width * width);
            for (int i = s->run->first[r]; i < s->run->first[r + 1]; i++)
                bytes += s->run->acts[i].kind == ACT_COLLECTIVE ? s->run->acts[i].bytes : 0;
            claim(s, bytes == right,
                  "rank %d took part with %lld bytes, in %d calls of all_gather and %d of reduce_scatter; "
                  "the weights of each "
                  "layer, gathered twice, and their gradient are %lld",
                  r, (long long)bytes, gathers, scatters, (long long)right);
        }
    }
}
