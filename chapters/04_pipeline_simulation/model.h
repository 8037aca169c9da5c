/*
 * model.h: a model of layers, and its training step, without any rank or message.
 *
 *     x --> y = relu(x w) --> y = relu(x w) --> ... --> y = x w --> loss        half the squared distance from a
 *       <-- dx            <-- dx            <--     <-- dx      <-- dy          target, for the mean sample
 */
#ifndef MODEL_H
#define MODEL_H

#include "dist.h"

#include <stdlib.h>

enum { WIDTH = 16, ROWS = 16, MOST = 8 }; /* a batch of 16 samples, cut into 8 pieces at most */

/* Numbers that every rank can make for itself. */
static inline tensor *make_matrix(int seed, int rows, int columns)
{
    tensor *t = tensor_zeros(DIST_F32, rows, columns);
    for (int i = 0; i < rows * columns; i++)
        tensor_set(t, i, ((i * 29 + seed * 17) % 31 - 13) / 40.0);
    return t;
}

static inline tensor *layer_forward(const tensor *x, const tensor *w, bool last)
{
    tensor *y = tensor_zeros(DIST_F32, tensor_size(x, 0), WIDTH);
    tensor_matmul(y, x, w);
    if (!last)
        tensor_relu(y);
    return y;
}

/* dw += x^T dy, and the result is dx = dy w^T. */
static inline tensor *layer_backward(tensor *dy, const tensor *x, const tensor *y, const tensor *w,
                                     tensor *dw, bool last)
{
    int64_t rows = tensor_size(x, 0);
    tensor *xt = tensor_zeros(DIST_F32, WIDTH, rows), *wt = tensor_zeros(DIST_F32, WIDTH, WIDTH);
    tensor *part = tensor_zeros(DIST_F32, WIDTH, WIDTH), *dx = tensor_zeros(DIST_F32, rows, WIDTH);
    if (!last)
        tensor_relu_backward(dy, y);
    tensor_transpose(xt, x);
    tensor_matmul(part, xt, dy);
    tensor_add(dw, part);
    tensor_transpose(wt, w);
    tensor_matmul(dx, dy, wt);
    tensor_free(part);
    tensor_free(wt);
    tensor_free(xt);
    return dx;
}

/* The gradient of the loss by y; the loss of these samples is added to *loss. */
static inline tensor *loss_backward(const tensor *y, const tensor *target, double *loss)
{
    tensor *dy = tensor_clone(y), *square;
    tensor_sub(dy, target);
    square = tensor_clone(dy);
    tensor_mul(square, dy);
    *loss += tensor_sum(square) / (2 * ROWS);
    tensor_mul_scalar(dy, 1.0 / ROWS);
    tensor_free(square);
    return dy;
}

/* Samples of micro-batch i out of a whole batch. */
static inline tensor *piece_of(int seed, int i, int pieces)
{
    tensor *batch = make_matrix(seed, ROWS, WIDTH);
    tensor *piece = tensor_slice(batch, i * ROWS / pieces, (i + 1) * ROWS / pieces);
    tensor_free(batch);
    return piece;
}

enum { INPUTS = 1000, TARGETS = 2000 }; /* seeds */

/* The whole model on one rank, to compare with: the gradient of one of its layers, and the loss. */
static inline tensor *alone(int layers, int layer, int pieces, double *loss)
{
    tensor **w = calloc(3 * (size_t)layers + 1, sizeof *w), **dw = w + layers, **x = dw + layers;
    for (int l = 0; l < layers; l++) {
        w[l] = make_matrix(l, WIDTH, WIDTH);
        dw[l] = tensor_zeros(DIST_F32, WIDTH, WIDTH);
    }
    for (int i = 0; i < pieces; i++) {
        x[0] = piece_of(INPUTS, i, pieces);
        for (int l = 0; l < layers; l++)
            x[l + 1] = layer_forward(x[l], w[l], l == layers - 1);
        tensor *target = piece_of(TARGETS, i, pieces), *dy = loss_backward(x[layers], target, loss);
        tensor_free(target);
        for (int l = layers - 1; l >= 0; l--) {
            tensor *dx = layer_backward(dy, x[l], x[l + 1], w[l], dw[l], l == layers - 1);
            tensor_free(dy);
            tensor_free(x[l + 1]);
            dy = dx;
        }
        tensor_free(dy);
        tensor_free(x[0]);
    }
    tensor *result = tensor_clone(dw[layer]);
    for (int l = 0; l < 2 * layers; l++)
        tensor_free(w[l]);
    free(w);
    return result;
}

#endif
