/*
 * test_reduce_few.c: a handful of elements is reduced in another way than many (lib/devices/host_reduce.inc.h). Do both give
 * the same, whatever the elements are, and wherever the result goes?
 */
#include "devices/host.h"
#include "reference.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define INPUTS 17
#define MANY 64
#define WIDEST 8 /* bytes */

static uint64_t state = 1;

/* What is special among floats, and all bits among integers. */
static void fill(enum dist_type type, unsigned char *array)
{
    static const double odd[] = { NAN, 0, -0.0, 1, INFINITY, -INFINITY, 3e-5, -1e4, 1.7 };
    bool whole = type == DIST_I32 || type == DIST_I64 || type == DIST_U8;
    for (size_t i = 0; i < MANY * WIDEST; i++)
        array[i] = (unsigned char)ref_below(&state, 256);
    for (int64_t i = 0; i < MANY && !whole; i++)
        dtype_store(type, array, i, odd[ref_below(&state, sizeof odd / sizeof odd[0])]);
}

/* The same bits, or no numbers: which of two NaNs comes out is left to the processor. */
static bool same(enum dist_type type, const void *a, const void *b)
{
    bool nan = isnan(dtype_load(type, a, 0)) && isnan(dtype_load(type, b, 0));
    return nan || memcmp(a, b, dtype_size(type)) == 0;
}

/* All of it at once, and so many elements at a time, into input number `place`. */
static void check(enum dist_type type, enum dist_op op, int inputs, int ways, int64_t count, int place)
{
    static unsigned char in[INPUTS][MANY * WIDEST], all[MANY * WIDEST];
    const void *from[INPUTS];
    size_t size = dtype_size(type);
    for (int k = 0; k < inputs; k++) {
        fill(type, in[k]);
        from[k] = in[k];
    }
    host_reduce_part(all, from, inputs, ways, MANY, type, op);
    for (int64_t i = 0; i < MANY; i += count) {
        for (int k = 0; k < inputs; k++)
            from[k] = in[k] + (size_t)i * size;
        int64_t here = MANY - i < count ? MANY - i : count;
        host_reduce_part(in[place] + (size_t)i * size, from, inputs, ways, here, type, op);
    }
    for (size_t i = 0; i < MANY; i++)
        cr_assert(same(type, in[place] + i * size, all + i * size),
                  "op %d of %d inputs of %s, %lld at a time: element %zu is %g, and %g among many", op,
                  inputs, dtype_name(type), (long long)count, i, dtype_load(type, in[place], (int64_t)i),
                  dtype_load(type, all, (int64_t)i));
}

Test(reduce_few, as_among_many)
{
    static const enum dist_op ops[] = { DIST_SUM, DIST_AVG, DIST_PRODUCT, DIST_MIN, DIST_MAX };
    for (enum dist_type type = 0; type < DTYPE_COUNT; type++)
        for (int o = 0; o < 5; o++)
            for (int inputs = 1; inputs <= INPUTS; inputs++)
                for (int64_t count = 1; count <= 20; count++)
                    check(type, ops[o], inputs, inputs + (int)ref_below(&state, 3), count,
                          (int)ref_below(&state, inputs));
}
