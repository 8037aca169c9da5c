/*
 * test_dtype.c: is a number still the same number after it went through an element type?
 */
#include "dtype.h"

#include <criterion/criterion.h>
#include <math.h>

/* What the bits of a half mean, straight from the definition. */
static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31)
        return mantissa ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24));
}

static uint16_t stored(enum dist_type type, double value)
{
    uint16_t bits;
    dtype_store(type, &bits, 0, value);
    return bits;
}

Test(dtype, all_halves_mean_what_ieee_says)
{
    for (int i = 0; i < 65536; i++) {
        uint16_t bits = (uint16_t)i;
        double value = dtype_load(DIST_F16, &bits, 0), wanted = half_value(bits);
        cr_assert(isnan(wanted) ? isnan(value) : value == wanted, "half %04x is %g, should be %g", i, value,
                  wanted);
        cr_assert_eq(!signbit(value), !(bits & 0x8000), "half %04x has the wrong sign", i);
    }
}

Test(dtype, all_16_bit_patterns_come_back)
{
    for (int i = 0; i < 65536; i++) {
        uint16_t bits = (uint16_t)i;
        uint16_t quiet16 = (bits & 0x7fff) > 0x7c00 ? bits | 0x200 : bits;
        uint16_t quietb16 = (bits & 0x7fff) > 0x7f80 ? bits | 0x40 : bits;
        cr_assert_eq(dtype_f16_from_f32(dtype_f32_from_f16(bits)), quiet16, "F16 %04x", i);
        cr_assert_eq(dtype_bf16_from_f32(dtype_f32_from_bf16(bits)), quietb16, "BF16 %04x", i);
        if (quiet16 == bits)
            cr_assert_eq(stored(DIST_F16, dtype_load(DIST_F16, &bits, 0)), bits, "F16 %04x", i);
        if (quietb16 == bits)
            cr_assert_eq(stored(DIST_BF16, dtype_load(DIST_BF16, &bits, 0)), bits, "BF16 %04x", i);
    }
}

/* Between every two neighbours: the middle goes to the even one, and the smallest step off it to the nearer one. */
static void check_ties(enum dist_type type, uint16_t endless)
{
    for (uint16_t low = 0; low < endless - 1; low++) {
        uint16_t high = low + 1;
        double middle = (dtype_load(type, &low, 0) + dtype_load(type, &high, 0)) / 2;
        uint16_t even = low & 1 ? high : low;
        cr_assert_eq(stored(type, middle), even, "%s: middle above %04x", dtype_name(type), low);
        cr_assert_eq(stored(type, nextafter(middle, 0)), low, "%s: below the middle, %04x", dtype_name(type),
                     low);
        cr_assert_eq(stored(type, nextafter(middle, 1e300)), high, "%s: above it, %04x", dtype_name(type),
                     low);
        cr_assert_eq(stored(type, -middle), even | 0x8000, "%s: minus the middle, %04x", dtype_name(type),
                     low);
    }
}

Test(dtype, rounding_is_to_nearest_and_only_once)
{
    check_ties(DIST_F16, 0x7c00);
    check_ties(DIST_BF16, 0x7f80);
    cr_assert_eq(stored(DIST_F16, 65519.999), 0x7bff);
    cr_assert_eq(stored(DIST_F16, 65520), 0x7c00);
    cr_assert_eq(stored(DIST_F16, 1e300), 0x7c00);
    cr_assert_eq(stored(DIST_BF16, -1e300), 0xff80);
    cr_assert_eq(stored(DIST_F16, 1e-300), 0);
}

/* F32 to F16 in one step, over random bit patterns, against the way through double. */
Test(dtype, floats_round_to_16_bits_like_doubles)
{
    uint32_t state = 12345;
    for (int i = 0; i < 2000000; i++) {
        state = state * 1664525u + 1013904223u;
        union f32_bits in = { .bits = state };
        if (isnan(in.value)) {
            cr_assert((dtype_f16_from_f32(in.value) & 0x7fff) > 0x7c00 &&
                      (dtype_bf16_from_f32(in.value) & 0x7fff) > 0x7f80);
            continue;
        }
        uint16_t f16 = dtype_f16_from_f32(in.value), bf16 = dtype_bf16_from_f32(in.value);
        cr_assert_eq(f16, stored(DIST_F16, (double)in.value), "F16 of %08x", in.bits);
        cr_assert_eq(bf16, stored(DIST_BF16, (double)in.value), "BF16 of %08x", in.bits);
    }
}

Test(dtype, integers_round_and_stop_at_their_ends)
{
    int32_t i32;
    int64_t i64;
    uint8_t u8;
    const struct {
        double value;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
    } cases[] = {
        { 0.5, 0, 0, 0 },
        { 1.5, 2, 2, 2 },
        { -2.6, -3, -3, 0 },
        { 255.4, 255, 255, 255 },
        { 255.6, 256, 256, 255 },
        { 3e9, INT32_MAX, 3000000000, 255 },
        { -3e9, INT32_MIN, -3000000000, 0 },
        { 1e30, INT32_MAX, INT64_MAX, 255 },
        { -INFINITY, INT32_MIN, INT64_MIN, 0 },
        { NAN, 0, 0, 0 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        dtype_store(DIST_I32, &i32, 0, cases[i].value);
        dtype_store(DIST_I64, &i64, 0, cases[i].value);
        dtype_store(DIST_U8, &u8, 0, cases[i].value);
        cr_expect(i32 == cases[i].i32 && i64 == cases[i].i64 && u8 == cases[i].u8, "%g became %d, %lld, %d",
                  cases[i].value, i32, (long long)i64, u8);
    }
}

Test(dtype, every_type_and_reduction_has_a_name)
{
    cr_expect_str_eq(dtype_name(DIST_BF16), "BF16");
    cr_expect_str_eq(op_name(DIST_PRODUCT), "PRODUCT");
    cr_expect_eq(dtype_size(DIST_I64), 8);
    cr_expect_eq(dtype_size((enum dist_type)77), 0);
    cr_expect_str_eq(dtype_name((enum dist_type) - 1), "no type");
}
