/*
 * tensor_matrix.c: the calls that see rows and columns.
 */
#include "tensor_kernel.h"

static bool tensor_matrix_check_matrix(const char *call, struct dist_at at, const tensor *t)
{
    if (!tensor_check(call, at, t))
        return false;
    if (t->ndim == 2)
        return true;
    return refuse(call, at, "a tensor of %d dimension%s is no matrix; make it with two lengths", t->ndim,
                  t->ndim == 1 ? "" : "s");
}

/* May this go into out? Their types agree, and out lies apart. */
static bool tensor_matrix_check_in(const char *call, struct dist_at at, const tensor *out, const tensor *in)
{
    if (out->type != in->type)
        return refuse(call, at, "the result is %s and what goes in is %s; use one type",
                      dtype_name(out->type), dtype_name(in->type));
    if (tensor_overlap(out, in))
        return refuse(call, at, "the result overlaps what goes in; give it a tensor of its own");
    return tensor_may_read_beside(call, at, out, in);
}

void tensor_matmul_at(struct dist_at at, tensor *out, const tensor *a, const tensor *b)
{
    const char *call = "tensor_matmul";
    if (!tensor_matrix_check_matrix(call, at, out) || !tensor_matrix_check_matrix(call, at, a) ||
        !tensor_matrix_check_matrix(call, at, b))
        return;
    if (a->shape[1] != b->shape[0] || out->shape[0] != a->shape[0] || out->shape[1] != b->shape[1]) {
        char left[100], right[100], result[100];
        refuse(call, at, "the shapes do not fit: %s times %s into %s; (n x k) times (k x m) gives (n x m)",
               tensor_shape_words(a, left, sizeof(left)), tensor_shape_words(b, right, sizeof(right)),
               tensor_shape_words(out, result, sizeof(result)));
        return;
    }
    if (!tensor_matrix_check_in(call, at, out, a) || !tensor_matrix_check_in(call, at, out, b) ||
        !tensor_may_write(call, at, out))
        return;
    if (out->type != DIST_F32 && out->type != DIST_F64) {
        refuse(call, at, "matrices of %s cannot be multiplied; use F32 or F64", dtype_name(out->type));
        return;
    }
    struct kernel kernel = tensor_kernel(out, KERNEL_MATMUL, a, b, NULL);
    kernel.rows = out->shape[0];
    kernel.inner = a->shape[1];
    tensor_run(call, at, out, kernel);
}

void tensor_transpose_at(struct dist_at at, tensor *out, const tensor *a)
{
    const char *call = "tensor_transpose";
    if (!tensor_matrix_check_matrix(call, at, out) || !tensor_matrix_check_matrix(call, at, a))
        return;
    if (out->shape[0] != a->shape[1] || out->shape[1] != a->shape[0]) {
        char in[100], result[100];
        refuse(call, at, "%s does not turn into %s; the result of (n x m) has the shape (m x n)",
               tensor_shape_words(a, in, sizeof(in)), tensor_shape_words(out, result, sizeof(result)));
        return;
    }
    if (!tensor_matrix_check_in(call, at, out, a) || !tensor_may_write(call, at, out))
        return;
    struct kernel kernel = tensor_kernel(out, KERNEL_TRANSPOSE, a, NULL, NULL);
    kernel.rows = a->shape[0];
    kernel.columns = a->shape[1];
    tensor_run(call, at, out, kernel);
}
