/*
 * cuts.h: what happens at the borders of a layer's part: for model.h's struct cut.
 *
 *     tensor parallel       x, whole everywhere  --as it is-->  [ heads or columns of mine ]  --all_reduce-->      y, whole everywhere
 *     sequence parallel     x, some rows each    --all_gather-> [ heads or columns of mine ]  --reduce_scatter-->  y, some rows each
 *
 * Backward goes the other way, so what stands at one border forward stands at the other one backward.
 */
#ifndef CUTS_H
#define CUTS_H

#include "model.h"

/* A collective whose whole tensor is `whole` sends (n - 1) / n of it from every rank; an all_reduce does so twice (chapter 08). */
static inline void count_bytes(const struct cut *cut, const tensor *whole, int times)
{
    long long bytes = 4 * (long long)tensor_numel(whole);
    if (cut->sent)
        *cut->sent += times * bytes * (cut->size - 1) / cut->size;
}

/* Every rank has a part of a sum of matrices, and gets the sum. */
static inline tensor *join_by_all_reduce(const struct cut *cut, tensor *y)
{
    dist_all_reduce(y, .group = cut->group);
    count_bytes(cut, y, 2);
    return y;
}

/* A rank has some of the rows, and gets all of them. */
static inline tensor *spread_by_all_gather(const struct cut *cut, tensor *x)
{
    tensor *all = tensor_zeros(tensor_type(x), cut->size * tensor_size(x, 0), tensor_size(x, 1));
    dist_all_gather(all, x, .group = cut->group);
    count_bytes(cut, all, 1);
    tensor_free(x);
    return all;
}

/* A rank has a part of a sum, and gets some rows of the sum. */
static inline tensor *join_by_reduce_scatter(const struct cut *cut, tensor *y)
{
    tensor *rows = tensor_zeros(tensor_type(y), tensor_size(y, 0) / cut->size, tensor_size(y, 1));
    dist_reduce_scatter(rows, y, .group = cut->group);
    count_bytes(cut, y, 1);
    tensor_free(y);
    return rows;
}

static inline struct cut cut_none(void)
{
    return (struct cut){ .rank = 0, .size = 1 };
}

static inline struct cut cut_tensor(dist_group *group)
{
    return (struct cut){ .rank = dist_get_rank(.group = group),
                         .size = dist_get_world_size(.group = group),
                         .group = group,
                         .join = join_by_all_reduce };
}

static inline struct cut cut_sequence(dist_group *group)
{
    struct cut cut = cut_tensor(group);
    cut.spread = spread_by_all_gather;
    cut.join = join_by_reduce_scatter;
    return cut;
}

/* Four heads cannot be cut into seven parts: the largest number of parts that n ranks can make. */
static inline int parts_for(const struct config *config, int n)
{
    int parts = n < config->heads ? n : config->heads;
    while (config->heads % parts != 0)
        parts--;
    return parts;
}

/* The sum over all ranks, or another reduction. */
static inline double over_all(double value, enum dist_op op)
{
    tensor *t = tensor_full(DIST_F64, value, 1);
    dist_all_reduce(t, .op = op);
    double all = tensor_item(t, 0);
    tensor_free(t);
    return all;
}

#endif
