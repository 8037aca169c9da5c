/*
 * rows.cuh: the kernels of learning. In most of them a row, or a column, is one thread's, as one element is in loops.cuh; all go in
 * the host's order (host_learn.c), with the GPU's exp, erf and log.
 */
#ifndef DEVICES_CUDA_ROWS_CUH
#define DEVICES_CUDA_ROWS_CUH

#include "element.cuh"

/* What all of them have: step i is row i, column i or element i. */
template <class T> struct learning {
    typedef typename T::element element;
    enum { WIDTH = 1 };
    struct kernel k;
    int64_t lead() const
    {
        return 0;
    }
    BOTH element *out(int64_t row = 0) const
    {
        return (element *)k.out + row * k.columns;
    }
    BOTH const element *in(int input, int64_t row = 0) const
    {
        return (const element *)k.in[input] + row * k.columns;
    }
    BOTH int64_t id(int input, int64_t row) const
    {
        return ((const int64_t *)k.in[input])[row];
    }
    static BOTH double open(element x)
    {
        return (double)T::open(x);
    }
    BOTH double sum_of_powers(const element *row, double &largest) const
    {
        double total = 0;
        largest = -INFINITY;
        for (int64_t j = 0; j < k.columns; j++)
            largest = fmax(largest, open(row[j]));
        for (int64_t j = 0; j < k.columns; j++)
            total += exp(open(row[j]) - largest);
        return total;
    }
    BOTH double measure(const element *x, double &mean) const
    {
        double sum = 0, squares = 0;
        for (int64_t j = 0; j < k.columns; j++)
            sum += open(x[j]);
        mean = sum / (double)k.columns;
        for (int64_t j = 0; j < k.columns; j++)
            squares += (open(x[j]) - mean) * (open(x[j]) - mean);
        return 1 / sqrt(squares / (double)k.columns + k.value);
    }
};

/* A kernel: what a step does. */
#define LEARN(name) \
    template <class T> struct name : learning<T> { \
        typedef typename T::element element; \
        using learning<T>::k; \
        using learning<T>::out; \
        using learning<T>::in; \
        using learning<T>::id; \
        using learning<T>::open; \
        template <int N> BOTH void step(int64_t i) const; \
    }; \
    template <class T> template <int N> BOTH void name<T>::step(int64_t i) const

/* ---- elements ---------------------------------------------------------------------- */

#define SQRT_HALF 0.70710678118654752440

LEARN(gelu)
{
    double x = open(out()[i]);
    out()[i] = T::narrow(0.5 * x * (1 + erf(x * SQRT_HALF)));
}

LEARN(gelu_backward)
{
    double x = open(in(0)[i]), height = exp(-0.5 * x * x) * (SQRT_HALF * 0.56418958354775628695);
    out()[i] = T::narrow(open(out()[i]) * (0.5 * (1 + erf(x * SQRT_HALF)) + x * height));
}

LEARN(causal_mask)
{
    if (i % k.columns - i / k.columns % k.rows > k.inner)
        out()[i] = T::narrow(-INFINITY);
}

LEARN(adamw_step)
{
    const struct adamw &a = k.adamw;
    element *first = (element *)k.copy[0], *second = (element *)k.copy[1];
    double g = open(in(0)[i]);
    double m = a.beta1 * open(first[i]) + (1 - a.beta1) * g;
    double v = a.beta2 * open(second[i]) + (1 - a.beta2) * g * g;
    first[i] = T::narrow(m);
    second[i] = T::narrow(v);
    out()[i] = T::narrow(open(out()[i]) * a.keep - a.rate * m / (sqrt(v) / a.root + a.epsilon));
}

/* ---- rows ---------------------------------------------------------------------------- */

LEARN(softmax)
{
    element *row = out(i);
    double largest, total = this->sum_of_powers(row, largest);
    for (int64_t j = 0; j < k.columns; j++)
        row[j] = T::narrow(exp(open(row[j]) - largest) / total);
}

LEARN(softmax_backward)
{
    element *row = out(i);
    const element *y = in(0, i);
    double total = 0;
    for (int64_t j = 0; j < k.columns; j++)
        total += open(y[j]) * open(row[j]);
    for (int64_t j = 0; j < k.columns; j++)
        row[j] = T::narrow(open(y[j]) * (open(row[j]) - total));
}

LEARN(layer_norm)
{
    const element *x = in(0, i);
    double mean, scale = this->measure(x, mean);
    for (int64_t j = 0; j < k.columns; j++) {
        double weight = k.in[1] ? open(in(1)[j]) : 1, bias = k.in[2] ? open(in(2)[j]) : 0;
        out(i)[j] = T::narrow((open(x[j]) - mean) * scale * weight + bias);
    }
}

LEARN(layer_norm_backward)
{
    const element *dy = in(0, i), *x = in(1, i), *weight = in(2);
    double mean, scale = this->measure(x, mean), along = 0, across = 0;
    for (int64_t j = 0; j < k.columns; j++) {
        double d = open(dy[j]) * open(weight[j]);
        along += d;
        across += d * (open(x[j]) - mean) * scale;
    }
    along /= (double)k.columns;
    across /= (double)k.columns;
    for (int64_t j = 0; j < k.columns; j++) {
        double d = open(dy[j]) * open(weight[j]);
        out(i)[j] = T::narrow(scale * (d - along - (open(x[j]) - mean) * scale * across));
    }
}

LEARN(embed)
{
    bool there = id(1, i) >= 0 && id(1, i) < k.inner;
    for (int64_t j = 0; j < k.columns; j++)
        out(i)[j] = there ? in(0, id(1, i))[j] : T::narrow(NAN);
}

LEARN(cross_entropy)
{
    const element *row = in(0, i);
    double largest, total = this->sum_of_powers(row, largest), loss = 0;
    if (id(1, i) >= k.columns)
        loss = NAN;
    else if (id(1, i) >= 0)
        loss = log(total) + (largest - open(row[id(1, i)]));
    ((element *)k.out)[i] = T::narrow(loss);
}

LEARN(cross_entropy_backward)
{
    element *row = out(i);
    double largest, total = this->sum_of_powers(row, largest);
    for (int64_t j = 0; j < k.columns; j++)
        row[j] = T::narrow(id(0, i) < 0 ? 0 : exp(open(row[j]) - largest) / total - (j == id(0, i)));
}

/* ---- columns: only one thread adds to an element, in the order of the rows ------------ */

LEARN(add_columns)
{
    double total = open(out()[i]);
    for (int64_t row = 0; row < k.rows; row++)
        total += open(in(0, row)[i]) * (k.in[1] ? open(in(1, row)[i]) : 1);
    out()[i] = T::narrow(total);
}

LEARN(embed_backward)
{
    for (int64_t row = 0; row < k.rows; row++)
        if (id(1, row) >= 0 && id(1, row) < k.inner) {
            element &sum = out(id(1, row))[i];
            sum = T::narrow(open(sum) + open(in(0, row)[i]));
        }
}

#endif
