/*
 * test_reduce_odd.c: what is not a number, the two zeros, and averages whose sums need more room than their type has: does every
 * way of doing a reduction give what dist.h promises? A rank's NaN must not be lost, wherever it stands in whatever order.
 */
#define _GNU_SOURCE
#include "conform_exam.h"
#include "devices/host.h"
#include "dist.h"
#include "hurry.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

TestSuite(reduce_odd, .timeout = 120);

/* ---- host_reduce itself ------------------------------------------------------------------------ */

enum { MOST = 9, COUNT = 77 };

/* Element i of one input is odd; of which, is turned with i. All others are ordinary. */
static void reduce_with(enum dist_type type, enum dist_op op, int inputs, int64_t count, double odd,
                        double rest, double *out)
{
    static double arrays[MOST][COUNT], result[COUNT];
    const void *in[MOST];
    for (int k = 0; k < inputs; k++) {
        in[k] = arrays[k];
        for (int64_t i = 0; i < count; i++)
            dtype_store(type, arrays[k], i, i % inputs == k ? odd : rest);
    }
    host_reduce(result, in, inputs, count, type, op);
    dtype_load_many(type, result, count, out);
}

static void expect_all(enum dist_type type, enum dist_op op, double odd, double rest, double wanted)
{
    double out[COUNT];
    for (int inputs = 1; inputs <= MOST; inputs++)
        for (int64_t count = 1; count <= COUNT; count += count < 12 ? 1 : 13) {
            reduce_with(type, op, inputs, count, odd, rest, out);
            for (int64_t i = 0; i < count; i++) {
                double should = inputs == 1 ? odd : wanted;
                bool right =
                    isnan(should) ? isnan(out[i]) : out[i] == should && signbit(out[i]) == signbit(should);
                cr_assert(right, "%s of %s, %d inputs, element %d of %d: %g and %g give %g, not %g",
                          ref_op_name(op), ref_type_name(type), inputs, (int)i, (int)count, odd, rest, out[i],
                          should);
            }
        }
}

static const enum dist_type floats[] = { DIST_F32, DIST_F64, DIST_F16, DIST_BF16 };

Test(reduce_odd, what_is_not_a_number_stays_so)
{
    static const enum dist_op all[] = { DIST_SUM, DIST_AVG, DIST_PRODUCT, DIST_MIN, DIST_MAX };
    static const double rests[] = { 1, -2, INFINITY, -INFINITY, 0, NAN };
    for (int type = 0; type < 4; type++)
        for (int op = 0; op < 5; op++)
            for (int rest = 0; rest < 6; rest++)
                expect_all(floats[type], all[op], NAN, rests[rest], NAN);
}

Test(reduce_odd, minus_zero_lies_below_zero)
{
    for (int type = 0; type < 4; type++) {
        expect_all(floats[type], DIST_MIN, -0.0, 0.0, -0.0);
        expect_all(floats[type], DIST_MAX, 0.0, -0.0, 0.0);
        expect_all(floats[type], DIST_MIN, 0.0, 3, 0.0);
        expect_all(floats[type], DIST_MAX, -0.0, -3, -0.0);
    }
}

/* ---- every way there is -------------------------------------------------------------------------- */

/* Of which every member brings one odd element, at its rank; and all bring a number that fits, though the sum does not. */
static const int64_t counts[] = { 1, 3, 10, 300, 20000 };

static bool is_nan_at(const tensor *t, int64_t i)
{
    return isnan(tensor_item(t, i));
}

static void check_ends(struct exam *exam, enum dist_type type, int64_t count, int rank, int size)
{
    for (int op = DIST_MIN; op <= DIST_MAX; op++) {
        tensor *t = tensor_full(type, op == DIST_MIN ? 0.0 : -0.0, count);
        tensor *root = tensor_full(type, 1, count);
        for (int64_t i = 0; i < count && i < 200; i++) {
            if (i % (2 * size) == rank)
                tensor_set(t, i, NAN);
            if (i % (2 * size) == size + rank)
                tensor_set(t, i, op == DIST_MIN ? -0.0 : 0.0);
            if (i % size == rank)
                tensor_set(root, i, NAN);
        }
        dist_all_reduce(t, .op = (enum dist_op)op);
        dist_reduce(root, size - 1, .op = (enum dist_op)op);
        for (int64_t i = 0; i < count && i < 200; i++) {
            bool nan = i % (2 * size) < size;
            exam_check(exam,
                       nan ? is_nan_at(t, i)
                           : tensor_item(t, i) == 0 && (signbit(tensor_item(t, i)) != 0) == (op == DIST_MIN),
                       "all_reduce %s of %s, element %d of %d is %g", ref_op_name((enum dist_op)op),
                       ref_type_name(type), (int)i, (int)count, tensor_item(t, i));
            exam_check(exam, rank < size - 1 || is_nan_at(root, i),
                       "reduce %s of %s has lost the NaN in element %d of %d", ref_op_name((enum dist_op)op),
                       ref_type_name(type), (int)i, (int)count);
        }
        tensor_free(t);
        tensor_free(root);
    }
}

static void check_average(struct exam *exam, enum dist_type type, int64_t count, double value)
{
    tensor *t = tensor_full(type, value, count);
    dist_all_reduce(t, .op = DIST_AVG);
    exam_check(exam, tensor_item(t, 0) == value && tensor_item(t, count - 1) == value,
               "the average of %s, each %g, %d elements, is %g", ref_type_name(type), value, (int)count,
               tensor_item(t, 0));
    tensor_free(t);
}

/* 60000 and 60000 are more than F16 can hold, until half of them are taken away. */
static void check_sum(struct exam *exam, int64_t count, int rank, int size)
{
    tensor *t = tensor_full(DIST_F16, rank < size / 2 ? 60000 : rank < size / 2 * 2 ? -60000 : 1, count);
    dist_all_reduce(t);
    exam_check(exam, tensor_item(t, count - 1) == size % 2, "a sum of F16, %d elements, is %g", (int)count,
               tensor_item(t, count - 1));
    tensor_free(t);
}

static void body(struct exam *exam, int rank, int size)
{
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        if (size > 8 && counts[c] > 300)
            continue;
        for (int type = 0; type < 4; type++)
            check_ends(exam, floats[type], counts[c], rank, size);
        check_average(exam, DIST_U8, counts[c], 200);
        check_average(exam, DIST_I32, counts[c], 2000000000);
        check_average(exam, DIST_I32, counts[c], -2000000000);
        check_average(exam, DIST_F16, counts[c], 60000);
        check_sum(exam, counts[c], rank, size);
    }
}

static void all_sizes(const char *name, const char *backend)
{
    static const int sizes[] = { 1, 2, 3, 4, 7, 18 };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (hurry() && sizes[i] != 3)
            continue;
        struct exam *exam = exam_new(name, sizes[i]);
        exam->backend = backend;
        cr_assert(exam_run(exam, body), "%s", exam_words(exam));
        exam_free(exam);
    }
}

Test(reduce_odd, in_shared_memory)
{
    all_sizes("shm", NULL);
}

Test(reduce_odd, by_every_algorithm)
{
    static const char *const names[] = { "gather", "tree", "ring", "halving", "messages" };
    for (int i = 0; i < 5; i++) {
        setenv("DIST_ALGORITHM", names[i], 1);
        all_sizes(names[i], NULL);
    }
}

Test(reduce_odd, on_simulated_gpus)
{
    setenv("DEVICE", "sim", 1);
    all_sizes("sim", NULL);
}

Test(reduce_odd, in_the_cuda_backend)
{
    setenv("DEVICE", "sim", 1);
    setenv("DIST_RANKS", "threads", 1);
    all_sizes("cuda", "cuda");
}
