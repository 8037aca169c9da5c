/*
 * tensor_math.c: arithmetic on the elements of tensors: one after the other, in this order, on one core.
 *
 * Calls with two tensors of a type calculate in that type (integers wrap, F16 and BF16 pass through F32). Calls with
 * a number calculate in double and round once (integers stop at the ends of their range).
 */
#include "context.h"
#include "devices/host.h"

#include <string.h>

#define BLOCK 512 /* doubles on the stack: 4 KiB stay in the nearest cache */

static size_t bytes_of(const tensor *t)
{
    return (size_t)t->numel * dtype_size(t->type);
}

static bool overlap(const tensor *a, const tensor *b)
{
    const char *from_a = a->data, *from_b = b->data;
    return a->storage == b->storage && from_a < from_b + bytes_of(b) && from_b < from_a + bytes_of(a);
}

/* For the calls that take two tensors of one type and count; the same elements twice are fine. */
static bool check_pair(const char *call, struct dist_at at, const tensor *t, const tensor *other)
{
    if (!tensor_may_write(call, at, t) || !tensor_may_read(call, at, other))
        return false;
    if (t->type != other->type || t->numel != other->numel) {
        report_tensor(
            call, at, DIST_ERR_ARGUMENT,
            "the first tensor has %lld elements of %s, the second %lld of %s; both must have the same "
            "number and type",
            (long long)t->numel, dtype_name(t->type), (long long)other->numel, dtype_name(other->type));
        return false;
    }
    if (t->data != other->data && overlap(t, other)) {
        report_tensor(
            call, at, DIST_ERR_ARGUMENT,
            "the two views overlap in part, so the result would depend on the order; clone one first");
        return false;
    }
    return true;
}

static void combine(const char *call, struct dist_at at, tensor *t, const tensor *other, enum dist_op op)
{
    if (check_pair(call, at, t, other))
        host_reduce(t->data, (const void *[]){ t->data, other->data }, 2, t->numel, t->type, op);
}

void tensor_add_at(struct dist_at at, tensor *t, const tensor *other)
{
    combine("tensor_add", at, t, other, DIST_SUM);
}

void tensor_mul_at(struct dist_at at, tensor *t, const tensor *other)
{
    combine("tensor_mul", at, t, other, DIST_PRODUCT);
}

/* Differences of floats are exact enough in double: rounded once, they have the bits of the type's own arithmetic. */
static void subtract_floats(tensor *t, const tensor *other)
{
    double a[BLOCK], b[BLOCK];
    size_t size = dtype_size(t->type);
    for (int64_t begin = 0; begin < t->numel; begin += BLOCK) {
        int64_t here = t->numel - begin < BLOCK ? t->numel - begin : BLOCK;
        char *place = (char *)t->data + (size_t)begin * size;
        dtype_load_many(t->type, place, here, a);
        dtype_load_many(t->type, (const char *)other->data + (size_t)begin * size, here, b);
        for (int64_t i = 0; i < here; i++)
            a[i] -= b[i];
        dtype_store_many(t->type, place, here, a);
    }
}

void tensor_sub_at(struct dist_at at, tensor *t, const tensor *other)
{
    if (!check_pair("tensor_sub", at, t, other))
        return;
    if (t->type == DIST_I32) {
        uint32_t *a = t->data;
        const uint32_t *b = other->data;
        for (int64_t i = 0; i < t->numel; i++)
            a[i] -= b[i];
    } else if (t->type == DIST_I64) {
        uint64_t *a = t->data;
        const uint64_t *b = other->data;
        for (int64_t i = 0; i < t->numel; i++)
            a[i] -= b[i];
    } else if (t->type == DIST_U8) {
        uint8_t *a = t->data;
        const uint8_t *b = other->data;
        for (int64_t i = 0; i < t->numel; i++)
            a[i] = (uint8_t)(a[i] - b[i]);
    } else {
        subtract_floats(t, other);
    }
}

/* t[i] = t[i] * factor + term, block by block. */
static void scale_and_add(tensor *t, double factor, double term)
{
    double values[BLOCK];
    for (int64_t begin = 0; begin < t->numel; begin += BLOCK) {
        int64_t here = t->numel - begin < BLOCK ? t->numel - begin : BLOCK;
        char *place = (char *)t->data + (size_t)begin * dtype_size(t->type);
        dtype_load_many(t->type, place, here, values);
        for (int64_t i = 0; i < here; i++)
            values[i] = values[i] * factor + term;
        dtype_store_many(t->type, place, here, values);
    }
}

void tensor_add_scalar_at(struct dist_at at, tensor *t, double value)
{
    if (tensor_may_write("tensor_add_scalar", at, t))
        scale_and_add(t, 1, value);
}

void tensor_mul_scalar_at(struct dist_at at, tensor *t, double value)
{
    if (tensor_may_write("tensor_mul_scalar", at, t))
        scale_and_add(t, value, 0);
}

void tensor_fill_at(struct dist_at at, tensor *t, double value)
{
    if (!tensor_may_write("tensor_fill", at, t) || t->numel == 0)
        return;
    /* One element, then copies of what is there: 1, 2, 4, ... elements, up to a page at a time. */
    char *data = t->data;
    dtype_store(t->type, data, 0, value);
    size_t bytes = bytes_of(t), step;
    for (size_t done = dtype_size(t->type); done < bytes; done += step) {
        step = done < 4096 ? done : 4096;
        step = step < bytes - done ? step : bytes - done;
        memcpy(data + done, data, step);
    }
}

static void convert(tensor *to, const tensor *from)
{
    double values[BLOCK];
    for (int64_t begin = 0; begin < to->numel; begin += BLOCK) {
        int64_t here = to->numel - begin < BLOCK ? to->numel - begin : BLOCK;
        dtype_load_many(from->type, (const char *)from->data + (size_t)begin * dtype_size(from->type), here,
                        values);
        dtype_store_many(to->type, (char *)to->data + (size_t)begin * dtype_size(to->type), here, values);
    }
}

void tensor_copy_at(struct dist_at at, tensor *to, const tensor *from)
{
    if (!tensor_may_write("tensor_copy", at, to) || !tensor_may_read("tensor_copy", at, from))
        return;
    if (to->numel != from->numel)
        report_tensor("tensor_copy", at, DIST_ERR_ARGUMENT,
                      "%lld elements do not fit into %lld; take a slice, so that both have as many",
                      (long long)from->numel, (long long)to->numel);
    else if (to->type != from->type)
        convert(to, from);
    else if (overlap(to, from))
        memmove(to->data, from->data, bytes_of(to));
    else
        host_copy(to->data, from->data, bytes_of(to));
}

/* Below zero, for 16-bit floats, is: a sign bit, not minus zero, and not NaN. `endless` is minus infinity. */
static void relu_half(uint16_t *x, int64_t count, uint16_t endless)
{
    for (int64_t i = 0; i < count; i++)
        x[i] = x[i] > 0x8000 && x[i] <= endless ? 0 : x[i];
}

#define RELU_LOOP(element) \
    for (int64_t i = 0; i < t->numel; i++) \
    ((element *)t->data)[i] = ((element *)t->data)[i] < 0 ? 0 : ((element *)t->data)[i]

void tensor_relu_at(struct dist_at at, tensor *t)
{
    if (!tensor_may_write("tensor_relu", at, t))
        return;
    if (t->type == DIST_F32)
        RELU_LOOP(float);
    else if (t->type == DIST_F64)
        RELU_LOOP(double);
    else if (t->type == DIST_I32)
        RELU_LOOP(int32_t);
    else if (t->type == DIST_I64)
        RELU_LOOP(int64_t);
    else if (t->type == DIST_F16)
        relu_half(t->data, t->numel, 0xfc00);
    else if (t->type == DIST_BF16)
        relu_half(t->data, t->numel, 0xff80);
}

double tensor_sum_at(struct dist_at at, const tensor *t)
{
    if (!tensor_may_read("tensor_sum", at, t))
        return 0;
    double values[BLOCK], sum = 0;
    for (int64_t begin = 0; begin < t->numel; begin += BLOCK) {
        int64_t here = t->numel - begin < BLOCK ? t->numel - begin : BLOCK;
        dtype_load_many(t->type, (const char *)t->data + (size_t)begin * dtype_size(t->type), here, values);
        for (int64_t i = 0; i < here; i++)
            sum += values[i];
    }
    return sum;
}
