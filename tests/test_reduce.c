/*
 * test_reduce.c: does host_reduce give, bit for bit, what one plain loop per element gives?
 */
#include "devices/host.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_INPUTS 9
#define MOST_COUNT 65537

static const char *const ops[] = { "SUM", "AVG", "PRODUCT", "MIN", "MAX" };

static uint64_t state;

static uint32_t draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static bool is_float(enum dist_type type)
{
    return type == DIST_F32 || type == DIST_F64 || type == DIST_F16 || type == DIST_BF16;
}

/* Floats from -2 to 2, integers from the whole range of their type. */
static void fill_randomly(enum dist_type type, void *array, int64_t count)
{
    if (is_float(type))
        for (int64_t i = 0; i < count; i++)
            dtype_store(type, array, i, draw() / 0x1p29 - 2);
    else
        for (size_t i = 0; i < (size_t)count * dtype_size(type); i++)
            ((uint8_t *)array)[i] = (uint8_t)(draw() >> 8);
}

/* One element, one input after the other. `number` is the type that the contract says is calculated in. */
#define COMBINE(number, load) \
    do { \
        number all = load(0); \
        for (int k = 1; k < inputs; k++) { \
            number one = load(k); \
            if (op == DIST_SUM || op == DIST_AVG) \
                all += one; \
            else if (op == DIST_PRODUCT) \
                all *= one; \
            else if (op == DIST_MIN ? !(all < one) : !(all > one)) \
                all = one; \
        } \
        if (op == DIST_AVG) \
            all /= (number)inputs; \
        result = (double)all; \
    } while (0)
#define LOAD_FLOAT(k) (float)dtype_load(type, in[k], i)
#define LOAD_DOUBLE(k) dtype_load(type, in[k], i)

static double combine_floats(const void *const *in, int inputs, int64_t i, enum dist_type type,
                             enum dist_op op)
{
    double result;
    if (type == DIST_F64)
        COMBINE(double, LOAD_DOUBLE);
    else
        COMBINE(float, LOAD_FLOAT);
    return result;
}

static int64_t integer_at(enum dist_type type, const void *array, int64_t i)
{
    if (type == DIST_I32)
        return ((const int32_t *)array)[i];
    return type == DIST_I64 ? ((const int64_t *)array)[i] : ((const uint8_t *)array)[i];
}

static int64_t cut(enum dist_type type, uint64_t value)
{
    return type == DIST_I32 ? (int32_t)value : type == DIST_I64 ? (int64_t)value : (uint8_t)value;
}

static int64_t combine_integers(const void *const *in, int inputs, int64_t i, enum dist_type type,
                                enum dist_op op)
{
    int64_t all = integer_at(type, in[0], i);
    for (int k = 1; k < inputs; k++) {
        int64_t one = integer_at(type, in[k], i);
        if (op == DIST_AVG)
            all = (int64_t)((uint64_t)all + (uint64_t)one);
        else if (op == DIST_SUM)
            all = cut(type, (uint64_t)all + (uint64_t)one);
        else if (op == DIST_PRODUCT)
            all = cut(type, (uint64_t)all * (uint64_t)one);
        else if (op == DIST_MIN ? one < all : one > all)
            all = one;
    }
    return op == DIST_AVG ? all / inputs : all;
}

static void check_element(const void *out, const void *const *in, int inputs, int64_t i, enum dist_type type,
                          enum dist_op op)
{
    size_t size = dtype_size(type);
    uint64_t wanted = 0, got = 0;
    int64_t whole = 0;
    if (is_float(type))
        dtype_store(type, &wanted, 0, combine_floats(in, inputs, i, type, op));
    else
        memcpy(&wanted, (whole = combine_integers(in, inputs, i, type, op), &whole), size);
    memcpy(&got, (const char *)out + (size_t)i * size, size);
    cr_assert_eq(got, wanted, "%s of %d inputs of %s: element %lld is %g, should be %g", ops[op], inputs,
                 dtype_name(type), (long long)i, dtype_load(type, &got, 0), dtype_load(type, &wanted, 0));
}

/* `place` says where the result goes: to input number `place`, or apart from all if there is none. */
static void check_case(enum dist_type type, enum dist_op op, int inputs, int64_t count, int place)
{
    size_t bytes = (size_t)count * dtype_size(type);
    void *in[MOST_INPUTS], *kept[MOST_INPUTS];
    for (int k = 0; k < inputs; k++) {
        in[k] = malloc(bytes + 1);
        kept[k] = malloc(bytes + 1);
        fill_randomly(type, in[k], count);
        memcpy(kept[k], in[k], bytes);
    }
    void *apart = malloc(bytes + 1), *out = place < inputs ? in[place] : apart;
    host_reduce(out, (const void *const *)in, inputs, count, type, op);
    for (int64_t i = 0; i < count; i++)
        check_element(out, (const void *const *)kept, inputs, i, type, op);
    for (int k = 0; k < inputs; k++) {
        cr_assert(in[k] == out || memcmp(in[k], kept[k], bytes) == 0, "input %d was changed", k);
        free(in[k]);
        free(kept[k]);
    }
    free(apart);
}

static void check_type(enum dist_type type)
{
    static const int64_t counts[] = { 0, 1, 3, 1000, MOST_COUNT };
    const char *seed = getenv("DIST_TEST_SEED");
    state = seed ? strtoull(seed, NULL, 10) : 20261121;
    printf("%s: DIST_TEST_SEED=%llu\n", dtype_name(type), (unsigned long long)state);
    for (int op = 0; op < OP_COUNT; op++)
        for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
            int most = counts[c] < MOST_COUNT ? MOST_INPUTS : 3;
            for (int inputs = 1; inputs <= most; inputs++)
                check_case(type, (enum dist_op)op, inputs, counts[c], (int)(draw() % MOST_INPUTS));
        }
}

Test(reduce, f32)
{
    check_type(DIST_F32);
}

Test(reduce, f64)
{
    check_type(DIST_F64);
}

Test(reduce, f16)
{
    check_type(DIST_F16);
}

Test(reduce, bf16)
{
    check_type(DIST_BF16);
}

Test(reduce, i32)
{
    check_type(DIST_I32);
}

Test(reduce, i64)
{
    check_type(DIST_I64);
}

Test(reduce, u8)
{
    check_type(DIST_U8);
}

Test(reduce, a_thousand_inputs)
{
    static float ones[1024][3];
    const void *in[1024];
    uint8_t bytes[3] = { 1, 2, 3 };
    const void *same[1024];
    for (int k = 0; k < 1024; k++) {
        for (int i = 0; i < 3; i++)
            ones[k][i] = (float)(i + 1);
        in[k] = ones[k];
        same[k] = bytes;
    }
    float out[3];
    host_reduce(out, in, 1024, 3, DIST_F32, DIST_SUM);
    cr_expect(out[0] == 1024 && out[1] == 2048 && out[2] == 3072);
    host_reduce(out, in, 1024, 3, DIST_F32, DIST_AVG);
    cr_expect(out[0] == 1 && out[1] == 2 && out[2] == 3);
    host_reduce(bytes, same, 1024, 3, DIST_U8, DIST_AVG); /* the sum does not wrap */
    cr_expect(bytes[0] == 1 && bytes[2] == 3);
}

Test(reduce, averages_of_integers_go_toward_zero)
{
    int32_t a[] = { 7, -7, 1 }, b[] = { 0, 0, -2 }, out[3];
    host_reduce(out, (const void *[]){ a, b }, 2, 3, DIST_I32, DIST_AVG);
    cr_expect(out[0] == 3 && out[1] == -3 && out[2] == 0);
}

Test(reduce, sixteen_bit_sums_are_rounded_once)
{
    /* 2048 + 1 + 1: in F16 each 1 alone would be lost, together they are one step. */
    uint16_t big, one, out;
    dtype_store(DIST_F16, &big, 0, 2048);
    dtype_store(DIST_F16, &one, 0, 1);
    host_reduce(&out, (const void *[]){ &big, &one, &one }, 3, 1, DIST_F16, DIST_SUM);
    cr_expect_eq(dtype_load(DIST_F16, &out, 0), 2050);
}

Test(reduce, arrays_may_start_at_any_element)
{
    static float a[5000], b[5000], out[5000];
    for (int i = 0; i < 5000; i++) {
        a[i] = (float)i;
        b[i] = (float)(3 * i);
    }
    host_reduce(out + 3, (const void *[]){ a + 1, b + 2 }, 2, 4990, DIST_F32, DIST_SUM);
    for (int i = 0; i < 4990; i++)
        cr_assert_eq(out[3 + i], (float)(i + 1 + 3 * (i + 2)), "element %d", i);
}
