/* network.c: y = relu(x w) in each layer, y = x w in the last; the loss is half the squared distance from the target. */
#include "network.h"
#include "inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = NETWORK_WIDTH, MOST_ROWS = 16 };

static struct {
    double x[MOST_RANKS][MOST_ROWS * WIDTH]; /* the batch is that of rank 0 */
    double w[MOST_RANKS][WIDTH * WIDTH];
    double target[MOST_ROWS * WIDTH];
} network; /* drawn last */

/* Its gradients, and their parts without a sign: as long as these are no more than a double can count, every sum is exact. */
static double dw[MOST_RANKS][WIDTH * WIDTH], size[MOST_RANKS][WIDTH * WIDTH];

static void draw_matrix(struct sitting *s, double *values, int rows, int least, int most)
{
    for (int i = 0; i < rows * WIDTH; i++)
        values[i] = (double)pick(s, least, most);
}

/* No F32 holds these: with an even number of layers what the result is to be off its target, and with an odd one the samples. (Both at once
 * would be more than a double holds.) */
static double wide(double value)
{
    return value * (1 << 25) + 1;
}

/* In `target` is at first how far the result is to be off. */
static void draw(struct sitting *s, int rows)
{
    for (int rank = 0; rank < s->ranks; rank++) {
        draw_matrix(s, network.x[rank], rows, 1, 3);
        draw_matrix(s, network.w[rank], WIDTH, -1, 2);
    }
    draw_matrix(s, network.target, rows, 1, 99);
    double *widened = s->ranks % 2 ? network.x[0] : network.target;
    for (int i = 0; i < rows * WIDTH; i++)
        widened[i] = wide(widened[i]);
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
            size[layer][k * WIDTH + j] += fabs(x[k] * dy[j]);
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
    for (int i = 0; i < WIDTH; i++) {
        double *target = &network.target[row * WIDTH + i];
        dy[i] = *target;
        *target = x[layers][i] - dy[i];
    }
    bool counts = true;
    for (int layer = layers - 1; layer >= 0; layer--)
        counts = layer_backward(layer, layer == layers - 1, x[layer], x[layer + 1], dy) && counts;
    return counts;
}

/* Is it of use? A sample whose gradient is nothing but zeros could be left out, and nobody would see it. */
static bool is_good(int rows, int layers)
{
    bool good = true;
    memset(dw, 0, sizeof dw);
    memset(size, 0, sizeof size);
    for (int row = 0; row < rows; row++)
        good = add_sample(row, layers) && good;
    for (int layer = 0; layer < layers; layer++)
        for (int i = 0; i < WIDTH * WIDTH; i++)
            good = good && size[layer][i] < 0x1p53;
    return good;
}

void network_lay_out(struct sitting *s, int rows)
{
    if (rows > MOST_ROWS)
        abort();
    do
        draw(s, rows);
    while (!is_good(rows, s->ranks));
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
