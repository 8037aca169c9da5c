/* tensor_learn.c: checks for tensor_rows.c too, and what a model learns with: embedding, loss, step. */
#include "tensor_kernel.h"

#include <math.h>

bool learn_check(bool right, const char *call, struct dist_at at, const char *words, int64_t a, int64_t b)
{
    if (right)
        return true;
    return refuse(call, at, words, (long long)a, (long long)b);
}

static bool tensor_learn_check_float(const char *call, struct dist_at at, const tensor *t)
{
    if (t->type == DIST_F32 || t->type == DIST_F64 || t->type == DIST_F16 || t->type == DIST_BF16)
        return true;
    return refuse(call, at, "%s has no fractions; use F32 or another float", dtype_name(t->type));
}

bool learn_target(const char *call, struct dist_at at, const tensor *t)
{
    return tensor_may_write(call, at, t) && tensor_learn_check_float(call, at, t);
}

bool learn_beside(const char *call, struct dist_at at, const tensor *t, const tensor *other, int64_t numel)
{
    if (!tensor_may_read(call, at, other) || !tensor_together(call, at, t, other))
        return false;
    if (t->type == other->type)
        return learn_check(other->numel == numel, call, at, "a tensor has %lld elements, and must have %lld",
                           other->numel, numel);
    return refuse(call, at, "one tensor is %s and another %s; use one type", dtype_name(t->type),
                  dtype_name(other->type));
}

bool learn_apart(const char *call, struct dist_at at, const tensor *out, const tensor *in)
{
    return learn_check(!tensor_overlap(out, in), call, at,
                       "what it writes overlaps what it reads; give it a tensor of its own", 0, 0);
}

/* The numbers of rows or classes, each from `least` to below `limit`; of a GPU's nobody can tell yet. */
static bool tensor_learn_check_ids(const char *call, struct dist_at at, const tensor *t, const tensor *ids,
                                   int64_t count, int64_t least, int64_t limit)
{
    if (!tensor_may_read(call, at, ids) || !tensor_together(call, at, t, ids) ||
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

/* ---- rows by their numbers ----------------------------------------------------------------------------------- */

static bool tensor_learn_check_table(const char *call, struct dist_at at, const tensor *table,
                                     const tensor *rows)
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
static void tensor_learn_embedding(const char *call, struct dist_at at, tensor *out, const tensor *table,
                                   const tensor *rows, const tensor *ids, enum kernel_kind kind)
{
    const tensor *in = out == rows ? table : rows;
    if (!learn_target(call, at, out) || !tensor_may_read(call, at, in) ||
        !tensor_learn_check_table(call, at, table, rows) || !learn_apart(call, at, out, in) ||
        !tensor_learn_check_ids(call, at, out, ids, learn_rows(rows), 0, table->shape[0]))
        return;
    struct kernel kernel = tensor_kernel(rows, kind);
    kernel.out = out->data;
    kernel.inner = table->shape[0];
    tensor_kernel_reads(&kernel, in);
    tensor_kernel_reads(&kernel, ids);
    tensor_run(call, at, out, kernel);
}

void tensor_embedding_at(struct dist_at at, tensor *out, const tensor *weight, const tensor *ids)
{
    tensor_learn_embedding("tensor_embedding", at, out, weight, out, ids, KERNEL_EMBEDDING);
}

void tensor_embedding_backward_at(struct dist_at at, tensor *dweight, const tensor *dy, const tensor *ids)
{
    tensor_learn_embedding("tensor_embedding_backward", at, dweight, dweight, dy, ids,
                           KERNEL_EMBEDDING_BACKWARD);
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
        !tensor_learn_check_ids(call, at, losses, ids, learn_rows(logits), INT64_MIN, learn_columns(logits)))
        return;
    struct kernel kernel = tensor_kernel(logits, KERNEL_CROSS_ENTROPY);
    kernel.out = losses->data;
    kernel.count = losses->numel;
    tensor_kernel_reads(&kernel, logits);
    tensor_kernel_reads(&kernel, ids);
    tensor_run(call, at, losses, kernel);
}

void tensor_cross_entropy_backward_at(struct dist_at at, tensor *t, const tensor *ids)
{
    const char *call = "tensor_cross_entropy_backward";
    if (!learn_target(call, at, t) ||
        !tensor_learn_check_ids(call, at, t, ids, learn_rows(t), INT64_MIN, learn_columns(t)))
        return;
    struct kernel kernel = tensor_kernel(t, KERNEL_CROSS_ENTROPY_BACKWARD);
    tensor_kernel_reads(&kernel, ids);
    tensor_run(call, at, t, kernel);
}

void tensor_adamw_with(struct tensor_adamw_args a)
{
    const char *call = "tensor_adamw";
    double beta1 = a.beta1 != 0 ? a.beta1 : 0.9, beta2 = a.beta2 != 0 ? a.beta2 : 0.999,
           epsilon = a.epsilon != 0 ? a.epsilon : 1e-8;
    if (!learn_target(call, a.at, a.w) || !learn_target(call, a.at, a.m) || !learn_target(call, a.at, a.v) ||
        !learn_beside(call, a.at, a.w, a.m, a.w->numel) || !learn_beside(call, a.at, a.w, a.v, a.w->numel) ||
        !learn_beside(call, a.at, a.w, a.gradient, a.w->numel) || !learn_apart(call, a.at, a.w, a.m) ||
        !learn_apart(call, a.at, a.w, a.v) || !learn_apart(call, a.at, a.m, a.v) ||
        !learn_apart(call, a.at, a.w, a.gradient) || !learn_apart(call, a.at, a.m, a.gradient) ||
        !learn_apart(call, a.at, a.v, a.gradient) ||
        !learn_check(a.step >= 1, call, a.at, "step is %lld; the first is 1", a.step, 0) ||
        !learn_check(beta1 > 0 && beta1 < 1 && beta2 > 0 && beta2 < 1 && epsilon > 0, call, a.at,
                     "a beta is not between 0 and 1, or epsilon not above 0; 0 stands for the usual one", 0,
                     0))
        return;
    struct kernel kernel = tensor_kernel(a.w, KERNEL_ADAMW);
    kernel.adamw = (struct adamw){ .keep = 1 - a.rate * a.weight_decay,
                                   .rate = a.rate / (1 - pow(beta1, (double)a.step)),
                                   .beta1 = beta1,
                                   .beta2 = beta2,
                                   .root = sqrt(1 - pow(beta2, (double)a.step)),
                                   .epsilon = epsilon };
    kernel.copies = 2;
    kernel.copy[0] = a.m->data;
    kernel.copy[1] = a.v->data;
    tensor_kernel_reads(&kernel, a.gradient);
    tensor_run(call, a.at, a.w, kernel);
}
