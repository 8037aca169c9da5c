/*
 * test_ends.c: do MIN and MAX of floats come to the same bits by vectors of 16 and of 32 bytes as one by one (host_ends.h)? For every
 * pair of values that are told apart: what is not a number, zeros, infinities; and for three inputs at once.
 */
#include "devices/host_ends.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define VALUES 11

#ifdef __SSE2__
#define DEFINE_TRY(number, format) \
    typedef int64_t fold_of_##number(number *, const number *const *, int, int64_t); \
    static const number values_##number[VALUES] = { NAN, -NAN,     0,         -(number)0.0,  1, \
                                                    -1,  INFINITY, -INFINITY, (number)1e-30, 3, \
                                                    -3 }; \
    static number one_by_one_##number(bool lower, number a, number b) \
    { \
        return lower ? lower_##number(a, b) : higher_##number(a, b); \
    } \
    static void try_##number(const char *name, fold_of_##number *fold, bool lower, int inputs) \
    { \
        enum { COUNT = VALUES * VALUES }; \
        number block[COUNT], in[3][COUNT], right[COUNT]; \
        const number *const next[3] = { in[0], in[1], in[2] }; \
        for (int i = 0; i < COUNT; i++) { \
            right[i] = block[i] = values_##number[i % VALUES]; \
            for (int k = 0; k < 3; k++) \
                in[k][i] = values_##number[(i / VALUES + k * i) % VALUES]; \
            for (int k = 0; k < inputs; k++) \
                right[i] = one_by_one_##number(lower, right[i], in[k][i]); \
        } \
        int64_t done = fold(block, next, inputs, COUNT); \
        cr_assert(done > COUNT - 8 && done <= COUNT, "%s has done %d", name, (int)done); \
        for (int64_t i = 0; i < done; i++) \
            cr_assert_eq(memcmp(&block[i], &right[i], sizeof right[i]), 0, \
                         "%s of %d: element %d is " format " and not " format, name, inputs, (int)i, \
                         (double)block[i], (double)right[i]); \
    }
DEFINE_TRY(float, "%g")
DEFINE_TRY(double, "%g")

Test(ends, vectors_of_16_bytes)
{
    for (int inputs = 1; inputs <= 3; inputs += 2) {
        try_float("lower", fold_lower___m128, true, inputs);
        try_float("higher", fold_higher___m128, false, inputs);
        try_double("lower", fold_lower___m128d, true, inputs);
        try_double("higher", fold_higher___m128d, false, inputs);
    }
}

Test(ends, vectors_of_32_bytes)
{
    if (!__builtin_cpu_supports("avx"))
        cr_skip_test("this processor has no AVX");
    for (int inputs = 1; inputs <= 3; inputs += 2) {
        try_float("lower", fold_lower___m256, true, inputs);
        try_float("higher", fold_higher___m256, false, inputs);
        try_double("lower", fold_lower___m256d, true, inputs);
        try_double("higher", fold_higher___m256d, false, inputs);
    }
}
#endif

Test(ends, neither_order_nor_zeros_matter)
{
    cr_assert(isnan(lower_float(NAN, 1)) && isnan(lower_float(1, NAN)) && isnan(higher_double(NAN, 1)) &&
              isnan(higher_double(1, NAN)));
    cr_assert(signbit(lower_float(0, -0.0F)) && signbit(lower_float(-0.0F, 0)));
    cr_assert(!signbit(higher_double(0, -0.0)) && !signbit(higher_double(-0.0, 0)));
}
