/*
 * compare.h: is a model that was cut over ranks the one that it was cut from? Gradients beside those of one rank.
 */
#ifndef COMPARE_H
#define COMPARE_H

#include "cuts.h"

/* The largest difference between count numbers, in parts of the largest of them. */
static inline double numbers_apart(const tensor *ours, const tensor *right)
{
    int64_t count = tensor_numel(ours);
    float *a = calloc((size_t)count, sizeof *a), *b = calloc((size_t)count, sizeof *b);
    double most = 0, largest = 1e-30;
    tensor_read(ours, a);
    tensor_read(right, b);
    for (int64_t i = 0; i < count; i++) {
        most = fmax(most, fabs((double)a[i] - b[i]));
        largest = fmax(largest, fabs((double)b[i]));
    }
    free(a);
    free(b);
    return most / largest;
}

/* The gradients of this rank's part of a model, beside the same rows of those of the whole model. */
static inline double gradients_apart(const struct model *whole, const struct model *part)
{
    double most = 0;
    for (int i = 0; i < part->blocks; i++)
        for (int p = 0; part->block[i].gradients && p < part->block[i].parameters; p++) {
            struct parameter shape = part->block[i].shape[p];
            tensor *right = rows_of(whole->block[i].g[p], shape.cut ? part->cut.rank : 0, shape.rows);
            most = fmax(most, numbers_apart(part->block[i].g[p], right));
            tensor_free(right);
        }
    return most;
}

#endif
