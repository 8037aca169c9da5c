/*
 * host_ends.h: the lower and the higher of two floats, as IEEE 754-2019's minimum and maximum say it: what is not a number stays
 * so, and -0 lies below +0. So neither the order of the operands nor an algorithm's can change the result.
 *
 * `a < b ? a : b` is one instruction, which gives b where the two are equal or one is NaN. Taken both ways round it gives the same
 * bits twice, but for the two zeros, of which OR makes -0 and AND +0, and for NaN, which is in one of the two: OR
 * keeps it. (AND does not: there the comparison puts it back.)
 *
 * gcc 12 makes something three times as long of several such steps in a row; so where there is SSE2 they are spelled out, for whole
 * vectors: of 32 bytes where the processor has AVX, which makes up for the instructions that these rules cost (in cache 0.7 to 1.25
 * times as long as plain `a < b ? a : b`; with 16 bytes 1.3 to 1.9). A fold combines the block with 1 or 3 inputs, and gives how many
 * of the elements it has done.
 */
#ifndef DEVICES_HOST_ENDS_H
#define DEVICES_HOST_ENDS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#define LEAST(a, b) ((a) < (b) ? (a) : (b))
#define MOST(a, b) ((a) > (b) ? (a) : (b))

#define DEFINE_ENDS(number, unsigned_of) \
    union number##_bits { \
        number value; \
        unsigned_of bits; \
    }; \
    static inline number lower_##number(number a, number b) \
    { \
        union number##_bits x = { .value = LEAST(a, b) }, y = { .value = LEAST(b, a) }; \
        x.bits |= y.bits; \
        return x.value; \
    } \
    static inline number higher_##number(number a, number b) \
    { \
        union number##_bits x = { .value = MOST(a, b) }, y = { .value = MOST(b, a) }; \
        x.bits = (x.bits & y.bits) | (a != a || b != b ? ~(unsigned_of)0 : 0); \
        return x.value; \
    }
DEFINE_ENDS(float, uint32_t)
DEFINE_ENDS(double, uint64_t)

#ifdef __SSE2__
#define DEFINE_FOLD(name, end, number, vector, with, kind, target) \
    target static inline int64_t name(number *block, const number *const next[3], int inputs, int64_t count) \
    { \
        const int64_t lanes = sizeof(vector) / sizeof(number), whole = count / lanes * lanes; \
        for (int64_t i = 0; i < whole; i += lanes) { \
            vector x = end(with##_loadu_##kind(block + i), with##_loadu_##kind(next[0] + i)); \
            if (inputs == 3) { \
                x = end(x, with##_loadu_##kind(next[1] + i)); \
                x = end(x, with##_loadu_##kind(next[2] + i)); \
            } \
            with##_storeu_##kind(block + i, x); \
        } \
        return whole; \
    }

/* `with` is what the names of the vector's instructions begin with. */
#define DEFINE_ENDS_OF(vector, number, with, kind, unordered, target) \
    target static inline vector lower_##vector(vector a, vector b) \
    { \
        return with##_or_##kind(with##_min_##kind(a, b), with##_min_##kind(b, a)); \
    } \
    target static inline vector higher_##vector(vector a, vector b) \
    { \
        return with##_or_##kind(with##_and_##kind(with##_max_##kind(a, b), with##_max_##kind(b, a)), \
                                unordered); \
    } \
    DEFINE_FOLD(fold_lower_##vector, lower_##vector, number, vector, with, kind, target) \
    DEFINE_FOLD(fold_higher_##vector, higher_##vector, number, vector, with, kind, target)

#define AVX __attribute__((target("avx")))
DEFINE_ENDS_OF(__m128, float, _mm, ps, _mm_cmpunord_ps(a, b), )
DEFINE_ENDS_OF(__m128d, double, _mm, pd, _mm_cmpunord_pd(a, b), )
DEFINE_ENDS_OF(__m256, float, _mm256, ps, _mm256_cmp_ps(a, b, _CMP_UNORD_Q), AVX)
DEFINE_ENDS_OF(__m256d, double, _mm256, pd, _mm256_cmp_pd(a, b, _CMP_UNORD_Q), AVX)

#define FOLD_BY(narrow, wide, block, next, inputs, count, lower) \
    (__builtin_cpu_supports("avx") \
         ? (lower ? fold_lower_##wide : fold_higher_##wide)(block, next, inputs, count) \
         : (lower ? fold_lower_##narrow : fold_higher_##narrow)(block, next, inputs, count))
#define fold_float(...) FOLD_BY(__m128, __m256, __VA_ARGS__)
#define fold_double(...) FOLD_BY(__m128d, __m256d, __VA_ARGS__)
#else
#define fold_float FOLD_NONE
#define fold_double FOLD_NONE
#endif

/* For types whose loops compilers do well. */
#define FOLD_NONE(block, next, inputs, count, lower) 0
#define fold_int32_t FOLD_NONE
#define lower_int32_t LEAST
#define higher_int32_t MOST
#define fold_int64_t FOLD_NONE
#define lower_int64_t LEAST
#define higher_int64_t MOST
#define fold_uint8_t FOLD_NONE
#define lower_uint8_t LEAST
#define higher_uint8_t MOST

#endif
