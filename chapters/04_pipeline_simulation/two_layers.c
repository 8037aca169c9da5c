/*
 * two_layers.c: a model of two layers, 10 -> 20 -> 5, with one layer on each of two ranks.
 *
 *     x, 4 x 10 --> [ rank 0: 10 -> 20, relu ] --h, 4 x 20--> [ rank 1: 20 -> 5 ] --> y, 4 x 5
 *
 * Run it:  make run-04 PROG=two_layers N=2
 */
#include "dist.h"

enum { ROWS = 4, IN = 10, HIDDEN = 20, OUT = 5 };

/* Weights that every rank can make for itself: small, of both signs, and no two rows alike. */
static tensor *make_weights(int layer, int rows, int columns)
{
    tensor *w = tensor_zeros(DIST_F32, rows, columns);
    for (int i = 0; i < rows * columns; i++)
        tensor_set(w, i, ((i * 7 + layer * 5) % 11 - 4) / 8.0);
    return w;
}

static tensor *make_input(void)
{
    tensor *x = tensor_zeros(DIST_F32, ROWS, IN);
    for (int i = 0; i < ROWS * IN; i++)
        tensor_set(x, i, (i * 3 % 7) / 4.0);
    return x;
}

static tensor *first_layer(const tensor *x)
{
    tensor *w = make_weights(1, IN, HIDDEN), *h = tensor_zeros(DIST_F32, ROWS, HIDDEN);
    tensor_matmul(h, x, w);
    tensor_relu(h);
    tensor_free(w);
    return h;
}

static tensor *second_layer(const tensor *h)
{
    tensor *w = make_weights(2, HIDDEN, OUT), *y = tensor_zeros(DIST_F32, ROWS, OUT);
    tensor_matmul(y, h, w);
    tensor_free(w);
    return y;
}

/* Rank 1 checks: the same model, both layers in one place. */
static bool is_right(const tensor *y)
{
    tensor *x = make_input(), *h = first_layer(x), *alone = second_layer(h);
    bool same = tensor_equal(y, alone);
    tensor_free(alone);
    tensor_free(h);
    tensor_free(x);
    return same;
}

static void rank_0(void)
{
    tensor *x = make_input();
    tensor *h = first_layer(x);
    dist_send(h, 1);
    printf("rank 0 sent an activation of %d x %d\n", ROWS, HIDDEN);
    tensor_free(h);
    tensor_free(x);
}

static void rank_1(void)
{
    tensor *h = tensor_zeros(DIST_F32, ROWS, HIDDEN);
    dist_recv(h, 0);
    tensor *y = second_layer(h);
    tensor *first_row = tensor_slice(y, 0, 1);
    tensor_print(first_row, "rank 1 has y, whose first row is");
    printf("the same bits as on one rank: %s\n", is_right(y) ? "yes" : "no");
    tensor_free(first_row);
    tensor_free(y);
    tensor_free(h);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    if (world_size == 1)
        printf("one rank alone has nobody to send to: make run-04 PROG=two_layers N=2\n");
    else if (rank == 0)
        rank_0();
    else if (rank == 1)
        rank_1();
    else
        printf("rank %d has no layer\n", rank);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 2);
}
