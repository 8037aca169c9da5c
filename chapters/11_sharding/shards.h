/*
 * shards.h: data parallel, with less and less of what is equal everywhere: the stages of ZeRO.
 *
 *     stage     weights         gradients       AdamW's state
 *       0       whole           whole           whole             all_reduce of the gradients
 *       1       whole           whole           a share           reduce_scatter, a step on the share, all_gather
 *       2       whole           a share         a share           reduce_scatter of a block as soon as backward is through it
 *       3       a share         a share         a share           all_gather of a block before it is used, forward and backward
 *
 * A share is this rank's n-th of a block's flat tensor.
 */
#ifndef SHARDS_H
#define SHARDS_H

#include "cuts.h"

struct sharded {
    struct model m;
    int stage, rank, size;
    int ahead; /* a block's weights are asked for when so many blocks before it begin: 1, or 0: when they are needed */
    tensor *weights[MOST_BLOCKS],
        *gradients[MOST_BLOCKS]; /* what this rank makes the step with: its share, or a view of it */
    tensor *first[MOST_BLOCKS], *second[MOST_BLOCKS];
    dist_work *gathering[MOST_BLOCKS], *scattering[MOST_BLOCKS];
};

static inline tensor *share_of(const struct sharded *s, const tensor *flat)
{
    int64_t length = tensor_numel(flat) / s->size;
    return s->stage == 0 ? tensor_slice(flat, 0, tensor_numel(flat)) : rows_of(flat, s->rank, length);
}

/* Everybody draws a whole block for a moment, and keeps what its stage allows. */
static inline void sharded_block(struct sharded *s, int i)
{
    struct block *b = &s->m.block[i];
    b->weights = block_hold(&s->m, b, b->w);
    block_start(&s->m, b, i);
    s->weights[i] = share_of(s, b->weights);
    if (s->stage >= 3) { /* a copy, so that the whole can go */
        tensor *view = s->weights[i];
        s->weights[i] = tensor_clone(view);
        tensor_free(view);
        block_drop(b, &b->weights, b->w);
    }
    if (s->stage <= 1) {
        b->gradients = block_hold(&s->m, b, b->g);
        s->gradients[i] = share_of(s, b->gradients);
    } else {
        s->gradients[i] = tensor_zeros(s->m.config.type, tensor_numel(s->weights[i]));
    }
    s->first[i] = tensor_zeros(s->m.config.type, tensor_numel(s->weights[i]));
    s->second[i] = tensor_zeros(s->m.config.type, tensor_numel(s->weights[i]));
}

static inline struct sharded *sharded_new(struct config config, int stage)
{
    struct sharded *s = calloc(1, sizeof *s);
    if (!s)
        exit(DIST_ERR_MEMORY);
    s->stage = stage;
    s->ahead = 1;
    s->rank = dist_get_rank();
    s->size = dist_get_world_size();
    s->m = model_shapes(config, cut_none(), s->size);
    s->m.scale /= s->size; /* a batch is a sample for each rank */
    for (int i = 0; i < s->m.blocks; i++)
        sharded_block(s, i);
    return s;
}

static inline void sharded_free(struct sharded *s)
{
    for (int i = 0; i < s->m.blocks; i++) {
        tensor_free(s->weights[i]);
        tensor_free(s->gradients[i]);
        tensor_free(s->first[i]);
        tensor_free(s->second[i]);
    }
    model_free(&s->m);
    free(s);
}

/* ---- weights come, and go (stage 3) ------------------------------------------------------------- */

/* Start to gather a block's weights, unless they are here, or there is no such block. */
static inline void gather(struct sharded *s, int i)
{
    if (s->stage < 3 || i < 0 || i >= s->m.blocks || s->m.block[i].weights)
        return;
    struct block *b = &s->m.block[i];
    b->weights = block_hold(&s->m, b, b->w);
    s->gathering[i] = dist_all_gather(b->weights, s->weights[i], .async_op = true);
}

/* Before the block computes. */
static inline void arrive(struct sharded *s, int i)
{
    if (s->gathering[i])
        dist_wait(s->gathering[i]);
    s->gathering[i] = NULL;
}

/* After it has computed. */
static inline void let_go(struct sharded *s, int i)
{
    if (s->stage >= 3)
        block_drop(&s->m.block[i], &s->m.block[i].weights, s->m.block[i].w);
}

/* ---- gradients are summed, and cut (from stage 2 on at once) --------------------------------------- */

static inline void scatter(struct sharded *s, int i)
{
    if (s->stage >= 2)
        s->scattering[i] = dist_reduce_scatter(s->gradients[i], s->m.block[i].gradients, .async_op = true);
}

static inline void scattered(struct sharded *s, int i)
{
    if (i >= s->m.blocks || !s->scattering[i])
        return;
    dist_wait(s->scattering[i]);
    s->scattering[i] = NULL;
    block_drop(&s->m.block[i], &s->m.block[i].gradients, s->m.block[i].g);
}

/* ---- a step ------------------------------------------------------------------------------------------ */

/* Forward and backward of one sample; the next block's weights travel while this one computes. */
static inline double sharded_gradients(struct sharded *s, const int *sample)
{
    struct kept kept[MOST_BLOCKS] = { 0 };
    tensor *x = NULL;
    int last = s->m.blocks - 1;
    gather(s, 0);
    for (int i = 0; i <= last; i++) {
        gather(s, i + s->ahead);
        arrive(s, i);
        dist_span("forward %d", i)
            x = block_forward(&s->m, i, x, sample, &kept[i]);
        if (i < last)
            let_go(s, i);
    }
    double loss = loss_of(&s->m, x, sample);
    for (int i = last; i >= 0; i--) {
        struct block *b = &s->m.block[i];
        gather(s, i - s->ahead);
        arrive(s, i);
        if (s->stage >= 2)
            b->gradients = block_hold(&s->m, b, b->g);
        dist_span("backward %d", i)
            x = block_backward(&s->m, i, x, sample, &kept[i]);
        let_go(s, i);
        scatter(s, i);
        scattered(s, i + 1);
    }
    scattered(s, 0);
    return loss;
}

/* Sum what has not been summed yet, make the step, and let everybody have the new weights. */
static inline void sharded_step(struct sharded *s, int step)
{
    for (int i = 0; i < s->m.blocks; i++) {
        struct block *b = &s->m.block[i];
        if (s->stage == 0)
            dist_all_reduce(b->gradients);
        if (s->stage == 1)
            dist_reduce_scatter(s->gradients[i],
                                b->gradients); /* in place: the share is a part of the whole */
        tensor_adamw(s->weights[i], s->first[i], s->second[i], s->gradients[i], step, RATE,
                     .weight_decay = DECAY, .beta2 = 0.99);
        if (s->stage == 1 || s->stage == 2)
            dist_all_gather(b->weights, s->weights[i]);
        if (s->stage <= 1)
            tensor_fill(b->gradients, 0);
    }
}

#endif
