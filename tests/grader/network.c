/* network.c: y = relu(x w) in each layer, y = x w in the last; the loss is half the squared distance from the target. */
#include "network.h"
#include "inside.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = NETWORK_WIDTH, MOST_ROWS = 16 };

static struct {
    double x[MOST_RANKS][MOST_ROWS * WIDTH]; /* the batch is that of rank 0 */
    double w[MOST_RANKS][WIDTH * WIDTH];
    double target[MOST_ROWS * WIDTH];
} network; /* drawn last */

/* Its gradients. With 16 samples and 8 layers of nothing but 2s they reach 5.1e15; doubles count to 9.0e15. */
static double dw[MOST_RANKS][WIDTH * WIDTH];

static void draw_matrix(struct sitting *s, double *values, int rows, int least, int most)
{
    for (int i = 0; i < rows * WIDTH; i++)
        values[i] = (double)pick(s, least, most);
}

static void draw(struct sitting *s, int rows)
{
    for (int rank = 0; rank < s->ranks; rank++) {
        draw_matrix(s, network.x[rank], rows, 1, 3);
        draw_matrix(s, network.w[rank], WIDTH, -1, 2);
    }
    draw_matrix(s, network.target, rows, 1, 99);
}

static void layer_forward(int layer, bool last, const double *x, double *y)
{
    for (int j = 0; j < WIDTH; j++) {
        y[j] = 0;
        for (int k = 0; k < WIDTH; k++)
            y[j] += x[k] * network.w[layer][k * WIDTH + j];
        y[j] = y[j] < 0 && !last ? 0 : y[j];
    }
}

/* dy, the gradient by y, becomes that by x. Where relu has cut off, none comes through: does any? */
static bool layer_backward(int layer, bool last, const double *x, const double *y, double *dy)
{
    double dx[WIDTH] = { 0 };
    bool any = false;
    for (int j = 0; j < WIDTH; j++) {
        dy[j] = y[j] <= 0 && !last ? 0 : dy[j];
        any = any || dy[j] != 0;
        for (int k = 0; k < WIDTH; k++) {
            dw[layer][k * WIDTH + j] += x[k] * dy[j];
            dx[k] += dy[j] * network.w[layer][k * WIDTH + j];
        }
    }
    memcpy(dy, dx, sizeof dx);
    return any;
}

/* One sample, forward and back. Does it count in every layer? */
static bool add_sample(int row, int layers)
{
    double x[MOST_RANKS + 1][WIDTH], dy[WIDTH];
    memcpy(x[0], &network.x[0][row * WIDTH], sizeof x[0]);
    for (int layer = 0; layer < layers; layer++)
        layer_forward(layer, layer == layers - 1, x[layer], x[layer + 1]);
    for (int i = 0; i < WIDTH; i++)
        dy[i] = x[layers][i] - network.target[row * WIDTH + i];
    bool counts = true;
    for (int layer = layers - 1; layer >= 0; layer--)
        counts = layer_backward(layer, layer == layers - 1, x[layer], x[layer + 1], dy) && counts;
    return counts;
}

/* Does every sample count? One whose gradient is nothing but zeros could be left out, and nobody would see it. */
static bool every_sample_counts(int rows, int layers)
{
    bool counts = true;
    memset(dw, 0, sizeof dw);
    for (int row = 0; row < rows; row++)
        counts = add_sample(row, layers) && counts;
    return counts;
}

void network_lay_out(struct sitting *s, int rows)
{
    if (rows > MOST_ROWS)
        abort();
    do
        draw(s, rows);
    while (!every_sample_counts(rows, s->ranks));
    give_number(s, "rows", rows);
    give_number(s, "width", WIDTH);
    for (int rank = 0; rank < s->ranks; rank++) {
        give(s, rank, "x", DIST_F64, network.x[rank], (int64_t)rows * WIDTH);
        give(s, rank, "w", DIST_F64, network.w[rank], WIDTH * WIDTH);
    }
    give(s, s->ranks - 1, "target", DIST_F64, network.target, (int64_t)rows * WIDTH);
}

double network_gradient(const struct sitting *s, int rank, int64_t i)
{
    (void)s;
    return dw[rank][i];
}
