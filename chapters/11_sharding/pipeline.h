/*
 * pipeline.h: one rank of the mesh: a stage of a pipeline, with its part of each layer, in its replica. 1F1B as in chapter 04.
 *
 *     stage 0 [ embedding, layers 0 1 ] --x--> stage 1 [ layers 2 3, head ] --> loss
 *             [                       ] <-dx--         [                  ]
 */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "../mesh.h"
#include "cuts.h"

enum { BATCH = 8 };

struct grid {
    struct mesh *mesh;
    struct model m;
    struct text *text;
    int begin, end; /* this stage's blocks */
    int first,
        pieces; /* this replica's samples of a batch: the first, and how many. A micro-batch is one sample */
    int before, behind; /* the ranks with the stages next to this one; -1: there is none */
    struct kept kept[BATCH][MOST_BLOCKS];
    tensor *y[BATCH], *dx[BATCH];
    dist_work *y_sent[BATCH], *dx_sent[BATCH];
    double loss, sum; /* of a step; of some steps, to be told */
};

/* A mesh of that shape, and this rank's place and part in it. */
static inline struct grid *grid_new(int dp, int tp, int pp, enum dist_type type)
{
    struct grid *g = calloc(1, sizeof *g);
    if (!g)
        exit(DIST_ERR_MEMORY);
    g->mesh = mesh_init(3, (struct mesh_axis[]){ { "dp", dp }, { "tp", tp }, { "pp", pp } });
    g->text = text_read();
    struct config config = config_for(g->text, 1);
    config.type = type;
    int replica = mesh_get_local_rank(g->mesh, "dp"), stage = mesh_get_local_rank(g->mesh, "pp");
    g->begin = stage == 0 ? 0 : 1 + config.layers * stage / pp;
    g->end = 1 + config.layers * (stage + 1) / pp + (stage == pp - 1);
    g->m = model_new(config, cut_tensor(mesh_get_group(g->mesh, "tp")), g->begin, g->end);
    g->m.scale /= BATCH;
    g->first = BATCH * replica / dp;
    g->pieces = BATCH * (replica + 1) / dp - g->first;
    g->before = mesh_rank_at(g->mesh, "pp", stage - 1);
    g->behind = mesh_rank_at(g->mesh, "pp", stage + 1);
    return g;
}

static inline void grid_free(struct grid *g)
{
    model_free(&g->m);
    mesh_free(g->mesh);
    free(g->text);
    free(g);
}

/* A matrix x, or its gradient, from a stage next to this one. */
static inline tensor *received_from(const struct grid *g, int rank)
{
    tensor *x = tensor_zeros(g->m.config.type, g->m.config.length, g->m.config.width);
    dist_recv(x, rank);
    return x;
}

static inline tensor *stage_forward(const struct grid *g, const int *sample, struct kept *kept)
{
    tensor *x = g->before >= 0 ? received_from(g, g->before) : NULL;
    for (int b = g->begin; b < g->end; b++)
        x = block_forward(&g->m, b, x, sample, &kept[b]);
    return x;
}

static inline void forward(struct grid *g, int step, int i)
{
    const int *sample = text_sample(g->text, step, g->first + i);
    dist_span("forward %d", i)
        g->y[i] = stage_forward(g, sample, g->kept[i]);
    if (g->behind >= 0)
        g->y_sent[i] = dist_isend(g->y[i], g->behind);
    else
        g->loss += loss_of(&g->m, g->y[i], sample);
}

static inline void backward(struct grid *g, int step, int i)
{
    tensor *dy = g->y[i];
    if (g->behind >= 0) {
        dy = received_from(g, g->behind);
        dist_wait(g->y_sent[i]); /* it has arrived long ago: its gradient is here */
        tensor_free(g->y[i]);
    }
    dist_span("backward %d", i)
        for (int b = g->end - 1; b >= g->begin; b--)
            dy = block_backward(&g->m, b, dy, text_sample(g->text, step, g->first + i), &g->kept[i][b]);
    g->dx[i] = dy;
    if (g->before >= 0)
        g->dx_sent[i] = dist_isend(dy, g->before);
}

/* One forward, one backward, after as many forwards as there are stages behind this one. Gradients add up. */
static inline void one_forward_one_backward(struct grid *g, int step)
{
    int ahead = mesh_size(g->mesh, "pp") - 1 - mesh_get_local_rank(g->mesh, "pp");
    ahead = ahead < g->pieces ? ahead : g->pieces;
    for (int i = 0; i < ahead; i++)
        forward(g, step, i);
    for (int i = ahead; i < g->pieces; i++) {
        forward(g, step, i);
        backward(g, step, i - ahead);
    }
    for (int i = g->pieces - ahead; i < g->pieces; i++)
        backward(g, step, i);
    for (int i = 0; g->before >= 0 && i < g->pieces; i++) {
        dist_wait(g->dx_sent[i]);
        tensor_free(g->dx[i]);
    }
}

#endif
