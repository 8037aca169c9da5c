/*
 * learn.inc.h: the kernels of learning: softmax, gelu, layer norm, embedding, cross-entropy, AdamW. host_learn.c includes it as C, and
 * cuda/rows.cuh for GPUs; each says before:
 *
 *   LEARN(name, steps)   the head of a kernel that is done in k->steps steps: what follows is step i. A step is an element (count), a
 *                        row (rows) or a column (columns), and none writes what another reads: on a GPU each is one thread's
 *   HELPER(result)       the head of a function that gives this
 *   KERNEL               struct kernel, where it says what a tensor's elements are
 *   learn_load, learn_store        an element as a double; one rounded once from it
 *   learn_row_of, learn_copy_row   where a row begins; all of it
 *
 * All of them calculate in double, from left to right, and round once.
 */

/* ---- element by element -------------------------------------------------------------------------- */

#define SQRT_HALF 0.70710678118654752440 /* C11's math.h has no numbers; below: 1 by the root of pi */

LEARN(gelu, count)
{
    double x = learn_load(k, k->out, i);
    learn_store(k, k->out, i, 0.5 * x * (1 + erf(x * SQRT_HALF)));
}

/* The slope: the normal distribution's sum up to x, and x times its height there. */
LEARN(gelu_backward, count)
{
    double x = learn_load(k, k->in[0], i), height = exp(-0.5 * x * x) * (SQRT_HALF * 0.56418958354775628695);
    double slope = 0.5 * (1 + erf(x * SQRT_HALF)) + x * height;
    learn_store(k, k->out, i, learn_load(k, k->out, i) * slope);
}

LEARN(causal_mask, count)
{
    if (i % k->columns - i / k->columns % k->rows > k->inner)
        learn_store(k, k->out, i, -INFINITY);
}

LEARN(adamw_step, count)
{
    const struct adamw *a = &k->adamw;
    double g = learn_load(k, k->in[0], i);
    double m = a->beta1 * learn_load(k, k->copy[0], i) + (1 - a->beta1) * g;
    double v = a->beta2 * learn_load(k, k->copy[1], i) + (1 - a->beta2) * g * g;
    double step = a->rate * m / (sqrt(v) / a->root + a->epsilon);
    learn_store(k, k->copy[0], i, m);
    learn_store(k, k->copy[1], i, v);
    learn_store(k, k->out, i, learn_load(k, k->out, i) * a->keep - step);
}

/* ---- row by row -------------------------------------------------------------------------------------- */

/* The largest is subtracted first, so that no e^x is too large; the shares stay the same. */
HELPER(double) learn_sum_of_powers(KERNEL *k, const void *row, double *largest)
{
    double total = 0;
    *largest = -INFINITY;
    for (int64_t j = 0; j < k->columns; j++)
        *largest = fmax(*largest, learn_load(k, row, j));
    for (int64_t j = 0; j < k->columns; j++)
        total += exp(learn_load(k, row, j) - *largest);
    return total;
}

LEARN(softmax, rows)
{
    void *row = learn_row_of(k, k->out, i);
    double largest, total = learn_sum_of_powers(k, row, &largest);
    for (int64_t j = 0; j < k->columns; j++)
        learn_store(k, row, j, exp(learn_load(k, row, j) - largest) / total);
}

LEARN(softmax_backward, rows)
{
    void *row = learn_row_of(k, k->out, i);
    const void *y = learn_row_of(k, k->in[0], i);
    double total = 0;
    for (int64_t j = 0; j < k->columns; j++)
        total += learn_load(k, y, j) * learn_load(k, row, j);
    for (int64_t j = 0; j < k->columns; j++)
        learn_store(k, row, j, learn_load(k, y, j) * (learn_load(k, row, j) - total));
}

/* One by the standard deviation of a row, and its mean. */
HELPER(double) learn_measure(KERNEL *k, const void *x, double *mean)
{
    double sum = 0, squares = 0;
    for (int64_t j = 0; j < k->columns; j++)
        sum += learn_load(k, x, j);
    *mean = sum / (double)k->columns;
    for (int64_t j = 0; j < k->columns; j++)
        squares += (learn_load(k, x, j) - *mean) * (learn_load(k, x, j) - *mean);
    return 1 / sqrt(squares / (double)k->columns + k->value);
}

LEARN(layer_norm, rows)
{
    const void *x = learn_row_of(k, k->in[0], i);
    void *out = learn_row_of(k, k->out, i);
    double mean, scale = learn_measure(k, x, &mean);
    for (int64_t j = 0; j < k->columns; j++) {
        double weight = k->in[1] ? learn_load(k, k->in[1], j) : 1;
        double bias = k->in[2] ? learn_load(k, k->in[2], j) : 0;
        learn_store(k, out, j, (learn_load(k, x, j) - mean) * scale * weight + bias);
    }
}

/* With h = (x - mean) scale and d = dy weight:   dx = scale (d - mean of d - h times the mean of d h). */
LEARN(layer_norm_backward, rows)
{
    const void *dy = learn_row_of(k, k->in[0], i), *x = learn_row_of(k, k->in[1], i);
    void *out = learn_row_of(k, k->out, i);
    double mean, scale = learn_measure(k, x, &mean), along = 0, across = 0;
    for (int64_t j = 0; j < k->columns; j++) {
        double d = learn_load(k, dy, j) * learn_load(k, k->in[2], j);
        along += d;
        across += d * (learn_load(k, x, j) - mean) * scale;
    }
    along /= (double)k->columns;
    across /= (double)k->columns;
    for (int64_t j = 0; j < k->columns; j++) {
        double d = learn_load(k, dy, j) * learn_load(k, k->in[2], j);
        learn_store(k, out, j, scale * (d - along - (learn_load(k, x, j) - mean) * scale * across));
    }
}

/* ---- rows by their numbers ----------------------------------------------------------------------------- */

LEARN(embedding, rows)
{
    int64_t id = ((const int64_t *)k->in[1])[i];
    const void *row = id >= 0 && id < k->inner ? learn_row_of(k, k->in[0], id) : NULL;
    void *out = learn_row_of(k, k->out, i);
    if (row)
        learn_copy_row(k, out, row);
    for (int64_t j = 0; !row && j < k->columns; j++)
        learn_store(k, out, j, NAN);
}

LEARN(cross_entropy, rows)
{
    int64_t id = ((const int64_t *)k->in[1])[i];
    const void *row = learn_row_of(k, k->in[0], i);
    double largest, total = learn_sum_of_powers(k, row, &largest), loss = 0;
    if (id >= k->columns)
        loss = NAN;
    else if (id >= 0)
        loss = log(total) + (largest - learn_load(k, row, id));
    learn_store(k, k->out, i, loss);
}

LEARN(cross_entropy_backward, rows)
{
    int64_t id = ((const int64_t *)k->in[0])[i];
    void *row = learn_row_of(k, k->out, i);
    double largest, total = learn_sum_of_powers(k, row, &largest);
    for (int64_t j = 0; j < k->columns; j++) {
        double share = exp(learn_load(k, row, j) - largest) / total;
        learn_store(k, row, j, id < 0 ? 0 : share - (j == id));
    }
}

/* ---- columns: only one step adds to an element, in the order of the rows ---------------------------------- */

LEARN(add_columns, columns)
{
    double total = learn_load(k, k->out, i);
    for (int64_t row = 0; row < k->rows; row++) {
        double other = k->in[1] ? learn_load(k, learn_row_of(k, k->in[1], row), i) : 1;
        total += learn_load(k, learn_row_of(k, k->in[0], row), i) * other;
    }
    learn_store(k, k->out, i, total);
}

LEARN(embedding_backward, columns)
{
    const int64_t *ids = (const int64_t *)k->in[1];
    for (int64_t row = 0; row < k->rows; row++)
        if (ids[row] >= 0 && ids[row] < k->inner) {
            void *sum = learn_row_of(k, k->out, ids[row]);
            double more = learn_load(k, learn_row_of(k, k->in[0], row), i);
            learn_store(k, sum, i, learn_load(k, sum, i) + more);
        }
}
