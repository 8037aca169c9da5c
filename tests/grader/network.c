/* network.c: y = relu(x w) in each layer, y = x w in the last; the loss is half the squared distance from the target. */
#include "network.h"
#include "inside.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = NETWORK_WIDTH, MOST_ROWS = 16 };

/* The gradients of the network that was laid out last. With 16 samples and 8 layers of nothing but 2s they reach 5.1e15;
 * doubles count to 9.0e15. */
static double dw[MOST_RANKS][WIDTH * WIDTH];

static void give_matrix(struct sitting *s, int rank, const char *name, int rows, int least, int most)
{
    double values[MOST_ROWS * WIDTH];
    for (int i = 0; i < rows * WIDTH; i++)
        values[i] = (double)pick(s, least, most);
    give(s, rank, name, DIST_F64, values, (int64_t)rows * WIDTH);
}

static void layer_forward(const struct sitting *s, int layer, const double *x, double *y)
{
    for (int j = 0; j < WIDTH; j++) {
        y[j] = 0;
        for (int k = 0; k < WIDTH; k++)
            y[j] += x[k] * given(s, layer, "w", k * WIDTH + j);
        y[j] = y[j] < 0 && layer < s->ranks - 1 ? 0 : y[j];
    }
}

/* dy, the gradient by y, becomes that by x. Where relu has cut off, none comes through. */
static void layer_backward(const struct sitting *s, int layer, const double *x, const double *y, double *dy)
{
    double dx[WIDTH] = { 0 };
    for (int j = 0; j < WIDTH; j++) {
        dy[j] = y[j] <= 0 && layer < s->ranks - 1 ? 0 : dy[j];
        for (int k = 0; k < WIDTH; k++) {
            dw[layer][k * WIDTH + j] += x[k] * dy[j];
            dx[k] += dy[j] * given(s, layer, "w", k * WIDTH + j);
        }
    }
    memcpy(dy, dx, sizeof dx);
}

/* One sample, forward and back. */
static void add_sample(const struct sitting *s, int row)
{
    double x[MOST_RANKS + 1][WIDTH], dy[WIDTH];
    for (int i = 0; i < WIDTH; i++)
        x[0][i] = given(s, 0, "x", row * WIDTH + i);
    for (int layer = 0; layer < s->ranks; layer++)
        layer_forward(s, layer, x[layer], x[layer + 1]);
    for (int i = 0; i < WIDTH; i++)
        dy[i] = x[s->ranks][i] - given(s, s->ranks - 1, "target", row * WIDTH + i);
    for (int layer = s->ranks - 1; layer >= 0; layer--)
        layer_backward(s, layer, x[layer], x[layer + 1], dy);
}

void network_lay_out(struct sitting *s, int rows)
{
    if (rows > MOST_ROWS)
        abort();
    give_number(s, "rows", rows);
    give_number(s, "width", WIDTH);
    for (int rank = 0; rank < s->ranks; rank++) {
        give_matrix(s, rank, "x", rows, 1, 3);
        give_matrix(s, rank, "w", WIDTH, -1, 2);
    }
    give_matrix(s, s->ranks - 1, "target", rows, 1, 99);
    memset(dw, 0, sizeof dw);
    for (int row = 0; row < rows; row++)
        add_sample(s, row);
}

double network_gradient(const struct sitting *s, int rank, int64_t i)
{
    (void)s;
    return dw[rank][i];
}
