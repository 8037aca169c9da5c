/*
 * train.h: what the programs of this chapter do alike: the gradients for some pictures, and how good the model is.
 */
#ifndef TRAIN_H
#define TRAIN_H

#include "model.h"

/* Rank r's part of `count` things that are dealt out to n ranks: begin .. end - 1. No two parts differ by more than one. */
struct part {
    int begin, end;
};
static inline struct part part_for(int count, int rank, int n)
{
    return (struct part){ count * rank / n, count * (rank + 1) / n };
}

/* Pictures order[p.begin] .. order[p.end - 1], a row each. */
static inline tensor *pictures(const struct digits *d, struct part p)
{
    int rows = p.end - p.begin;
    float *values = calloc((size_t)rows * PIXELS + 1, sizeof *values);
    for (int i = 0; i < rows; i++)
        memcpy(values + i * PIXELS, d->pixels[d->order[p.begin + i]], sizeof d->pixels[0]);
    tensor *x = tensor_from(DIST_F32, values, rows, PIXELS);
    free(values);
    return x;
}

/* A row for each: 1 for its digit, else 0. */
static inline tensor *targets(const struct digits *d, struct part p)
{
    int rows = p.end - p.begin;
    float *values = calloc((size_t)rows * CLASSES + 1, sizeof *values);
    for (int i = 0; i < rows; i++)
        values[i * CLASSES + d->digit[d->order[p.begin + i]]] = 1;
    tensor *target = tensor_from(DIST_F32, values, rows, CLASSES);
    free(values);
    return target;
}

/* What the model said of these pictures, looked at by the host. */
struct score {
    double loss; /* summed: -log of the share that went to the right digit */
    int right;   /* of how many pictures that was the largest share */
};
static inline struct score model_score(const struct model *m, const struct digits *d, struct part p)
{
    int rows = p.end - p.begin;
    float *shares = calloc((size_t)rows * CLASSES + 1, sizeof *shares);
    struct score score = { 0, 0 };
    tensor_read(m->y[m->layers], shares);
    for (int i = 0; i < rows; i++) {
        const float *row = shares + i * CLASSES;
        int digit = d->digit[d->order[p.begin + i]], best = 0;
        for (int c = 1; c < CLASSES; c++)
            best = row[c] > row[best] ? c : best;
        score.loss -= log(fmax(row[digit], 1e-37));
        score.right += best == digit;
    }
    free(shares);
    return score;
}

/* m->gradients become those of these pictures' part of the loss of a batch: so those of all parts add up to the
 * batch's. The result is this part of the loss. */
static inline double model_gradients(struct model *m, const struct digits *d, struct part p, int batch)
{
    tensor *target = targets(d, p);
    model_forward(m, pictures(d, p));
    tensor *dy = loss_backward(m, target, batch);
    for (int l = m->layers - 1; l >= 0; l--)
        dy = layer_backward(m, l, dy);
    double loss = model_score(m, d, p).loss / batch;
    model_forget(m);
    tensor_free(target);
    return loss;
}

/* Of the pictures to be tested with, how many per cent are read rightly? Every rank tests its part. */
static inline double accuracy(struct model *m, const struct digits *d, int rank, int n)
{
    struct part p = part_for(TESTS, rank, n);
    p.begin += TRAINING;
    p.end += TRAINING;
    model_forward(m, pictures(d, p));
    tensor *right = tensor_full(DIST_F64, model_score(m, d, p).right, 1);
    model_forget(m);
    dist_all_reduce(right);
    double all = tensor_item(right, 0);
    tensor_free(right);
    return 100 * all / TESTS;
}

/* The sum over all ranks. */
static inline double over_all(double value, enum dist_op op)
{
    tensor *t = tensor_full(DIST_F64, value, 1);
    dist_all_reduce(t, .op = op);
    double all = tensor_item(t, 0);
    tensor_free(t);
    return all;
}

/* This rank's part of batch `step` of the epoch. */
static inline struct part part_of_batch(int step, int rank, int n)
{
    struct part p = part_for(BATCH, rank, n);
    return (struct part){ step * BATCH + p.begin, step * BATCH + p.end };
}

#endif
