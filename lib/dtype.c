/*
 * dtype.c: element types as names and doubles.
 */
#include "dtype.h"

#include <math.h>

static const char *const types[DTYPE_COUNT] = {
    [DIST_F32] = "F32", [DIST_F64] = "F64", [DIST_F16] = "F16", [DIST_BF16] = "BF16",
    [DIST_I32] = "I32", [DIST_I64] = "I64", [DIST_U8] = "U8",
};

static const char *const ops[OP_COUNT] = {
    [DIST_SUM] = "SUM", [DIST_AVG] = "AVG", [DIST_PRODUCT] = "PRODUCT",
    [DIST_MIN] = "MIN", [DIST_MAX] = "MAX",
};

const char *dtype_name(enum dist_type type)
{
    return (unsigned)type < DTYPE_COUNT ? types[type] : "no type";
}

const char *op_name(enum dist_op op)
{
    return (unsigned)op < OP_COUNT ? ops[op] : "no reduction";
}

/* A double on its way to 16 bits passes through F32, and would be rounded twice. Where the first step is not exact,
 * take the neighbour whose last bit is 1: it then lies on the right side of every tie. */
static float dtype_f32_to_odd(double value)
{
    union f32_bits near = { .value = (float)value };
    if ((double)near.value == value || near.bits & 1)
        return near.value;
    return nextafterf(near.value, value > (double)near.value ? INFINITY : -INFINITY);
}

/* The bounds are powers of two: the largest I64 itself is no double. `past` is the first value too large. */
static int64_t dtype_to_integer(double value, int64_t smallest, int64_t largest, double past)
{
    double whole = nearbyint(value);
    if (whole >= past)
        return largest;
    if (whole <= (double)smallest)
        return smallest;
    return whole == whole ? (int64_t)whole : 0;
}

#define LOAD(type, element, convert) \
    case type: \
        for (int64_t i = 0; i < count; i++) \
            values[i] = (double)convert(((const element *)array)[i]); \
        break

void dtype_load_many(enum dist_type type, const void *array, int64_t count, double *values)
{
    switch (type) {
        LOAD(DIST_F32, float, );
        LOAD(DIST_F64, double, );
        LOAD(DIST_F16, uint16_t, dtype_f32_from_f16);
        LOAD(DIST_BF16, uint16_t, dtype_f32_from_bf16);
        LOAD(DIST_I32, int32_t, );
        LOAD(DIST_I64, int64_t, );
        LOAD(DIST_U8, uint8_t, );
    }
}

#define STORE(type, element, expression) \
    case type: \
        for (int64_t i = 0; i < count; i++) \
            ((element *)array)[i] = (element)(expression); \
        break

void dtype_store_many(enum dist_type type, void *array, int64_t count, const double *values)
{
    switch (type) {
        STORE(DIST_F32, float, values[i]);
        STORE(DIST_F64, double, values[i]);
        STORE(DIST_F16, uint16_t, dtype_f16_from_f32(dtype_f32_to_odd(values[i])));
        STORE(DIST_BF16, uint16_t, dtype_bf16_from_f32(dtype_f32_to_odd(values[i])));
        STORE(DIST_I32, int32_t, dtype_to_integer(values[i], INT32_MIN, INT32_MAX, 0x1p31));
        STORE(DIST_I64, int64_t, dtype_to_integer(values[i], INT64_MIN, INT64_MAX, 0x1p63));
        STORE(DIST_U8, uint8_t, dtype_to_integer(values[i], 0, UINT8_MAX, 256));
    }
}

double dtype_load(enum dist_type type, const void *array, int64_t i)
{
    double value = 0;
    dtype_load_many(type, (const char *)array + i * (int64_t)dtype_size(type), 1, &value);
    return value;
}

void dtype_store(enum dist_type type, void *array, int64_t i, double value)
{
    dtype_store_many(type, (char *)array + i * (int64_t)dtype_size(type), 1, &value);
}

/* ---- wider types ------------------------------------------------------------------ */

enum dist_type dtype_wide(enum dist_type type, enum dist_op op)
{
    if (type == DIST_F16 || type == DIST_BF16)
        return op == DIST_MIN || op == DIST_MAX ? type : DIST_F32;
    if (op == DIST_AVG && (type == DIST_U8 || type == DIST_I32))
        return type == DIST_U8 ? DIST_I32 : DIST_I64;
    return type;
}

void dtype_convert(enum dist_type to, void *out, enum dist_type from, const void *in, int64_t count)
{
    double values[256] = { 0 }; /* gcc 14 does not see that each load fills what its store reads */
    for (int64_t begin = 0; begin < count; begin += 256) {
        int64_t here = count - begin < 256 ? count - begin : 256;
        dtype_load_many(from, (const char *)in + (size_t)begin * dtype_size(from), here, values);
        dtype_store_many(to, (char *)out + (size_t)begin * dtype_size(to), here, values);
    }
}
