/*
 * tensor_math.c: arithmetic on the elements of tensors. Here the arguments are checked; devices/ does the work, where the
 * tensors lie: at once on the host, in the current stream on a GPU.
 */
#include "tensor_kernel.h"
#include "streams/gpu.h"

void tensor_run(const char *call, struct dist_at at, const tensor *t, struct kernel kernel)
{
    if (t->gpu)
        gpu_launch(t->gpu, call, at, kernel);
    else
        host_launch(&kernel);
}

bool tensor_may_read_beside(const char *call, struct dist_at at, const tensor *t, const tensor *other)
{
    if (!tensor_may_read(call, at, other))
        return false;
    return t->gpu == other->gpu || refuse(call, at,
                                          "one tensor lies on the host, the other on the GPU; bring them "
                                          "together with tensor_to");
}

struct kernel tensor_kernel(const tensor *t, enum kernel_kind kind, const tensor *a, const tensor *b,
                            const tensor *c)
{
    struct kernel kernel = { .kind = kind,
                             .type = t->type,
                             .out = t->data,
                             .count = t->numel,
                             .rows = learn_rows(t),
                             .columns = learn_columns(t) };
    const tensor *const reads[] = { a, b, c };
    for (; kernel.inputs < 3 && reads[kernel.inputs]; kernel.inputs++) {
        kernel.in[kernel.inputs] = reads[kernel.inputs]->data;
        kernel.in_bytes[kernel.inputs] = reads[kernel.inputs]->bytes;
    }
    return kernel;
}

/* For the calls that take two tensors of one type and count; the same elements twice are fine. */
static bool tensor_math_check_pair(const char *call, struct dist_at at, const tensor *t, const tensor *other)
{
    if (!tensor_may_write(call, at, t) || !tensor_may_read_beside(call, at, t, other))
        return false;
    if (t->type != other->type || t->numel != other->numel)
        return refuse(
            call, at,
            "the first tensor has %lld element%s of %s, the second %lld of %s; both must have the same "
            "number and type",
            (long long)t->numel, t->numel == 1 ? "" : "s", dtype_name(t->type), (long long)other->numel,
            dtype_name(other->type));
    if (t->data != other->data && tensor_overlap(t, other))
        return refuse(
            call, at,
            "the two views overlap in part, so the result would depend on the order; clone one first");
    return true;
}

static void tensor_math_combine(const char *call, struct dist_at at, tensor *t, const tensor *other,
                                enum kernel_kind kind, enum dist_op op)
{
    if (!tensor_math_check_pair(call, at, t, other))
        return;
    struct kernel kernel = tensor_kernel(t, kind, t, other, NULL);
    kernel.op = op;
    tensor_run(call, at, t, kernel);
}

void tensor_add_at(struct dist_at at, tensor *t, const tensor *other)
{
    tensor_math_combine("tensor_add", at, t, other, KERNEL_REDUCE, DIST_SUM);
}

void tensor_mul_at(struct dist_at at, tensor *t, const tensor *other)
{
    tensor_math_combine("tensor_mul", at, t, other, KERNEL_REDUCE, DIST_PRODUCT);
}

void tensor_sub_at(struct dist_at at, tensor *t, const tensor *other)
{
    tensor_math_combine("tensor_sub", at, t, other, KERNEL_SUB, DIST_SUM);
}

static void tensor_math_change(const char *call, struct dist_at at, tensor *t, enum kernel_kind kind,
                               double value, double term)
{
    if (!tensor_may_write(call, at, t))
        return;
    struct kernel kernel = tensor_kernel(t, kind, NULL, NULL, NULL);
    kernel.value = value;
    kernel.term = term;
    tensor_run(call, at, t, kernel);
}

void tensor_add_scalar_at(struct dist_at at, tensor *t, double value)
{
    tensor_math_change("tensor_add_scalar", at, t, KERNEL_SCALE, 1, value);
}

void tensor_mul_scalar_at(struct dist_at at, tensor *t, double value)
{
    tensor_math_change("tensor_mul_scalar", at, t, KERNEL_SCALE, value,
                       -0.0); /* which leaves a -0 as it is */
}

void tensor_set_at(struct dist_at at, tensor *t, int64_t i, double value)
{
    if (!tensor_may_touch_element("tensor_set", at, t, i, true))
        return;
    struct kernel kernel = tensor_kernel(t, KERNEL_FILL, NULL, NULL, NULL);
    kernel.out = (char *)t->data + (size_t)i * dtype_size(t->type);
    kernel.count = 1;
    kernel.value = value;
    tensor_run("tensor_set", at, t, kernel);
}

void tensor_fill_at(struct dist_at at, tensor *t, double value)
{
    tensor_math_change("tensor_fill", at, t, KERNEL_FILL, value, 0);
}

void tensor_copy_at(struct dist_at at, tensor *to, const tensor *from)
{
    const char *call = "tensor_copy";
    if (!tensor_may_write(call, at, to) || !tensor_may_read(call, at, from))
        return;
    if (to->numel != from->numel) {
        refuse(call, at, "%lld elements do not fit into %lld; take a slice, so that both have as many",
               (long long)from->numel, (long long)to->numel);
    } else if (to->gpu == from->gpu) {
        struct kernel kernel = tensor_kernel(to, KERNEL_CONVERT, from, NULL, NULL);
        kernel.from = from->type;
        tensor_run(call, at, to, kernel);
    } else if (to->type != from->type) {
        refuse(call, at, "from %s to %s, and between host and GPU; convert on one side, then copy",
               dtype_name(from->type), dtype_name(to->type));
    } else if (to->gpu) {
        gpu_write(to->gpu, call, at, to->data, from->data, to->bytes);
    } else {
        gpu_read(from->gpu, call, at, to->data, from->data, to->bytes);
    }
}

void tensor_relu_at(struct dist_at at, tensor *t)
{
    tensor_math_change("tensor_relu", at, t, KERNEL_RELU, 0, 0);
}

void tensor_relu_backward_at(struct dist_at at, tensor *t, const tensor *y)
{
    if (tensor_math_check_pair("tensor_relu_backward", at, t, y))
        tensor_run("tensor_relu_backward", at, t, tensor_kernel(t, KERNEL_RELU_BACKWARD, y, NULL, NULL));
}

void tensor_gelu_at(struct dist_at at, tensor *t)
{
    if (learn_target("tensor_gelu", at, t))
        tensor_math_change("tensor_gelu", at, t, KERNEL_GELU, 0, 0);
}

void tensor_softmax_at(struct dist_at at, tensor *t)
{
    if (learn_target("tensor_softmax", at, t))
        tensor_math_change("tensor_softmax", at, t, KERNEL_SOFTMAX, 0, 0);
}

static void tensor_math_change_by(const char *call, struct dist_at at, tensor *t, const tensor *other,
                                  enum kernel_kind kind)
{
    if (learn_fit(call, at, (struct learn_part[]){ { t, WHOLE }, { other, WHOLE } }, 1, 2))
        tensor_run(call, at, t, tensor_kernel(t, kind, other, NULL, NULL));
}

void tensor_gelu_backward_at(struct dist_at at, tensor *t, const tensor *x)
{
    tensor_math_change_by("tensor_gelu_backward", at, t, x, KERNEL_GELU_BACKWARD);
}

void tensor_softmax_backward_at(struct dist_at at, tensor *t, const tensor *y)
{
    tensor_math_change_by("tensor_softmax_backward", at, t, y, KERNEL_SOFTMAX_BACKWARD);
}

void tensor_causal_mask_at(struct dist_at at, tensor *t, int64_t ahead)
{
    const char *call = "tensor_causal_mask";
    if (!learn_target(call, at, t))
        return;
    if (t->ndim < 2) {
        refuse(call, at, "a mask needs rows and columns, and the tensor has %d dimension", t->ndim);
        return;
    }
    struct kernel kernel = tensor_kernel(t, KERNEL_CAUSAL_MASK, NULL, NULL, NULL);
    kernel.rows = t->shape[t->ndim - 2];
    kernel.inner = ahead;
    tensor_run(call, at, t, kernel);
}

double tensor_sum_at(struct dist_at at, const tensor *t)
{
    double sum = 0;
    if (!tensor_may_read("tensor_sum", at, t))
        return 0;
    struct kernel kernel = tensor_kernel(t, KERNEL_SUM, t, NULL, NULL);
    kernel.out = t->gpu ? t->gpu->scratch : &sum;
    if (t->gpu)
        gpu_finish_copy(t->gpu, "tensor_sum", at);
    tensor_run("tensor_sum", at, t, kernel);
    if (t->gpu)
        gpu_read(t->gpu, "tensor_sum", at, &sum, t->gpu->scratch, sizeof sum);
    return sum;
}
