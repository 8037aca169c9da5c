/* reference.c: see reference.h. Nothing here is fast, everything is meant to be obvious. */
#include "reference.h"

#include <math.h>
#include <string.h>

size_t ref_bytes(enum dist_type type)
{
    static const size_t bytes[REF_TYPES] = {
        [DIST_F32] = 4, [DIST_F64] = 8, [DIST_F16] = 2, [DIST_BF16] = 2,
        [DIST_I32] = 4, [DIST_I64] = 8, [DIST_U8] = 1,
    };
    return bytes[type];
}

const char *ref_type_name(enum dist_type type)
{
    static const char *const names[REF_TYPES] = {
        [DIST_F32] = "F32", [DIST_F64] = "F64", [DIST_F16] = "F16", [DIST_BF16] = "BF16",
        [DIST_I32] = "I32", [DIST_I64] = "I64", [DIST_U8] = "U8",
    };
    return names[type];
}

const char *ref_op_name(enum dist_op op)
{
    static const char *const names[REF_OPS] = { "SUM", "AVG", "PRODUCT", "MIN", "MAX" }; /* enum dist_op */
    return names[op];
}

/* ---- random numbers: splitmix64 -------------------------------------------- */

uint64_t ref_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

int64_t ref_below(uint64_t *state, int64_t limit)
{
    return (int64_t)(ref_random(state) % (uint64_t)limit);
}

/* ---- the two short floats, by arithmetic ------------------------------------ */

static float from_f16(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float size = exponent == 31 ? (fraction ? NAN : INFINITY)
                 : exponent     ? ldexpf((float)(1024 + fraction), exponent - 25)
                                : ldexpf((float)fraction, -24);
    return bits & 0x8000 ? -size : size;
}

/* A half has 11 digits down to 2^-14, and below that steps of 2^-24. nearbyint rounds ties to even. */
static uint16_t to_f16(float value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs((double)value);
    if (isnan(value))
        return sign | 0x7e00;
    if (size >= 65520)
        return sign | 0x7c00;
    int exponent = size < 0x1p-14 ? -14 : ilogb(size);
    int steps = (int)nearbyint(ldexp(size, 10 - exponent));
    /* The steps carry into the exponent by themselves: 2048 of them are the next power of two. */
    return (uint16_t)(sign | (((exponent + 14) << 10) + steps));
}

static float from_bf16(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

static uint16_t to_bf16(float value)
{
    uint32_t wide;
    memcpy(&wide, &value, sizeof wide);
    uint32_t kept = wide >> 16, rest = wide & 0xffff;
    if (isnan(value))
        return (uint16_t)(kept | 0x40);
    if (rest > 0x8000 || (rest == 0x8000 && kept % 2 == 1))
        kept++;
    return (uint16_t)kept;
}

/* ---- one element ------------------------------------------------------------- */

static bool is_integer(enum dist_type type)
{
    return type == DIST_I32 || type == DIST_I64 || type == DIST_U8;
}

static float load_float(enum dist_type type, const void *array, int64_t i)
{
    if (type == DIST_F16)
        return from_f16(((const uint16_t *)array)[i]);
    if (type == DIST_BF16)
        return from_bf16(((const uint16_t *)array)[i]);
    return ((const float *)array)[i];
}

static int64_t load_integer(enum dist_type type, const void *array, int64_t i)
{
    if (type == DIST_I32)
        return ((const int32_t *)array)[i];
    if (type == DIST_I64)
        return ((const int64_t *)array)[i];
    return ((const uint8_t *)array)[i];
}

static void store_integer(enum dist_type type, void *array, int64_t i, int64_t value)
{
    if (type == DIST_I32)
        ((int32_t *)array)[i] = (int32_t)value;
    else if (type == DIST_I64)
        ((int64_t *)array)[i] = value;
    else
        ((uint8_t *)array)[i] = (uint8_t)value;
}

double ref_item(enum dist_type type, const void *array, int64_t i)
{
    if (is_integer(type))
        return (double)load_integer(type, array, i);
    return type == DIST_F64 ? ((const double *)array)[i] : (double)load_float(type, array, i);
}

void ref_store(enum dist_type type, void *array, int64_t i, double value)
{
    if (is_integer(type))
        store_integer(type, array, i, (int64_t)value);
    else if (type == DIST_F64)
        ((double *)array)[i] = value;
    else if (type == DIST_F16)
        ((uint16_t *)array)[i] = to_f16((float)value);
    else if (type == DIST_BF16)
        ((uint16_t *)array)[i] = to_bf16((float)value);
    else
        ((float *)array)[i] = (float)value;
}

void ref_fill(enum dist_type type, void *array, int64_t count, uint64_t seed)
{
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = ref_random(&seed);
        double size = 0.5 + 1.5 * ldexp((double)(bits >> 11), -53);
        double value = bits & 1 ? -size : size;
        if (is_integer(type))
            store_integer(type, array, i, (int64_t)bits);
        else
            ref_store(type, array, i, value);
    }
}

/* ---- reductions ----------------------------------------------------------------- */

bool ref_narrow_averages;

/* What is not a number stays so; minus zero is the lower one. */
static double lower(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : a < b || (a == b && signbit(a)) ? a : b;
}

static double rounded(enum dist_type type, double value)
{
    return type == DIST_F64 ? value : (float)value;
}

/* In the type's own arithmetic, or in F32: rounded from double, a single operation has the bits of F32's own. */
static double reduce_number(enum dist_type type, enum dist_op op, const void *const *in, int inputs,
                            int64_t i)
{
    double all = ref_item(type, in[0], i);
    for (int k = 1; k < inputs; k++) {
        double one = ref_item(type, in[k], i);
        all = op == DIST_MIN       ? lower(all, one)
              : op == DIST_MAX     ? -lower(-all, -one)
              : op == DIST_PRODUCT ? rounded(type, all * one)
                                   : rounded(type, all + one);
    }
    return op == DIST_AVG ? rounded(type, all / inputs) : all;
}

/* Sums and products modulo 2^64, cut down to the type at the end, are the same as wrapping at every step. Averages are of the
 * sums before they are cut, but for NCCL's. */
static int64_t reduce_integer(enum dist_type type, enum dist_op op, const void *const *in, int inputs,
                              int64_t i)
{
    int64_t all = load_integer(type, in[0], i);
    for (int k = 1; k < inputs; k++) {
        int64_t one = load_integer(type, in[k], i);
        all = op == DIST_MIN       ? (one < all ? one : all)
              : op == DIST_MAX     ? (one > all ? one : all)
              : op == DIST_PRODUCT ? (int64_t)((uint64_t)all * (uint64_t)one)
                                   : (int64_t)((uint64_t)all + (uint64_t)one);
    }
    if (ref_narrow_averages)
        all = type == DIST_U8 ? (uint8_t)all : type == DIST_I32 ? (int32_t)all : all;
    return op == DIST_AVG ? all / inputs : all;
}

void ref_reduce(enum dist_type type, enum dist_op op, void *out, const void *const *in, int inputs,
                int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (is_integer(type))
            store_integer(type, out, i, reduce_integer(type, op, in, inputs, i));
        else
            ref_store(type, out, i, reduce_number(type, op, in, inputs, i));
    }
}

int64_t ref_difference(enum dist_type type, const void *a, const void *b, int64_t count)
{
    size_t bytes = ref_bytes(type);
    if (count == 0 || memcmp(a, b, (size_t)count * bytes) == 0)
        return -1;
    for (int64_t i = 0;; i++)
        if (memcmp((const char *)a + (size_t)i * bytes, (const char *)b + (size_t)i * bytes, bytes) != 0)
            return i;
}

int64_t ref_far_off(enum dist_type type, enum dist_op op, int inputs, const void *a, const void *reduced,
                    int64_t count)
{
    static const double half_digit[REF_TYPES] = {
        [DIST_F64] = 0x1p-53, [DIST_F32] = 0x1p-24, [DIST_F16] = 0x1p-11, [DIST_BF16] = 0x1p-8
    };
    if (is_integer(type) || op == DIST_MIN || op == DIST_MAX)
        return ref_difference(type, a, reduced, count);
    for (int64_t i = 0; i < count; i++) {
        double is = ref_item(type, a, i), should = ref_item(type, reduced, i);
        double size = op == DIST_PRODUCT ? fabs(should) : op == DIST_SUM ? 2.0 * inputs : 2;
        if (!(fabs(is - should) <= 2 * inputs * half_digit[type] * size))
            return i;
    }
    return -1;
}
