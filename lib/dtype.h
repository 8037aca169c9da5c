/*
 * dtype.h: what the library knows about element types and reductions.
 */
#ifndef DTYPE_H
#define DTYPE_H

#include "dist_base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DTYPE_COUNT 7
#define OP_COUNT 5

/* Bytes of an element; 0: no such type. */
static inline size_t dtype_size(enum dist_type type)
{
    static const unsigned char sizes[DTYPE_COUNT] = {
        [DIST_F32] = 4, [DIST_F64] = 8, [DIST_F16] = 2, [DIST_BF16] = 2,
        [DIST_I32] = 4, [DIST_I64] = 8, [DIST_U8] = 1,
    };
    return (unsigned)type < DTYPE_COUNT ? sizes[type] : 0;
}

const char *dtype_name(enum dist_type type); /* "F32" */
const char *op_name(enum dist_op op);        /* "SUM" */

/* Element i of an array of that type, as a double; and back, rounded once to nearest (ties to even) and, for
 * integers, cut off at the ends of the type's range. An integer becomes 0 where the double is NaN. */
double dtype_load(enum dist_type type, const void *array, int64_t i);
void dtype_store(enum dist_type type, void *array, int64_t i, double value);

/* The same for `count` elements from the first on. */
void dtype_load_many(enum dist_type type, const void *array, int64_t count, double *values);
void dtype_store_many(enum dist_type type, void *array, int64_t count, const double *values);

/* In which type elements are combined: the next wider one where sums on the way to a result would not fit, or would be rounded
 * more than once: 16-bit floats, and averages of U8 and I32. Else their own. */
enum dist_type dtype_wide(enum dist_type type, enum dist_op op);

/* To another type, by way of double: so an I64 beyond 2^53 is rounded twice on its way to a float, as on a GPU (convert, loops.cuh). */
void dtype_convert(enum dist_type to, void *out, enum dist_type from, const void *in, int64_t count);

/* ---- 16-bit floats ------------------------------------------------------- *
 *
 *   F32    s eeeeeeee mmmmmmmmmmmmmmmmmmmmmmm     exponent counts from 127
 *   BF16   s eeeeeeee mmmmmmm                     an F32 cut in the middle
 *   F16    s eeeee mmmmmmmmmm                     exponent counts from 15
 *
 * To and from F32; rounding to nearest, ties to even; NaN stays NaN (sign and upper bits kept, quiet where it gets
 * shorter). They stand here, and choose by masks instead of branching, so that compilers turn loops over them into
 * vector code.
 */
union f32_bits {
    float value;
    uint32_t bits;
};

/* yes where the condition holds, else no. (With `? :` gcc keeps float arithmetic in a branch of its own.) */
static inline uint32_t dtype_choose(bool condition, uint32_t yes, uint32_t no)
{
    return no ^ ((yes ^ no) & (0u - (uint32_t)condition));
}

static inline float dtype_f32_from_f16(uint16_t half)
{
    uint32_t magnitude = (half & 0x7fffu) << 13;
    /* A subnormal is m * 2^-24: put m behind the leading 1 of 2^-14, and subtract that 1 again. */
    union f32_bits small = { .bits = magnitude + (113u << 23) };
    small.value -= 0x1p-14f;
    uint32_t normal = magnitude + (112u << 23);
    uint32_t endless = magnitude + (224u << 23);
    uint32_t bits = dtype_choose(magnitude < (1u << 23), small.bits, normal);
    bits = dtype_choose(magnitude < (31u << 23), bits, endless);
    union f32_bits out = { .bits = bits | (half & 0x8000u) << 16 };
    return out.value;
}

static inline uint16_t dtype_f16_from_f32(float value)
{
    union f32_bits in = { .value = value };
    uint32_t magnitude = in.bits & 0x7fffffffu;
    /* Below 2^-14 the steps are as wide as those of an F32 just above 0.5: adding 0.5 rounds to them. */
    union f32_bits small = { .bits = magnitude };
    small.value += 0.5f;
    small.bits -= 126u << 23;
    /* Add just under half a step, or half a step where the last kept bit is odd; a carry moves into the exponent. */
    uint32_t normal = (magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
    uint32_t nan = 0x7e00u | (magnitude >> 13 & 0x3ffu);
    uint32_t bits = dtype_choose(magnitude < (113u << 23), small.bits, normal);
    bits = dtype_choose(magnitude < (143u << 23), bits, 0x7c00u);
    bits = dtype_choose(magnitude <= (255u << 23), bits, nan);
    return (uint16_t)(bits | (in.bits >> 16 & 0x8000u));
}

static inline float dtype_f32_from_bf16(uint16_t half)
{
    union f32_bits out = { .bits = (uint32_t)half << 16 };
    return out.value;
}

static inline uint16_t dtype_bf16_from_f32(float value)
{
    union f32_bits in = { .value = value };
    uint32_t rounded = (in.bits + 0x7fffu + (in.bits >> 16 & 1u)) >> 16;
    uint32_t nan = in.bits >> 16 | 0x40u;
    return (uint16_t)((in.bits & 0x7fffffffu) <= (255u << 23) ? rounded : nan);
}

#endif
