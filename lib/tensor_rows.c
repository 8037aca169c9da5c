/*
 * tensor_rows.c: what a model does with each element, or with each row: the checks. devices/learn.inc.h calculates.
 */
#include "tensor_kernel.h"

/* ---- element by element, row by row ----------------------------------------------------------------------- */

static void tensor_rows_change(const char *call, struct dist_at at, tensor *t, enum kernel_kind kind)
{
    if (learn_target(call, at, t))
        tensor_run(call, at, t, tensor_kernel(t, kind));
}

static void tensor_rows_change_by(const char *call, struct dist_at at, tensor *t, const tensor *other,
                                  enum kernel_kind kind)
{
    if (!learn_target(call, at, t) || !learn_beside(call, at, t, other, t->numel) ||
        !learn_apart(call, at, t, other))
        return;
    struct kernel kernel = tensor_kernel(t, kind);
    tensor_kernel_reads(&kernel, other);
    tensor_run(call, at, t, kernel);
}

void tensor_gelu_at(struct dist_at at, tensor *t)
{
    tensor_rows_change("tensor_gelu", at, t, KERNEL_GELU);
}

void tensor_gelu_backward_at(struct dist_at at, tensor *t, const tensor *x)
{
    tensor_rows_change_by("tensor_gelu_backward", at, t, x, KERNEL_GELU_BACKWARD);
}

void tensor_softmax_at(struct dist_at at, tensor *t)
{
    tensor_rows_change("tensor_softmax", at, t, KERNEL_SOFTMAX);
}

void tensor_softmax_backward_at(struct dist_at at, tensor *t, const tensor *y)
{
    tensor_rows_change_by("tensor_softmax_backward", at, t, y, KERNEL_SOFTMAX_BACKWARD);
}

void tensor_causal_mask_at(struct dist_at at, tensor *t, int64_t ahead)
{
    const char *call = "tensor_causal_mask";
    if (!learn_target(call, at, t) ||
        !learn_check(t->ndim >= 2, call, at,
                     "a mask needs rows and columns, and the tensor has %lld dimension", t->ndim, 0))
        return;
    struct kernel kernel = tensor_kernel(t, KERNEL_CAUSAL_MASK);
    kernel.rows = t->shape[t->ndim - 2];
    kernel.inner = ahead;
    tensor_run(call, at, t, kernel);
}

/* ---- layer norm ---------------------------------------------------------------------------------------------- */

#define EPSILON 1e-5 /* as in torch */

void tensor_layer_norm_at(struct dist_at at, tensor *out, const tensor *x, const tensor *weight,
                          const tensor *bias)
{
    const char *call = "tensor_layer_norm";
    if (!learn_target(call, at, out) || !learn_beside(call, at, out, x, out->numel) ||
        !learn_beside(call, at, out, weight, learn_columns(out)) ||
        !learn_beside(call, at, out, bias, learn_columns(out)) ||
        !(x->data == out->data || learn_apart(call, at, out, x)) || !learn_apart(call, at, out, weight) ||
        !learn_apart(call, at, out, bias))
        return;
    struct kernel kernel = tensor_kernel(out, KERNEL_LAYER_NORM);
    kernel.value = EPSILON;
    tensor_kernel_reads(&kernel, x);
    tensor_kernel_reads(&kernel, weight);
    tensor_kernel_reads(&kernel, bias);
    tensor_run(call, at, out, kernel);
}

/* One row += the sums of all rows of dy, each element times its neighbour's in `by`, if there is one. */
static void tensor_rows_add_columns(const char *call, struct dist_at at, tensor *row, const tensor *dy,
                                    const tensor *by)
{
    struct kernel kernel = tensor_kernel(dy, KERNEL_ADD_COLUMNS);
    kernel.out = row->data;
    kernel.count = row->numel;
    tensor_kernel_reads(&kernel, dy);
    if (by)
        tensor_kernel_reads(&kernel, by);
    tensor_run(call, at, row, kernel);
}

/* What is written lies apart from all else: the three are written one after the other. */
static bool tensor_rows_check_apart(const char *call, struct dist_at at, const tensor *const *written,
                                    const tensor *const *read)
{
    bool apart = true;
    for (int i = 0; i < 3 && apart; i++) {
        for (int j = 0; j < 3 && apart; j++)
            apart = learn_apart(call, at, written[i], read[j]);
        for (int j = 0; j < i && apart; j++)
            apart = learn_apart(call, at, written[i], written[j]);
    }
    return apart;
}

/* dx first holds the rows of x that layer norm would weigh: dweight needs them. */
void tensor_layer_norm_backward_at(struct dist_at at, tensor *dx, tensor *dweight, tensor *dbias,
                                   const tensor *dy, const tensor *x, const tensor *weight)
{
    const char *call = "tensor_layer_norm_backward";
    if (!learn_target(call, at, dx) || !learn_target(call, at, dweight) || !learn_target(call, at, dbias) ||
        !learn_beside(call, at, dx, dy, dx->numel) || !learn_beside(call, at, dx, x, dx->numel) ||
        !learn_beside(call, at, dx, weight, learn_columns(dx)) ||
        !learn_beside(call, at, dx, dweight, learn_columns(dx)) ||
        !learn_beside(call, at, dx, dbias, learn_columns(dx)) ||
        !tensor_rows_check_apart(call, at, (const tensor *[]){ dx, dweight, dbias },
                                 (const tensor *[]){ dy, x, weight }))
        return;
    struct kernel kernel = tensor_kernel(dx, KERNEL_LAYER_NORM);
    kernel.value = EPSILON;
    tensor_kernel_reads(&kernel, x);
    tensor_run(call, at, dx, kernel);
    tensor_rows_add_columns(call, at, dweight, dy, dx);
    tensor_rows_add_columns(call, at, dbias, dy, NULL);
    kernel.kind = KERNEL_LAYER_NORM_BACKWARD;
    kernel.inputs = 0;
    tensor_kernel_reads(&kernel, dy);
    tensor_kernel_reads(&kernel, x);
    tensor_kernel_reads(&kernel, weight);
    tensor_run(call, at, dx, kernel);
}
