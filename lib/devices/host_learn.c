/*
 * host_learn.c: the kernels of learning, in plain C: softmax, gelu, layer norm, embedding, cross-entropy, AdamW.
 *
 * All of them calculate in double, element by element and from left to right, and round once.
 */
#include "kernel.h"

#include <math.h>
#include <string.h>

/* The two types that programs learn in without a call for each element: the compiler takes the choice out of the loops. */
static inline double learn_load(enum dist_type type, const void *array, int64_t i)
{
    if (type == DIST_F32)
        return ((const float *)array)[i];
    return type == DIST_F64 ? ((const double *)array)[i] : dtype_load(type, array, i);
}

static inline void learn_store(enum dist_type type, void *array, int64_t i, double value)
{
    if (type == DIST_F32)
        ((float *)array)[i] = (float)value;
    else if (type == DIST_F64)
        ((double *)array)[i] = value;
    else
        dtype_store(type, array, i, value);
}

static inline void *learn_row_of(const struct kernel *k, const void *matrix, int64_t row)
{
    return (char *)(uintptr_t)matrix + (size_t)(row * k->columns) * dtype_size(k->type);
}

/* ---- element by element -------------------------------------------------------------------------- */

#define SQRT_HALF 0.70710678118654752440 /* C11's math.h has no numbers; below: 1 by the root of pi */

static void learn_gelu(const struct kernel *k)
{
    for (int64_t i = 0; i < k->count; i++) {
        double x = learn_load(k->type, k->out, i);
        learn_store(k->type, k->out, i, 0.5 * x * (1 + erf(x * SQRT_HALF)));
    }
}

/* The slope: the normal distribution's sum up to x, and x times its height there. */
static void learn_gelu_backward(const struct kernel *k)
{
    for (int64_t i = 0; i < k->count; i++) {
        double x = learn_load(k->type, k->in[0], i),
               height = exp(-0.5 * x * x) * (SQRT_HALF * 0.56418958354775628695);
        double slope = 0.5 * (1 + erf(x * SQRT_HALF)) + x * height;
        learn_store(k->type, k->out, i, learn_load(k->type, k->out, i) * slope);
    }
}

static void learn_causal_mask(const struct kernel *k)
{
    for (int64_t i = 0; i < k->count; i++)
        if (i % k->columns - i / k->columns % k->rows > k->inner)
            learn_store(k->type, k->out, i, -INFINITY);
}

static void learn_adamw(const struct kernel *k)
{
    const struct adamw *a = &k->adamw;
    for (int64_t i = 0; i < k->count; i++) {
        double g = learn_load(k->type, k->in[0], i);
        double m = a->beta1 * learn_load(k->type, k->copy[0], i) + (1 - a->beta1) * g;
        double v = a->beta2 * learn_load(k->type, k->copy[1], i) + (1 - a->beta2) * g * g;
        double step = a->rate * m / (sqrt(v) / a->root + a->epsilon);
        learn_store(k->type, k->copy[0], i, m);
        learn_store(k->type, k->copy[1], i, v);
        learn_store(k->type, k->out, i, learn_load(k->type, k->out, i) * a->keep - step);
    }
}

/* ---- row by row -------------------------------------------------------------------------------------- */

/* The largest is subtracted first, so that no e^x is too large; the shares stay the same. */
static double learn_sum_of_powers(enum dist_type type, const void *row, int64_t columns, double *largest)
{
    double total = 0;
    *largest = -INFINITY;
    for (int64_t j = 0; j < columns; j++)
        *largest = fmax(*largest, learn_load(type, row, j));
    for (int64_t j = 0; j < columns; j++)
        total += exp(learn_load(type, row, j) - *largest);
    return total;
}

static void learn_softmax_row(enum dist_type type, void *row, int64_t columns)
{
    double largest, total = learn_sum_of_powers(type, row, columns, &largest);
    for (int64_t j = 0; j < columns; j++)
        learn_store(type, row, j, exp(learn_load(type, row, j) - largest) / total);
}

static void learn_softmax(const struct kernel *k)
{
    for (int64_t i = 0; i < k->rows; i++)
        learn_softmax_row(k->type, learn_row_of(k, k->out, i), k->columns);
}

static void learn_softmax_backward(const struct kernel *k)
{
    for (int64_t i = 0; i < k->rows; i++) {
        void *row = learn_row_of(k, k->out, i);
        const void *y = learn_row_of(k, k->in[0], i);
        double total = 0;
        for (int64_t j = 0; j < k->columns; j++)
            total += learn_load(k->type, y, j) * learn_load(k->type, row, j);
        for (int64_t j = 0; j < k->columns; j++)
            learn_store(k->type, row, j, learn_load(k->type, y, j) * (learn_load(k->type, row, j) - total));
    }
}

/* One by the standard deviation of a row, and its mean. */
static double learn_measure(const struct kernel *k, const void *x, double *mean)
{
    double sum = 0, squares = 0;
    for (int64_t j = 0; j < k->columns; j++)
        sum += learn_load(k->type, x, j);
    *mean = sum / (double)k->columns;
    for (int64_t j = 0; j < k->columns; j++)
        squares += (learn_load(k->type, x, j) - *mean) * (learn_load(k->type, x, j) - *mean);
    return 1 / sqrt(squares / (double)k->columns + k->value);
}

static void learn_layer_norm(const struct kernel *k)
{
    for (int64_t i = 0; i < k->rows; i++) {
        const void *x = learn_row_of(k, k->in[0], i);
        void *out = learn_row_of(k, k->out, i);
        double mean, scale = learn_measure(k, x, &mean);
        for (int64_t j = 0; j < k->columns; j++) {
            double weight = k->in[1] ? learn_load(k->type, k->in[1], j) : 1;
            double bias = k->in[2] ? learn_load(k->type, k->in[2], j) : 0;
            learn_store(k->type, out, j, (learn_load(k->type, x, j) - mean) * scale * weight + bias);
        }
    }
}

/* With h = (x - mean) scale and d = dy weight:   dx = scale (d - mean of d - h times the mean of d h). */
static void learn_layer_norm_backward(const struct kernel *k)
{
    for (int64_t i = 0; i < k->rows; i++) {
        const void *dy = learn_row_of(k, k->in[0], i), *x = learn_row_of(k, k->in[1], i);
        void *out = learn_row_of(k, k->out, i);
        double mean, scale = learn_measure(k, x, &mean), along = 0, across = 0;
        for (int64_t j = 0; j < k->columns; j++) {
            double d = learn_load(k->type, dy, j) * learn_load(k->type, k->in[2], j);
            along += d;
            across += d * (learn_load(k->type, x, j) - mean) * scale;
        }
        along /= (double)k->columns;
        across /= (double)k->columns;
        for (int64_t j = 0; j < k->columns; j++) {
            double d = learn_load(k->type, dy, j) * learn_load(k->type, k->in[2], j);
            learn_store(k->type, out, j,
                        scale * (d - along - (learn_load(k->type, x, j) - mean) * scale * across));
        }
    }
}

static void learn_add_columns(const struct kernel *k)
{
    for (int64_t j = 0; j < k->columns; j++) {
        double total = learn_load(k->type, k->out, j);
        for (int64_t i = 0; i < k->rows; i++) {
            double other = k->in[1] ? learn_load(k->type, k->in[1], i * k->columns + j) : 1;
            total += learn_load(k->type, k->in[0], i * k->columns + j) * other;
        }
        learn_store(k->type, k->out, j, total);
    }
}

/* ---- rows by their numbers ----------------------------------------------------------------------------- */

static void learn_embedding(const struct kernel *k)
{
    const int64_t *ids = k->in[1];
    for (int64_t i = 0; i < k->rows; i++) {
        void *out = learn_row_of(k, k->out, i);
        bool there = ids[i] >= 0 && ids[i] < k->inner;
        for (int64_t j = 0; !there && j < k->columns; j++)
            learn_store(k->type, out, j, NAN);
        if (there)
            memcpy(out, learn_row_of(k, k->in[0], ids[i]), (size_t)k->columns * dtype_size(k->type));
    }
}

static void learn_embedding_backward(const struct kernel *k)
{
    const int64_t *ids = k->in[1];
    for (int64_t i = 0; i < k->rows; i++) {
        const void *from = learn_row_of(k, k->in[0], i);
        void *row = ids[i] >= 0 && ids[i] < k->inner ? learn_row_of(k, k->out, ids[i]) : NULL;
        for (int64_t j = 0; row && j < k->columns; j++)
            learn_store(k->type, row, j, learn_load(k->type, row, j) + learn_load(k->type, from, j));
    }
}

static void learn_cross_entropy(const struct kernel *k)
{
    const int64_t *ids = k->in[1];
    for (int64_t i = 0; i < k->rows; i++) {
        const void *row = learn_row_of(k, k->in[0], i);
        double largest, total = learn_sum_of_powers(k->type, row, k->columns, &largest), loss = 0;
        if (ids[i] >= k->columns)
            loss = NAN;
        else if (ids[i] >= 0)
            loss = log(total) + (largest - learn_load(k->type, row, ids[i]));
        learn_store(k->type, k->out, i, loss);
    }
}

static void learn_cross_entropy_backward(const struct kernel *k)
{
    const int64_t *ids = k->in[0];
    for (int64_t i = 0; i < k->rows; i++) {
        void *row = learn_row_of(k, k->out, i);
        double largest, total = learn_sum_of_powers(k->type, row, k->columns, &largest);
        for (int64_t j = 0; j < k->columns; j++) {
            double share = exp(learn_load(k->type, row, j) - largest) / total;
            learn_store(k->type, row, j, ids[i] < 0 ? 0 : share - (j == ids[i]));
        }
    }
}

void host_learn(const struct kernel *kernel)
{
    static void (*const kernels[KERNEL_KINDS])(const struct kernel *) = {
        [KERNEL_GELU] = learn_gelu,
        [KERNEL_GELU_BACKWARD] = learn_gelu_backward,
        [KERNEL_SOFTMAX] = learn_softmax,
        [KERNEL_SOFTMAX_BACKWARD] = learn_softmax_backward,
        [KERNEL_CAUSAL_MASK] = learn_causal_mask,
        [KERNEL_LAYER_NORM] = learn_layer_norm,
        [KERNEL_LAYER_NORM_BACKWARD] = learn_layer_norm_backward,
        [KERNEL_ADD_COLUMNS] = learn_add_columns,
        [KERNEL_EMBEDDING] = learn_embedding,
        [KERNEL_EMBEDDING_BACKWARD] = learn_embedding_backward,
        [KERNEL_CROSS_ENTROPY] = learn_cross_entropy,
        [KERNEL_CROSS_ENTROPY_BACKWARD] = learn_cross_entropy_backward,
        [KERNEL_ADAMW] = learn_adamw,
    };
    kernels[kernel->kind](kernel);
}
