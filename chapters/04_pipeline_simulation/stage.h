/*
 * stage.h: what the three schedules share: a model with one layer on each rank, and forward and backward of one
 * micro-batch on one stage.
 *
 *     batch --> [ rank 0 ] --y--> [ rank 1 ] --y--> [ rank 2 ] --y--> [ rank 3 ] --> loss
 *               [        ] <-dx-- [        ] <-dx-- [        ] <-dx-- [        ] <--
 *
 * A layer is y = relu(x w); the last one leaves relu out. The loss is half the squared distance from a target, for the
 * mean sample. The ranks of a laptop share a few cores, so most of the computing is a sleep (compute_for): it
 * takes as long as on a GPU of one's own, whatever the other ranks do.
 */
#ifndef STAGE_H
#define STAGE_H

#include "dist.h"

#include <math.h>
#include <stdlib.h>
#include <threads.h>

enum { WIDTH = 16, ROWS = 16, MOST = 8 }; /* a batch of 16 samples, cut into 8 pieces at most */
enum { FORWARD_US = 2000 * MOST, BACKWARD_US = 4000 * MOST }; /* what a stage needs for the whole batch */

struct stage {
    int rank, size;
    int pieces; /* micro-batches that the batch is cut into */
    tensor *w; /* the weights of this rank's layer */
    tensor *dw; /* their gradient, summed up over the micro-batches */
    tensor *x[MOST]; /* the inputs, kept from forward to backward */
    tensor *y[MOST]; /* the outputs, kept for relu and for the message */
    dist_work *y_sent[MOST];
    tensor *dx[MOST]; /* gradients on their way back */
    dist_work *dx_sent[MOST];
    int kept, most_kept; /* micro-batches with an x and a y: now, and at most */
    double loss; /* on the last rank */
    double busy; /* seconds of computing */
};

/* ---- the model: no rank, no message --------------------------------------------------- */

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

/* Where relu has cut off, no gradient comes through. */
static inline void relu_backward(tensor *dy, const tensor *y)
{
    float *gradient = tensor_data(dy);
    const float *value = tensor_data(y);
    for (int64_t i = 0; i < tensor_numel(y); i++)
        gradient[i] = value[i] > 0 ? gradient[i] : 0;
}

/* dw += x^T dy, and the result is dx = dy w^T. */
static inline tensor *layer_backward(tensor *dy, const tensor *x, const tensor *y, const tensor *w,
                                     tensor *dw, bool last)
{
    int64_t rows = tensor_size(x, 0);
    tensor *xt = tensor_zeros(DIST_F32, WIDTH, rows), *wt = tensor_zeros(DIST_F32, WIDTH, WIDTH);
    tensor *part = tensor_zeros(DIST_F32, WIDTH, WIDTH), *dx = tensor_zeros(DIST_F32, rows, WIDTH);
    if (!last)
        relu_backward(dy, y);
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

/* ---- one stage -------------------------------------------------------------------------- */

static inline void compute_for(long microseconds)
{
    thrd_sleep(
        &(struct timespec){ .tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000 },
        NULL);
}

static inline void forward(struct stage *s, int i)
{
    bool last = s->rank == s->size - 1;
    if (s->rank == 0) {
        s->x[i] = piece_of(INPUTS, i, s->pieces);
    } else {
        s->x[i] = tensor_zeros(DIST_F32, ROWS / s->pieces, WIDTH);
        dist_recv(s->x[i], s->rank - 1);
    }
    double start = dist_time();
    dist_span("forward %d", i) {
        s->y[i] = layer_forward(s->x[i], s->w, last);
        compute_for(FORWARD_US / s->pieces);
    }
    s->busy += dist_time() - start;
    if (!last)
        s->y_sent[i] = dist_isend(s->y[i], s->rank + 1);
    if (++s->kept > s->most_kept)
        s->most_kept = s->kept;
}

/* The gradient by this stage's output: made from the loss, or received from the next stage. */
static inline tensor *gradient_of_output(struct stage *s, int i)
{
    tensor *dy;
    if (s->rank == s->size - 1) {
        tensor *target = piece_of(TARGETS, i, s->pieces);
        dy = loss_backward(s->y[i], target, &s->loss);
        tensor_free(target);
    } else {
        dy = tensor_zeros(DIST_F32, ROWS / s->pieces, WIDTH);
        dist_recv(dy, s->rank + 1);
        dist_wait(s->y_sent[i]); /* it has arrived long ago: its gradient is here */
    }
    return dy;
}

static inline void backward(struct stage *s, int i)
{
    tensor *dy = gradient_of_output(s, i);
    double start = dist_time();
    dist_span("backward %d", i) {
        s->dx[i] = layer_backward(dy, s->x[i], s->y[i], s->w, s->dw, s->rank == s->size - 1);
        compute_for(BACKWARD_US / s->pieces);
    }
    s->busy += dist_time() - start;
    if (s->rank > 0)
        s->dx_sent[i] = dist_isend(s->dx[i], s->rank - 1);
    tensor_free(dy);
    tensor_free(s->y[i]);
    tensor_free(s->x[i]);
    s->kept--;
}

/* ---- the same model on one rank, to compare with ------------------------------------------ */

/* What this rank's layer gets as its gradient, and the loss, when one rank computes all layers. */
static inline tensor *alone(const struct stage *s, int pieces, double *loss)
{
    tensor **w = calloc(3 * (size_t)s->size + 1, sizeof *w), **dw = w + s->size, **x = dw + s->size;
    for (int l = 0; l < s->size; l++) {
        w[l] = make_matrix(l, WIDTH, WIDTH);
        dw[l] = tensor_zeros(DIST_F32, WIDTH, WIDTH);
    }
    for (int i = 0; i < pieces; i++) {
        x[0] = piece_of(INPUTS, i, pieces);
        for (int l = 0; l < s->size; l++)
            x[l + 1] = layer_forward(x[l], w[l], l == s->size - 1);
        tensor *target = piece_of(TARGETS, i, pieces), *dy = loss_backward(x[s->size], target, loss);
        tensor_free(target);
        for (int l = s->size - 1; l >= 0; l--) {
            tensor *dx = layer_backward(dy, x[l], x[l + 1], w[l], dw[l], l == s->size - 1);
            tensor_free(dy);
            tensor_free(x[l + 1]);
            dy = dx;
        }
        tensor_free(dy);
        tensor_free(x[0]);
    }
    tensor *result = tensor_clone(dw[s->rank]);
    for (int l = 0; l < 2 * s->size; l++)
        tensor_free(w[l]);
    free(w);
    return result;
}

/* The largest difference between two gradients, in parts of the largest entry; 0: the same bits. */
static inline double difference(const tensor *a, const tensor *b)
{
    const float *left = tensor_data(a), *right = tensor_data(b);
    double most = 0, largest = 0;
    for (int64_t i = 0; i < tensor_numel(a); i++) {
        most = fmax(most, fabs((double)left[i] - right[i]));
        largest = fmax(largest, fabs((double)right[i]));
    }
    return most / largest;
}

/* ---- a whole run ---------------------------------------------------------------------------- */

static inline double over_all(double value, enum dist_op op)
{
    tensor *t = tensor_full(DIST_F64, value, 1);
    dist_all_reduce(t, .op = op);
    double result = tensor_item(t, 0);
    tensor_free(t);
    return result;
}

static inline void compare(const struct stage *s)
{
    double loss = 0, unused = 0, all = over_all(s->loss, DIST_SUM); /* only the last rank has one */
    tensor *in_pieces = alone(s, s->pieces, &loss), *whole = alone(s, 1, &unused);
    double exact = over_all(difference(s->dw, in_pieces), DIST_MAX);
    double close = over_all(difference(s->dw, whole), DIST_MAX);
    if (s->rank == 0) {
        printf("loss %.6f, on one rank %.6f\n", all, loss);
        printf("gradients: %s\n", exact == 0 ? "the same bits as on one rank" : "WRONG");
        printf("one rank, the batch in one piece: %s\n", close < 1e-6 ? "equal to within 1e-6" : "WRONG");
    }
    tensor_free(whole);
    tensor_free(in_pieces);
}

static inline void finish(struct stage *s)
{
    for (int i = 0; i < s->pieces; i++) {
        if (s->rank > 0)
            dist_wait(s->dx_sent[i]);
        tensor_free(s->dx[i]);
    }
    tensor_free(s->dw);
    tensor_free(s->w);
}

/* Everything that dist_spawn's function does, for a schedule that computes all micro-batches. */
static inline void run_schedule(const char *name, int pieces, void (*schedule)(struct stage *s))
{
    dist_init_process_group();
    struct stage s = { .rank = dist_get_rank(), .size = dist_get_world_size(), .pieces = pieces };
    s.w = make_matrix(s.rank, WIDTH, WIDTH);
    s.dw = tensor_zeros(DIST_F32, WIDTH, WIDTH);

    dist_barrier();
    double start = dist_time();
    schedule(&s);
    double end = dist_time();

    double seconds = over_all(end, DIST_MAX) - over_all(start, DIST_MIN);
    double busy = over_all(s.busy, DIST_AVG);
    if (s.rank == 0) {
        printf("%s: %d stages, the batch in %d, at most %d kept on rank 0\n", name, s.size, pieces,
               s.most_kept);
        printf("%.1f ms, bubble %.1f %%, predicted %.1f %%\n", 1e3 * seconds, 100 * (1 - busy / seconds),
               100.0 * (s.size - 1) / (pieces + s.size - 1));
    }
    compare(&s);
    finish(&s);
    dist_destroy_process_group();
}

#endif
