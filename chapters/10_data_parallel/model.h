/*
 * model.h: a perceptron that learns to read digits: its gradients, and its step. No message is in it.
 *
 *     x, 64 --> relu(x w1 + b1), 128 --> softmax(y w2 + b2), 10 shares of 1, one for each digit
 *
 * All parameters lie in one flat tensor, all gradients in another, in the same order; w1, b1, w2, b2 are views of it.
 *
 *     weights     [ w1: 64 x 128                        | b1: 128 | w2: 128 x 10 | b2: 10 | padding ]
 *     gradients   [ the same                                                                        ]
 */
#ifndef MODEL_H
#define MODEL_H

#include "digits.h"

#include <math.h>

enum { MOST_LAYERS = 8, HIDDEN = 128 };

#define RATE 0.05
#define MOMENTUM 0.9

struct model {
    int layers, parameters;             /* each layer has two: w, then b */
    int64_t begin[2 * MOST_LAYERS + 1]; /* of each in the flat tensors; the last is the end of all */
    tensor *weights, *gradients, *velocity;
    tensor *weight[2 * MOST_LAYERS], *gradient[2 * MOST_LAYERS]; /* views */
    tensor
        *y[MOST_LAYERS + 1]; /* what goes into layer l, kept from forward to backward; the last: the shares */
};

/* ---- making it ------------------------------------------------------------------------------- */

/* A part of a flat tensor, seen as rows and columns. */
static inline tensor *view_of(const tensor *flat, int64_t begin, int rows, int columns)
{
    tensor *part = tensor_slice(flat, begin, begin + (int64_t)rows * columns);
    tensor *matrix = tensor_view(part, rows, columns);
    tensor_free(part);
    return matrix;
}

/* By chance between plus and minus 1 / sqrt(inputs of the layer): the same for the same seed. */
static inline void model_start(struct model *m, const int *widths, uint32_t seed)
{
    float *values = calloc((size_t)m->begin[m->parameters] + 1, sizeof *values);
    for (int i = 0; values && i < m->parameters; i++) {
        for (int64_t k = 0; k < tensor_numel(m->weight[i]); k++)
            values[k] = (float)((draw(&seed) / 2147483648.0 - 1) / sqrt(widths[i / 2]));
        tensor_write(m->weight[i], values);
    }
    free(values);
}

/* Layers of these widths, in flat tensors that can be cut into `parts` equal parts. */
static inline struct model model_new(int layers, const int *widths, int parts)
{
    struct model m = { .layers = layers, .parameters = 2 * layers };
    for (int l = 0; l < layers; l++) {
        m.begin[2 * l + 1] = m.begin[2 * l] + (int64_t)widths[l] * widths[l + 1];
        m.begin[2 * l + 2] = m.begin[2 * l + 1] + widths[l + 1];
    }
    int64_t length = (m.begin[m.parameters] + parts - 1) / parts * parts;
    m.weights = tensor_zeros(DIST_F32, length);
    m.gradients = tensor_zeros(DIST_F32, length);
    m.velocity = tensor_zeros(DIST_F32, length);
    for (int i = 0; i < m.parameters; i++) {
        int rows = i % 2 == 0 ? widths[i / 2] : 1;
        m.weight[i] = view_of(m.weights, m.begin[i], rows, widths[i / 2 + 1]);
        m.gradient[i] = view_of(m.gradients, m.begin[i], rows, widths[i / 2 + 1]);
    }
    model_start(&m, widths, 2024);
    return m;
}

/* The model of this chapter: 64 -> 128 -> 10. */
static inline struct model model_for_digits(int parts)
{
    return model_new(2, (int[]){ PIXELS, HIDDEN, CLASSES }, parts);
}

static inline void model_free(struct model *m)
{
    for (int i = 0; i < m->parameters; i++) {
        tensor_free(m->weight[i]);
        tensor_free(m->gradient[i]);
    }
    tensor_free(m->velocity);
    tensor_free(m->gradients);
    tensor_free(m->weights);
}

/* ---- forward and backward --------------------------------------------------------------------- */

/* y = x w + b: the row b is added to every row, by a product with a column of ones. */
static inline tensor *layer_forward(struct model *m, int l, const tensor *x)
{
    int64_t rows = tensor_size(x, 0), columns = tensor_size(m->weight[2 * l], 1);
    tensor *y = tensor_zeros(DIST_F32, rows, columns), *ones = tensor_full(DIST_F32, 1, rows, 1);
    tensor *b = tensor_zeros(DIST_F32, rows, columns);
    tensor_matmul(y, x, m->weight[2 * l]);
    tensor_matmul(b, ones, m->weight[2 * l + 1]);
    tensor_add(y, b);
    if (l < m->layers - 1)
        tensor_relu(y);
    tensor_free(b);
    tensor_free(ones);
    return y;
}

/* x becomes y[0] and belongs to the model; y[layers] is the shares. */
static inline void model_forward(struct model *m, tensor *x)
{
    m->y[0] = x;
    for (int l = 0; l < m->layers; l++)
        m->y[l + 1] = layer_forward(m, l, m->y[l]);
    tensor_softmax(m->y[m->layers]);
}

/* dw = x^T dy, and db = the sum of dy's rows. The result is dx = dy w^T, cut where relu has cut; NULL for layer 0.
 * dy is freed. */
static inline tensor *layer_backward(struct model *m, int l, tensor *dy)
{
    tensor *x = m->y[l], *w = m->weight[2 * l], *dx = NULL;
    int64_t rows = tensor_size(x, 0), inputs = tensor_size(w, 0);
    tensor *xt = tensor_zeros(DIST_F32, inputs, rows), *ones = tensor_full(DIST_F32, 1, 1, rows);
    tensor_transpose(xt, x);
    tensor_matmul(m->gradient[2 * l], xt, dy);
    tensor_matmul(m->gradient[2 * l + 1], ones, dy);
    if (l > 0) {
        tensor *wt = tensor_zeros(DIST_F32, tensor_size(w, 1), inputs);
        dx = tensor_zeros(DIST_F32, rows, inputs);
        tensor_transpose(wt, w);
        tensor_matmul(dx, dy, wt);
        tensor_relu_backward(dx, x);
        tensor_free(wt);
    }
    tensor_free(ones);
    tensor_free(xt);
    tensor_free(dy);
    return dx;
}

/* The gradient of the loss by what went into the softmax: shares - target, for the mean over `batch` samples. */
static inline tensor *loss_backward(const struct model *m, const tensor *target, int batch)
{
    tensor *dy = tensor_clone(m->y[m->layers]);
    tensor_sub(dy, target);
    tensor_mul_scalar(dy, 1.0 / batch);
    return dy;
}

/* What forward has kept. */
static inline void model_forget(struct model *m)
{
    for (int l = 0; l <= m->layers; l++)
        tensor_free(m->y[l]);
}

/* ---- the step ---------------------------------------------------------------------------------- */

/* v = 0.9 v + g; w = w - 0.05 v. */
static inline void sgd(tensor *w, tensor *v, const tensor *g)
{
    tensor_mul_scalar(v, MOMENTUM);
    tensor_add(v, g);
    tensor *step = tensor_clone(v);
    tensor_mul_scalar(step, RATE);
    tensor_sub(w, step);
    tensor_free(step);
}

static inline void model_step(struct model *m)
{
    sgd(m->weights, m->velocity, m->gradients);
}

#endif
