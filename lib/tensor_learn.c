/* tensor_learn.c: what a model learns with: the checks. devices/learn.inc.h calculates. */
#include "tensor_kernel.h"

#include <math.h>

/* ---- checks: false where it was reported ------------------------------------------------------------------- */

/* Is it right? If not, that is told in words that need two long long at most. */
static bool learn_check(bool right, const char *call, struct dist_at at, const char *words, int64_t a,
                        int64_t b)
{
    if (right)
        return true;
    return refuse(call, at, words, (long long)a, (long long)b);
}

bool learn_target(const char *call, struct dist_at at, const tensor *t)
{
    if (!tensor_may_write(call, at, t))
        return false;
    if (t->type == DIST_F32 || t->type == DIST_F64 || t->type == DIST_F16 || t->type == DIST_BF16)
        return true;
    return refuse(call, at, "%s has no fractions; use F32 or another float", dtype_name(t->type));
}

/* Another that may be read, of t's type and on its device, with so many elements. */
static bool learn_beside(const char *call, struct dist_at at, const tensor *t, const tensor *other,
                         int64_t numel)
{
    if (!tensor_may_read_beside(call, at, t, other))
        return false;
    if (t->type == other->type)
        return learn_check(other->numel == numel, call, at, "a tensor has %lld elements, and must have %lld",
                           other->numel, numel);
    return refuse(call, at, "one tensor is %s and another %s; use one type", dtype_name(t->type),
                  dtype_name(other->type));
}

static bool learn_apart(const char *call, struct dist_at at, const tensor *out, const tensor *in)
{
    return learn_check(!tensor_overlap(out, in), call, at,
                       "what it writes overlaps what it reads; give it a tensor of its own", 0, 0);
}

bool learn_fit(const char *call, struct dist_at at, const struct learn_part *parts, int written, int count)
{
    const tensor *t = parts[0].t;
    for (int i = 0; i < written; i++)
        if (!learn_target(call, at, parts[i].t))
            return false;
    for (int i = 1; i < count; i++)
        if (!learn_beside(call, at, t, parts[i].t, parts[i].size == ROW ? learn_columns(t) : t->numel))
            return false;
    for (int i = 0; i < written; i++)
        for (int j = i + 1; j < count; j++)
            if (!learn_apart(call, at, parts[i].t, parts[j].t))
                return false;
    return true;
}

/* The numbers of rows or classes, each from `least` to below `limit`; of a GPU's nobody can tell yet. */
static bool learn_check_ids(const char *call, struct dist_at at, const tensor *t, const tensor *ids,
                            int64_t count, int64_t least, int64_t limit)
{
    if (!tensor_may_read_beside(call, at, t, ids) ||
        !learn_check(ids->type == DIST_I64, call, at, "the ids must be of DIST_I64", 0, 0) ||
        !learn_check(ids->numel == count, call, at, "there are %lld ids for %lld rows; give each row one",
                     ids->numel, count))
        return false;
    const int64_t *id = ids->data;
    for (int64_t i = 0; !ids->gpu && i < count; i++)
        if (!learn_check(id[i] >= least && id[i] < limit, call, at,
                         "an id is %lld, and there are %lld rows to choose from", id[i], limit))
            return false;
    return true;
}

/* ---- layer norm ---------------------------------------------------------------------------------------------- */

#define EPSILON 1e-5 /* as in torch */

void tensor_layer_norm_at(struct dist_at at, tensor *out, const tensor *x, const tensor *weight,
                          const tensor *bias)
{
    const char *call = "tensor_layer_norm";
    const struct learn_part parts[] = { { out, WHOLE }, { weight, ROW }, { bias, ROW } };
    if (!learn_fit(call, at, parts, 1, 3) || !learn_beside(call, at, out, x, out->numel) ||
        !(x->data == out->data || learn_apart(call, at, out, x)))
        return;
    struct kernel kernel = tensor_kernel(out, KERNEL_LAYER_NORM, x, weight, bias);
    kernel.value = EPSILON;
    tensor_run(call, at, out, kernel);
}

/* One row += the sums of all rows of dy, each element times its neighbour's in `by`, if there is one. */
static void learn_add_columns(const char *call, struct dist_at at, tensor *row, const tensor *dy,
                              const tensor *by)
{
    struct kernel kernel = tensor_kernel(dy, KERNEL_ADD_COLUMNS, dy, by, NULL);
    kernel.out = row->data;
    kernel.count = row->numel;
    tensor_run(call, at, row, kernel);
}

/* dx first holds the rows of x that layer norm would weigh: dweight needs them. */
void tensor_layer_norm_backward_at(struct dist_at at, tensor *dx, tensor *dweight, tensor *dbias,
                                   const tensor *dy, const tensor *x, const tensor *weight)
{
    const char *call = "tensor_layer_norm_backward";
    const struct learn_part parts[] = { { dx, WHOLE }, { dweight, ROW }, { dbias, ROW },
                                        { dy, WHOLE }, { x, WHOLE },     { weight, ROW } };
    if (!learn_fit(call, at, parts, 3, 6))
        return;
    struct kernel kernel = tensor_kernel(dx, KERNEL_LAYER_NORM, x, NULL, NULL);
    kernel.value = EPSILON;
    tensor_run(call, at, dx, kernel);
    learn_add_columns(call, at, dweight, dy, dx);
    learn_add_columns(call, at, dbias, dy, NULL);
    kernel = tensor_kernel(dx, KERNEL_LAYER_NORM_BACKWARD, dy, x, weight);
    kernel.value = EPSILON;
    tensor_run(call, at, dx, kernel);
}

/* ---- rows by their numbers ----------------------------------------------------------------------------------- */

static bool learn_check_table(const char *call, struct dist_at at, const tensor *table, const tensor *rows)
{
    return learn_check(table->ndim == 2, call, at,
                       "the weights must have 2 dimensions, rows and columns, and have %lld", table->ndim,
                       0) &&
           learn_check(learn_columns(rows) == learn_columns(table), call, at,
                       "a row has %lld elements, and the weights have %lld columns", learn_columns(rows),
                       learn_columns(table)) &&
           learn_beside(call, at, table, rows, rows->numel);
}

/* Rows of the table are looked up, or added to: `out` is the rows, or the table. */
static void learn_embedding(const char *call, struct dist_at at, tensor *out, const tensor *table,
                            const tensor *rows, const tensor *ids, enum kernel_kind kind)
{
    const tensor *in = out == rows ? table : rows;
    if (!learn_target(call, at, out) || !tensor_may_read(call, at, in) ||
        !learn_check_table(call, at, table, rows) || !learn_apart(call, at, out, in) ||
        !learn_check_ids(call, at, out, ids, learn_rows(rows), 0, table->shape[0]))
        return;
    struct kernel kernel = tensor_kernel(rows, kind, in, ids, NULL);
    kernel.out = out->data;
    kernel.count = out->numel;
    kernel.inner = table->shape[0];
    tensor_run(call, at, out, kernel);
}

void tensor_embedding_at(struct dist_at at, tensor *out, const tensor *weight, const tensor *ids)
{
    learn_embedding("tensor_embedding", at, out, weight, out, ids, KERNEL_EMBEDDING);
}

void tensor_embedding_backward_at(struct dist_at at, tensor *dweight, const tensor *dy, const tensor *ids)
{
    learn_embedding("tensor_embedding_backward", at, dweight, dweight, dy, ids, KERNEL_EMBEDDING_BACKWARD);
}

/* ---- the loss, and the step ------------------------------------------------------------------------------------ */

void tensor_cross_entropy_at(struct dist_at at, tensor *losses, const tensor *logits, const tensor *ids)
{
    const char *call = "tensor_cross_entropy";
    if (!learn_target(call, at, losses) || !tensor_may_read(call, at, logits) ||
        !learn_beside(call, at, losses, logits, logits->numel) ||
        !learn_check(losses->numel == learn_rows(logits), call, at,
                     "there are %lld losses for %lld rows; make one for each row", losses->numel,
                     learn_rows(logits)) ||
        !learn_apart(call, at, losses, logits) ||
        !learn_check_ids(call, at, losses, ids, learn_rows(logits), INT64_MIN, learn_columns(logits)))
        return;
    struct kernel kernel = tensor_kernel(logits, KERNEL_CROSS_ENTROPY, logits, ids, NULL);
    kernel.out = losses->data;
    kernel.count = losses->numel;
    tensor_run(call, at, losses, kernel);
}

void tensor_cross_entropy_backward_at(struct dist_at at, tensor *t, const tensor *ids)
{
    const char *call = "tensor_cross_entropy_backward";
    if (learn_target(call, at, t) &&
        learn_check_ids(call, at, t, ids, learn_rows(t), INT64_MIN, learn_columns(t)))
        tensor_run(call, at, t, tensor_kernel(t, KERNEL_CROSS_ENTROPY_BACKWARD, ids, NULL, NULL));
}

void tensor_adamw_with(struct tensor_adamw_args a)
{
    const char *call = "tensor_adamw";
    double beta1 = a.beta1 != 0 ? a.beta1 : 0.9, beta2 = a.beta2 != 0 ? a.beta2 : 0.999,
           epsilon = a.epsilon != 0 ? a.epsilon : 1e-8;
    const struct learn_part parts[] = {
        { a.w, WHOLE }, { a.m, WHOLE }, { a.v, WHOLE }, { a.gradient, WHOLE }
    };
    if (!learn_fit(call, a.at, parts, 3, 4) ||
        !learn_check(a.step >= 1, call, a.at, "step is %lld; the first is 1", a.step, 0) ||
        !learn_check(beta1 > 0 && beta1 < 1 && beta2 > 0 && beta2 < 1 && epsilon > 0, call, a.at,
                     "a beta is not between 0 and 1, or epsilon not above 0; 0 stands for the usual one", 0,
                     0))
        return;
    struct kernel kernel = tensor_kernel(a.w, KERNEL_ADAMW, a.gradient, NULL, NULL);
    kernel.adamw = (struct adamw){ .keep = 1 - a.rate * a.weight_decay,
                                   .rate = a.rate / (1 - pow(beta1, (double)a.step)),
                                   .beta1 = beta1,
                                   .beta2 = beta2,
                                   .root = sqrt(1 - pow(beta2, (double)a.step)),
                                   .epsilon = epsilon };
    kernel.copies = 2;
    kernel.copy[0] = a.m->data;
    kernel.copy[1] = a.v->data;
    tensor_run(call, a.at, a.w, kernel);
}
