/*
 * stage.h: what the three schedules share: forward and backward of one micro-batch on one stage of the model.
 *
 *     batch --> [ rank 0 ] --y--> [ rank 1 ] --y--> [ rank 2 ] --y--> [ rank 3 ] --> loss
 *               [        ] <-dx-- [        ] <-dx-- [        ] <-dx-- [        ] <--
 *
 * Each rank has one layer. The ranks of a laptop share a few cores, so most of the computing is a sleep (compute_for): it
 * takes as long as on a GPU of one's own, whatever the other ranks do.
 */
#ifndef STAGE_H
#define STAGE_H

#include "model.h"

#include <math.h>
#include <threads.h>

enum { FORWARD_US = 2000 * MOST, BACKWARD_US = 4000 * MOST }; /* what a stage needs for the whole batch */

struct stage {
    int rank, size;
    int pieces;      /* micro-batches that the batch is cut into */
    tensor *w;       /* the weights of this rank's layer */
    tensor *dw;      /* their gradient, summed up over the micro-batches */
    tensor *x[MOST]; /* the inputs, kept from forward to backward */
    tensor *y[MOST]; /* the outputs, kept for relu and for the message */
    dist_work *y_sent[MOST];
    tensor *dx[MOST]; /* gradients on their way back */
    dist_work *dx_sent[MOST];
    int kept, most_kept; /* micro-batches with an x and a y: now, and at most */
    double loss;         /* on the last rank */
    double busy;         /* seconds of computing */
};

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
        tensor_item(s->x[i], 0); /* on a GPU only here the host waits until it has come */
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
        tensor_item(dy, 0);
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

/* The largest difference between two gradients, in parts of the largest entry; 0: the same bits. */
static inline double difference(const tensor *a, const tensor *b)
{
    tensor *ours = tensor_to(a, DIST_HOST), *right_ones = tensor_to(b, DIST_HOST);
    const float *left = tensor_data(ours), *right = tensor_data(right_ones);
    double most = 0, largest = 0;
    for (int64_t i = 0; i < tensor_numel(a); i++) {
        most = fmax(most, fabs((double)left[i] - right[i]));
        largest = fmax(largest, fabs((double)right[i]));
    }
    tensor_free(right_ones);
    tensor_free(ours);
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
    tensor *in_pieces = alone(s->size, s->rank, s->pieces, &loss),
           *whole = alone(s->size, s->rank, 1, &unused);
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
        printf("%s with %d stage%s, micro-batches: %d, kept on rank 0 at most: %d\n", name, s.size,
               s.size > 1 ? "s" : "", pieces, s.most_kept);
        printf("%.1f ms, bubble %.1f %%, predicted %.1f %%\n", 1e3 * seconds, 100 * (1 - busy / seconds),
               100.0 * (s.size - 1) / (pieces + s.size - 1));
    }
    compare(&s);
    finish(&s);
    dist_destroy_process_group();
}

#endif
