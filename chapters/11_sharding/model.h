/*
 * model.h: a small transformer that guesses the next character, forward and backward, and its step. No message is in it: where
 * the model is cut over ranks, two hooks are called, spread and join (struct cut), and a program says what they do.
 *
 *     characters --> [ embedding ] --x--> [ layer 0 ] --x--> ... [ layer 3 ] --x--> [ head ] --> loss
 *                      block 0              block 1                block 4           block 5
 *
 *     a layer       x ---+--> norm --> spread --> attention --> join --> + --+--> norm --> spread --> MLP --> join --> + --> x
 *                        '-----------------------------------------------'   '------------------------------------------'
 *
 * x is a matrix: a row of `width` numbers for each character of ONE sample. A batch is worked on sample by sample; gradients
 * add up. All weights of a block lie in one flat tensor, and all its gradients in another; w[] and g[] are views of them. What
 * can be cut over ranks is cut into rows: heads into heads, the MLP's middle into parts of it.
 *
 * Longer than other files: it is to be read from top to bottom, forward beside backward.
 */
#ifndef MODEL_H
#define MODEL_H

#include "text.h"

#include <math.h>

enum { MOST_LAYERS = 8, MOST_BLOCKS = MOST_LAYERS + 2, MOST_HEADS = 16, MOST_PARAMETERS = 10 };

struct config {
    int layers, width, heads; /* the MLP's middle is four times the width */
    int length;               /* characters of a sample */
    int kinds;                /* different characters */
    enum dist_type type;
};

/* The model of this chapter. Where four heads, or 64 characters, cannot be cut into `parts`: one that can. */
static inline struct config config_for(const struct text *t, int parts)
{
    int heads = 4 % parts == 0 ? 4 : parts;
    if (heads > MOST_HEADS) {
        if (dist_get_rank() == 0)
            fprintf(stderr, "a layer has room for %d heads, and each rank needs one: take up to %d ranks\n",
                    MOST_HEADS, MOST_HEADS);
        dist_barrier(); /* nobody ends before it is said */
        exit(2);
    }
    return (struct config){ .layers = 4,
                            .width = 16 * heads,
                            .heads = heads,
                            .length = LENGTH / parts * parts,
                            .kinds = t->kinds,
                            .type = DIST_F32 };
}

/* The parameters of a block, by their places in w[] and g[]. wq, wk, wv have `width` rows for each head, one head below the
 * other; wo the rows of what each head gives; w1 is as PyTorch has it, outputs x inputs; w2 inputs x outputs. */
enum { LETTERS, PLACES, EMBEDDING_END };
enum { GAIN1, BIAS1, WQ, WK, WV, WO, GAIN2, BIAS2, W1, W2, LAYER_END };
enum { GAIN, BIAS, OUT, HEAD_END };

/* What a rank has of every layer, and what happens at the borders of the part that is cut. Each is the other's backward. */
struct cut {
    int rank, size;    /* this rank's part, of how many */
    dist_group *group; /* among whom */
    tensor *(*spread)(const struct cut *cut,
                      tensor *x); /* into the cut part: takes x, gives what is read there; NULL: x */
    tensor *(*join)(const struct cut *cut,
                    tensor *y); /* out of it: takes a part of a sum, gives the sum; NULL: y */
    long long *sent;            /* where bytes are counted, if somebody wants to know */
};

struct parameter {
    int rows, columns; /* on this rank */
    bool cut;          /* has this rank a part of the rows? */
    double start;      /* by chance between plus and minus this; 1: all are 1 */
};

struct block {
    int parameters;
    struct parameter shape[MOST_PARAMETERS];
    int64_t begin[MOST_PARAMETERS + 1],
        length; /* of each in the flat tensors; the last is the end; length: with padding */
    tensor *weights, *gradients, *first, *second;    /* flat; the last two belong to AdamW */
    tensor *w[MOST_PARAMETERS], *g[MOST_PARAMETERS]; /* views */
};

struct model {
    struct config config;
    struct cut cut;
    int blocks; /* with embedding and head */
    int first_row,
        rows;     /* which characters of a sample this rank has in x: all, unless the sequence is cut */
    double scale; /* a loss is weighed with this: 1 by the characters of a batch */
    struct block block[MOST_BLOCKS];
};

/* What forward keeps of one sample in one block, for backward. */
struct head {
    tensor *q, *k, *v, *p, *o;
};
struct kept {
    tensor *x, *n1, *x1, *n2, *h, *a;
    struct head head[MOST_HEADS];
};

/* Freed by backward; after a forward alone, by whoever called it. */
static inline void kept_free(struct kept *k)
{
    for (int i = 0; i < MOST_HEADS; i++) {
        tensor *of_head[] = { k->head[i].q, k->head[i].k, k->head[i].v, k->head[i].p, k->head[i].o };
        for (int j = 0; j < 5; j++)
            tensor_free(of_head[j]);
    }
    tensor *of_layer[] = { k->x, k->n1, k->x1, k->n2, k->h, k->a };
    for (int j = 0; j < 6; j++)
        tensor_free(of_layer[j]);
    *k = (struct kept){ 0 };
}

/* ---- making it ------------------------------------------------------------------------------- */

static inline int block_parameters(const struct model *m, int number, struct parameter *p)
{
    int width = m->config.width, all = m->config.heads * width, here = all / m->cut.size,
        four = 4 * width / m->cut.size;
    double s = 1 / sqrt(width), out = s / sqrt(2.0 * m->config.layers);
    const struct parameter embedding[] = { { m->config.kinds, width, false, 0.5 },
                                           { m->config.length, width, false, 0.5 } };
    const struct parameter head[] = { { 1, width, false, 1 },
                                      { 1, width, false, 0 },
                                      { m->config.kinds, width, false, s } };
    int size = width / m->config.heads;
    const struct parameter layer[] = {
        { 1, width, false, 1 },     { 1, width, false, 0 },  { here, size, true, s },
        { here, size, true, s },    { here, size, true, s }, { width / m->cut.size, width, true, out },
        { 1, width, false, 1 },     { 1, width, false, 0 },  { four, width, true, s },
        { four, width, true, out },
    };
    bool first = number == 0, last = number == m->blocks - 1;
    int count = first ? EMBEDDING_END : last ? HEAD_END : LAYER_END;
    memcpy(p, first ? embedding : last ? head : layer, (size_t)count * sizeof *p);
    return count;
}

/* A part of a flat tensor, seen as rows and columns. */
static inline tensor *view_of(const tensor *flat, int64_t begin, struct parameter p)
{
    tensor *part = tensor_slice(flat, begin, begin + (int64_t)p.rows * p.columns);
    tensor *matrix = tensor_view(part, p.rows, p.columns);
    tensor_free(part);
    return matrix;
}

/* A flat tensor for all weights, or all gradients, of a block, and views of it; and away with it. */
static inline tensor *block_hold(const struct model *m, const struct block *b, tensor **views)
{
    tensor *flat = tensor_zeros(m->config.type, b->length);
    for (int i = 0; i < b->parameters; i++)
        views[i] = view_of(flat, b->begin[i], b->shape[i]);
    return flat;
}

static inline void block_drop(const struct block *b, tensor **flat, tensor **views)
{
    for (int i = 0; *flat && i < b->parameters; i++)
        tensor_free(views[i]);
    tensor_free(*flat);
    *flat = NULL;
}

/* The start weights: every rank draws those of the whole model, and writes down its own rows. */
static inline void block_start(const struct model *m, struct block *b, int number)
{
    for (int i = 0; i < b->parameters; i++) {
        struct parameter p = b->shape[i];
        uint32_t seed = 2024 + 100 * (uint32_t)number + (uint32_t)i;
        int64_t count = (int64_t)p.rows * p.columns, skip = p.cut ? m->cut.rank * count : 0;
        double *values = calloc((size_t)count, sizeof *values);
        for (int64_t k = -skip; values && k < count; k++) {
            double value = p.start == 1 ? 1 : p.start * (draw(&seed) / 2147483648.0 - 1);
            if (k >= 0)
                values[k] = value;
        }
        tensor *exact = tensor_from(DIST_F64, values, p.rows, p.columns);
        tensor_copy(b->w[i], exact);
        tensor_free(exact);
        free(values);
    }
}

/* A block's shapes; its flat tensors can be cut into `parts` equal parts. */
static inline void block_init(struct model *m, int number, int parts)
{
    struct block *b = &m->block[number];
    b->parameters = block_parameters(m, number, b->shape);
    for (int i = 0; i < b->parameters; i++)
        b->begin[i + 1] = b->begin[i] + (int64_t)b->shape[i].rows * b->shape[i].columns;
    b->length = (b->begin[b->parameters] + parts - 1) / parts * parts;
}

static inline struct model model_shapes(struct config config, struct cut cut, int parts)
{
    struct model m = { .config = config,
                       .cut = cut,
                       .blocks = config.layers + 2,
                       .rows = config.length,
                       .scale = 1.0 / config.length };
    for (int i = 0; i < m.blocks; i++)
        block_init(&m, i, parts);
    return m;
}

/* Everything of blocks begin .. end - 1, with start weights. */
static inline struct model model_new(struct config config, struct cut cut, int begin, int end)
{
    struct model m = model_shapes(config, cut, 1);
    for (int i = begin; i < end; i++) {
        struct block *b = &m.block[i];
        b->weights = block_hold(&m, b, b->w);
        b->gradients = block_hold(&m, b, b->g);
        b->first = tensor_zeros(config.type, b->length);
        b->second = tensor_zeros(config.type, b->length);
        block_start(&m, b, i);
    }
    return m;
}

static inline void model_free(struct model *m)
{
    for (int i = 0; i < m->blocks; i++) {
        struct block *b = &m->block[i];
        block_drop(b, &b->weights, b->w);
        block_drop(b, &b->gradients, b->g);
        tensor_free(b->first);
        tensor_free(b->second);
    }
}

/* ---- products that make their own results ----------------------------------------------------- */

static inline tensor *flipped(const tensor *a)
{
    tensor *t = tensor_zeros(tensor_type(a), tensor_size(a, 1), tensor_size(a, 0));
    tensor_transpose(t, a);
    return t;
}

static inline tensor *product(const tensor *a, const tensor *b) /* a b */
{
    tensor *out = tensor_zeros(tensor_type(a), tensor_size(a, 0), tensor_size(b, 1));
    tensor_matmul(out, a, b);
    return out;
}

static inline tensor *product_nt(const tensor *a, const tensor *b) /* a b^T */
{
    tensor *bt = flipped(b), *out = product(a, bt);
    tensor_free(bt);
    return out;
}

static inline void add_and_free(tensor *t, tensor *other)
{
    tensor_add(t, other);
    tensor_free(other);
}

/* gradient += a^T b */
static inline void add_product_tn(tensor *gradient, const tensor *a, const tensor *b)
{
    tensor *at = flipped(a);
    add_and_free(gradient, product(at, b));
    tensor_free(at);
}

static inline tensor *norm(const tensor *x, const tensor *gain, const tensor *bias)
{
    tensor *y = tensor_zeros(tensor_type(x), tensor_size(x, 0), tensor_size(x, 1));
    tensor_layer_norm(y, x, gain, bias);
    return y;
}

/* The gradient by x; dy is freed. */
static inline tensor *norm_backward(tensor *dy, const tensor *x, const tensor *gain, tensor *dgain,
                                    tensor *dbias)
{
    tensor *dx = tensor_zeros(tensor_type(x), tensor_size(x, 0), tensor_size(x, 1));
    tensor_layer_norm_backward(dx, dgain, dbias, dy, x, gain);
    tensor_free(dy);
    return dx;
}

static inline tensor *spread(const struct model *m, tensor *x)
{
    return m->cut.spread ? m->cut.spread(&m->cut, x) : x;
}

static inline tensor *join(const struct model *m, tensor *y)
{
    return m->cut.join ? m->cut.join(&m->cut, y) : y;
}

/* ---- attention: each head by itself ------------------------------------------------------------ */

/* Head i's rows of a parameter, of a weight or its gradient. */
static inline tensor *rows_of(const tensor *all, int i, int64_t rows)
{
    return tensor_slice(all, i * rows, (i + 1) * rows);
}

/* q, k, v = n wq, n wk, n wv;  p = softmax(q k^T / sqrt(size) + mask);  o = p v;  the result is o wo.
 * Rows x columns, here: n and the result 64 x 64; q, k, v and o 64 x 16; p, a share for each pair of rows, 64 x 64. */
static inline tensor *head_forward(const struct model *m, const struct block *b, int i, const tensor *n,
                                   struct head *h)
{
    int64_t width = m->config.width, size = width / m->config.heads;
    tensor **parts[] = { &h->q, &h->k, &h->v };
    for (int j = 0; j < 3; j++) {
        tensor *w = rows_of(b->w[WQ + j], i, width);
        *parts[j] = product(n, w);
        tensor_free(w);
    }
    h->p = product_nt(h->q, h->k);
    tensor_mul_scalar(h->p, 1 / sqrt((double)size));
    tensor_causal_mask(h->p, 0); /* no character sees a later one */
    tensor_softmax(h->p);
    h->o = product(h->p, h->v);
    tensor *wo = rows_of(b->w[WO], i, size), *y = product(h->o, wo);
    tensor_free(wo);
    return y;
}

/* The gradients by q, k and v. */
static inline void head_backward(const struct model *m, const struct block *b, int i, const tensor *dy,
                                 struct head *h, tensor **d)
{
    int64_t size = m->config.width / m->config.heads;
    tensor *wo = rows_of(b->w[WO], i, size), *gwo = rows_of(b->g[WO], i, size);
    add_product_tn(gwo, h->o, dy);
    tensor *d_o = product_nt(dy, wo), *ds = product_nt(d_o, h->v), *pt = flipped(h->p);
    d[2] = product(pt, d_o);
    tensor_softmax_backward(ds, h->p);
    tensor_mul_scalar(ds, 1 / sqrt((double)size));
    tensor *dst = flipped(ds);
    d[0] = product(ds, h->k);
    d[1] = product(dst, h->q);
    tensor *gone[] = { wo, gwo, d_o, ds, pt, dst };
    for (size_t j = 0; j < sizeof gone / sizeof *gone; j++)
        tensor_free(gone[j]);
}

/* The sum over the heads of this rank. */
static inline tensor *attention_forward(const struct model *m, const struct block *b, const tensor *n,
                                        struct kept *k)
{
    tensor *y = head_forward(m, b, 0, n, &k->head[0]);
    for (int i = 1; i < m->config.heads / m->cut.size; i++)
        add_and_free(y, head_forward(m, b, i, n, &k->head[i]));
    return y;
}

static inline tensor *attention_backward(const struct model *m, const struct block *b, const tensor *dy,
                                         const tensor *n, struct kept *k)
{
    int64_t width = m->config.width;
    tensor *dn = tensor_zeros(m->config.type, tensor_size(n, 0), width);
    for (int i = 0; i < m->config.heads / m->cut.size; i++) {
        tensor *d[3];
        head_backward(m, b, i, dy, &k->head[i], d);
        for (int j = 0; j < 3; j++) {
            tensor *w = rows_of(b->w[WQ + j], i, width), *g = rows_of(b->g[WQ + j], i, width);
            add_product_tn(g, n, d[j]);
            add_and_free(dn, product_nt(d[j], w));
            tensor_free(d[j]);
            tensor_free(g);
            tensor_free(w);
        }
    }
    return dn;
}

/* ---- the MLP: h = n w1^T;  a = gelu(h);  the result is a w2 ------------------------------------ */

static inline tensor *mlp_forward(const struct block *b, const tensor *n, struct kept *k)
{
    k->h = product_nt(n, b->w[W1]);
    k->a = tensor_clone(k->h);
    tensor_gelu(k->a);
    return product(k->a, b->w[W2]);
}

static inline tensor *mlp_backward(const struct block *b, const tensor *dy, const tensor *n, struct kept *k)
{
    tensor *da = product_nt(dy, b->w[W2]);
    add_product_tn(b->g[W2], k->a, dy);
    tensor_gelu_backward(da, k->h);
    add_product_tn(b->g[W1], da, n);
    tensor *dn = product(da, b->w[W1]);
    tensor_free(da);
    return dn;
}

/* ---- the blocks --------------------------------------------------------------------------------- */

/* x belongs to the layer from now on. */
static inline tensor *layer_forward(const struct model *m, const struct block *b, tensor *x, struct kept *k)
{
    k->x = x;
    k->n1 = spread(m, norm(x, b->w[GAIN1], b->w[BIAS1]));
    k->x1 = join(m, attention_forward(m, b, k->n1, k));
    tensor_add(k->x1, x);
    k->n2 = spread(m, norm(k->x1, b->w[GAIN2], b->w[BIAS2]));
    tensor *y = join(m, mlp_forward(b, k->n2, k));
    tensor_add(y, k->x1);
    return y;
}

/* Each half of a layer, the last one first: to dy comes what goes back through the cut part and the norm. dy becomes the sum. */
static inline tensor *layer_backward(const struct model *m, const struct block *b, tensor *dy, struct kept *k)
{
    tensor *all = spread(m, tensor_clone(dy)), *dn = join(m, mlp_backward(b, all, k->n2, k));
    add_and_free(dy, norm_backward(dn, k->x1, b->w[GAIN2], b->g[GAIN2], b->g[BIAS2]));
    tensor_free(all);
    all = spread(m, tensor_clone(dy));
    dn = join(m, attention_backward(m, b, all, k->n1, k));
    add_and_free(dy, norm_backward(dn, k->x, b->w[GAIN1], b->g[GAIN1], b->g[BIAS1]));
    tensor_free(all);
    return dy;
}

/* This rank's characters of a sample, or those that follow them. */
static inline tensor *ids_of(const struct model *m, const int *sample, int later)
{
    int64_t *values = calloc((size_t)m->rows, sizeof *values);
    for (int i = 0; values && i < m->rows; i++)
        values[i] = sample[m->first_row + i + later];
    tensor *ids = tensor_from(DIST_I64, values, m->rows);
    free(values);
    return ids;
}

/* A row of the table for each character, and one for its place in the sample. */
static inline tensor *embedding_forward(const struct model *m, const struct block *b, const int *sample)
{
    tensor *ids = ids_of(m, sample, 0), *x = tensor_zeros(m->config.type, m->rows, m->config.width);
    tensor *places = tensor_slice(b->w[PLACES], m->first_row, m->first_row + m->rows);
    tensor_embedding(x, b->w[LETTERS], ids);
    tensor_add(x, places);
    tensor_free(places);
    tensor_free(ids);
    return x;
}

static inline void embedding_backward(const struct model *m, const struct block *b, tensor *dx,
                                      const int *sample)
{
    tensor *ids = ids_of(m, sample, 0);
    tensor *places = tensor_slice(b->g[PLACES], m->first_row, m->first_row + m->rows);
    tensor_embedding_backward(b->g[LETTERS], dx, ids);
    tensor_add(places, dx);
    tensor_free(places);
    tensor_free(ids);
    tensor_free(dx);
}

/* Logits, a row for each character: after a softmax, how much the model expects each as the next. */
static inline tensor *guess_forward(const struct block *b, tensor *x, struct kept *k)
{
    k->x = x;
    k->n1 = norm(x, b->w[GAIN], b->w[BIAS]);
    return product_nt(k->n1, b->w[OUT]);
}

/* Minus the log of the share of the character that really follows: summed over this rank's, and weighed with scale. */
static inline double loss_of(const struct model *m, const tensor *logits, const int *sample)
{
    tensor *ids = ids_of(m, sample, 1), *losses = tensor_zeros(m->config.type, m->rows);
    tensor_cross_entropy(losses, logits, ids);
    double loss = tensor_sum(losses) * m->scale;
    tensor_free(losses);
    tensor_free(ids);
    return loss;
}

/* The logits are freed. */
static inline tensor *guess_backward(const struct model *m, const struct block *b, tensor *logits,
                                     const int *sample, struct kept *k)
{
    tensor *ids = ids_of(m, sample, 1), *d = logits;
    tensor_cross_entropy_backward(d, ids);
    tensor_mul_scalar(d, m->scale);
    add_product_tn(b->g[OUT], d, k->n1);
    tensor *dx = norm_backward(product(d, b->w[OUT]), k->x, b->w[GAIN], b->g[GAIN], b->g[BIAS]);
    tensor_free(d);
    tensor_free(ids);
    return dx;
}

/* Block i, forward. The embedding takes no x; the head gives logits. */
static inline tensor *block_forward(const struct model *m, int i, tensor *x, const int *sample,
                                    struct kept *k)
{
    const struct block *b = &m->block[i];
    if (i == 0)
        return embedding_forward(m, b, sample);
    return i == m->blocks - 1 ? guess_forward(b, x, k) : layer_forward(m, b, x, k);
}

/* Block i, backward: the head takes the logits, the embedding gives NULL. What was kept is freed. */
static inline tensor *block_backward(const struct model *m, int i, tensor *dy, const int *sample,
                                     struct kept *k)
{
    const struct block *b = &m->block[i];
    tensor *dx = NULL;
    if (i == 0)
        embedding_backward(m, b, dy, sample);
    else
        dx = i == m->blocks - 1 ? guess_backward(m, b, dy, sample, k) : layer_backward(m, b, dy, k);
    kept_free(k);
    return dx;
}

/* All blocks, forward and backward: gradients add up; the result is the sample's part of the loss. */
static inline double model_gradients(const struct model *m, const int *sample)
{
    struct kept kept[MOST_BLOCKS] = { 0 };
    tensor *x = NULL;
    for (int i = 0; i < m->blocks; i++)
        x = block_forward(m, i, x, sample, &kept[i]);
    double loss = loss_of(m, x, sample);
    for (int i = m->blocks - 1; i >= 0; i--)
        x = block_backward(m, i, x, sample, &kept[i]);
    return loss;
}

/* ---- the step ---------------------------------------------------------------------------------- */

#define RATE 0.008
#define DECAY 0.01

/* AdamW: step 1 is the first. Gradients are 0 again after it. */
static inline void model_step(const struct model *m, int step)
{
    for (int i = 0; i < m->blocks; i++) {
        const struct block *b = &m->block[i];
        if (!b->weights)
            continue;
        tensor_adamw(b->weights, b->first, b->second, b->gradients, step, RATE, .weight_decay = DECAY,
                     .beta2 = 0.99);
        tensor_fill(b->gradients, 0);
    }
}

#endif
