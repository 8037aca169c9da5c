/*
 * host_kernels.c: the kernels in plain C: what the host runs, and what other devices are compared with. (Those of learning are in
 * host_learn.c.)
 *
 * One element after the other, in this order, on one core. Kernels with two inputs of a type calculate in that type
 * (integers wrap, F16 and BF16 pass through F32). Kernels with a number calculate in double and round once (integers
 * stop at the ends of their range).
 */
#include "device.h"
#include "host.h"

#include <string.h>

#define BLOCK 512 /* doubles on the stack: 4 KiB stay in the nearest cache */

static int64_t kernel_block_at(const struct kernel *k, int64_t begin)
{
    return k->count - begin < BLOCK ? k->count - begin : BLOCK;
}

static void *kernel_part(const void *array, enum dist_type type, int64_t begin)
{
    return (char *)(uintptr_t)array + (size_t)begin * dtype_size(type);
}

static void kernel_fill(const struct kernel *k)
{
    if (k->count == 0)
        return;
    /* One element, then copies of what is there: 1, 2, 4, ... elements, up to a page at a time. */
    char *data = k->out;
    dtype_store(k->type, data, 0, k->value);
    size_t size = dtype_size(k->type), bytes = (size_t)k->count * size, step;
    for (size_t done = size; done < bytes; done += step) {
        step = done < 4096 ? done : 4096;
        step = step < bytes - done ? step : bytes - done;
        memcpy(data + done, data, step);
    }
}

static void kernel_arange(const struct kernel *k)
{
    for (int64_t i = 0; i < k->count; i++)
        dtype_store(k->type, k->out, i, k->value + (double)i);
}

static void kernel_convert(const struct kernel *k)
{
    if (k->from == k->type)
        memmove(k->out, k->in[0], (size_t)k->count * dtype_size(k->type));
    else
        dtype_convert(k->type, k->out, k->from, k->in[0], k->count);
}

static void kernel_reduce(const struct kernel *k)
{
    host_reduce_part(k->out, k->in, k->inputs, k->ways ? k->ways : k->inputs, k->count, k->type, k->op);
    for (int i = 0; i < k->copies; i++)
        host_copy(k->copy[i], k->out, (size_t)k->count * dtype_size(k->type));
}

/* Differences of floats are exact enough in double: rounded once, they have the bits of the type's own arithmetic. */
static void kernel_subtract_floats(const struct kernel *k)
{
    double a[BLOCK], b[BLOCK];
    for (int64_t begin = 0; begin < k->count; begin += BLOCK) {
        int64_t here = kernel_block_at(k, begin);
        dtype_load_many(k->type, kernel_part(k->in[0], k->type, begin), here, a);
        dtype_load_many(k->type, kernel_part(k->in[1], k->type, begin), here, b);
        for (int64_t i = 0; i < here; i++)
            a[i] -= b[i];
        dtype_store_many(k->type, kernel_part(k->out, k->type, begin), here, a);
    }
}

/* In the type's unsigned kind, since only that may wrap. */
#define SUBTRACT(element) \
    for (int64_t i = 0; i < k->count; i++) \
    ((element *)k->out)[i] = (element)(((const element *)k->in[0])[i] - ((const element *)k->in[1])[i])

static void kernel_subtract(const struct kernel *k)
{
    if (k->type == DIST_I32)
        SUBTRACT(uint32_t);
    else if (k->type == DIST_I64)
        SUBTRACT(uint64_t);
    else if (k->type == DIST_U8)
        SUBTRACT(uint8_t);
    else
        kernel_subtract_floats(k);
}

static void kernel_scale(const struct kernel *k)
{
    double values[BLOCK];
    for (int64_t begin = 0; begin < k->count; begin += BLOCK) {
        int64_t here = kernel_block_at(k, begin);
        dtype_load_many(k->type, kernel_part(k->out, k->type, begin), here, values);
        for (int64_t i = 0; i < here; i++)
            values[i] = values[i] * k->value + k->term;
        dtype_store_many(k->type, kernel_part(k->out, k->type, begin), here, values);
    }
}

/* What stays keeps its bits: not every I64 is a double. */
#define KEEP(bits) \
    for (int64_t i = 0; i < here; i++) \
    ((bits *)out)[i] = keep[i] ? ((bits *)out)[i] : 0

/* RELU keeps what is not below zero, RELU_BACKWARD what goes with a number above it. */
static void kernel_relu(const struct kernel *k)
{
    bool backward = k->kind == KERNEL_RELU_BACKWARD;
    double value[BLOCK];
    bool keep[BLOCK];
    size_t size = dtype_size(k->type);
    for (int64_t begin = 0; begin < k->count; begin += BLOCK) {
        int64_t here = kernel_block_at(k, begin);
        void *out = kernel_part(k->out, k->type, begin);
        dtype_load_many(k->type, backward ? kernel_part(k->in[0], k->type, begin) : out, here, value);
        for (int64_t i = 0; i < here; i++)
            keep[i] = backward ? value[i] > 0 : !(value[i] < 0);
        if (size == 1)
            KEEP(uint8_t);
        else if (size == 2)
            KEEP(uint16_t);
        else if (size == 4)
            KEEP(uint32_t);
        else
            KEEP(uint64_t);
    }
}

static void kernel_sum(const struct kernel *k)
{
    double values[BLOCK], total = 0;
    for (int64_t begin = 0; begin < k->count; begin += BLOCK) {
        int64_t here = kernel_block_at(k, begin);
        dtype_load_many(k->type, kernel_part(k->in[0], k->type, begin), here, values);
        for (int64_t i = 0; i < here; i++)
            total += values[i];
    }
    *(double *)k->out = total;
}

/* Row by row of b, so that the innermost loop walks along memory. Each sum still runs over k in order. */
#define MATMUL(name, element) \
    static void name(element *restrict out, const element *a, const element *b, int64_t rows, int64_t inner, \
                     int64_t columns) \
    { \
        memset(out, 0, (size_t)(rows * columns) * sizeof(element)); \
        for (int64_t i = 0; i < rows; i++) \
            for (int64_t k = 0; k < inner; k++) \
                for (int64_t j = 0; j < columns; j++) \
                    out[i * columns + j] += a[i * inner + k] * b[k * columns + j]; \
    }
MATMUL(matmul_f32, float)
MATMUL(matmul_f64, double)

static void kernel_matmul(const struct kernel *k)
{
    if (k->type == DIST_F32)
        matmul_f32(k->out, k->in[0], k->in[1], k->rows, k->inner, k->columns);
    else
        matmul_f64(k->out, k->in[0], k->in[1], k->rows, k->inner, k->columns);
}

/* `size` is a constant at each use: the compiler makes one plain move of each memcpy. */
static inline void kernel_turn(char *out, const char *a, int64_t rows, int64_t columns, size_t size)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            memcpy(out + (size_t)(j * rows + i) * size, a + (size_t)(i * columns + j) * size, size);
}

static void kernel_transpose(const struct kernel *k)
{
    size_t size = dtype_size(k->type);
    if (size == 1)
        kernel_turn(k->out, k->in[0], k->rows, k->columns, 1);
    else if (size == 2)
        kernel_turn(k->out, k->in[0], k->rows, k->columns, 2);
    else if (size == 4)
        kernel_turn(k->out, k->in[0], k->rows, k->columns, 4);
    else
        kernel_turn(k->out, k->in[0], k->rows, k->columns, 8);
}

void host_launch(const struct kernel *kernel)
{
    static void (*const kernels[KERNEL_KINDS])(const struct kernel *) = {
        [KERNEL_FILL] = kernel_fill,
        [KERNEL_ARANGE] = kernel_arange,
        [KERNEL_CONVERT] = kernel_convert,
        [KERNEL_REDUCE] = kernel_reduce,
        [KERNEL_SUB] = kernel_subtract,
        [KERNEL_SCALE] = kernel_scale,
        [KERNEL_RELU] = kernel_relu,
        [KERNEL_RELU_BACKWARD] = kernel_relu,
        [KERNEL_SUM] = kernel_sum,
        [KERNEL_MATMUL] = kernel_matmul,
        [KERNEL_TRANSPOSE] = kernel_transpose,
    };
    if (kernels[kernel->kind])
        kernels[kernel->kind](kernel);
    else
        host_learn(kernel);
}
