/*
 * test_tensor_rows.c: other shapes of the same elements, and what is calculated row by row.
 */
#include "dist.h"

#include <criterion/criterion.h>
#include <math.h>

static void expect_items(const tensor *t, int count, const double *wanted)
{
    cr_assert_eq(tensor_numel(t), count);
    for (int i = 0; i < count; i++)
        cr_expect_eq(tensor_item(t, i), wanted[i], "element %d is %g, should be %g", i, tensor_item(t, i),
                     wanted[i]);
}
#define EXPECT_ITEMS(t, ...) \
    expect_items(t, (int)(sizeof((double[]){ __VA_ARGS__ }) / sizeof(double)), (double[]){ __VA_ARGS__ })

static const enum dist_type all_types[] = { DIST_F32, DIST_F64, DIST_F16, DIST_BF16 };

Test(tensor_rows, softmax_makes_shares_of_every_row)
{
    for (int k = 0; k < 4; k++) {
        tensor *t = tensor_zeros(all_types[k], 2, 2, 4);
        for (int i = 0; i < 4; i++) {
            tensor_set(t, 4 + i, 1000);          /* too large for e^x */
            tensor_set(t, 8 + i, i ? -2000 : 0); /* too small */
            tensor_set(t, 12 + i, i < 2 ? 0 : -INFINITY);
        }
        tensor_softmax(t);
        EXPECT_ITEMS(t, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 1, 0, 0, 0, 0.5, 0.5, 0, 0);
        tensor_free(t);
    }
    tensor *t = tensor_arange(DIST_F64, 0, 3), *none = tensor_zeros(DIST_F32, 3, 0);
    tensor_softmax(t);
    double total = 1 + exp(1) + exp(2);
    for (int i = 0; i < 3; i++)
        cr_expect_float_eq(tensor_item(t, i), exp(i) / total, 1e-15);
    tensor_set(t, 1, NAN);
    tensor_softmax(t);
    cr_expect(isnan(tensor_item(t, 0)) && isnan(tensor_item(t, 2)));
    tensor_softmax(none);
    tensor_free(none);
    tensor_free(t);
}

Test(tensor_rows, a_view_shows_the_same_elements_in_another_shape)
{
    tensor *flat = tensor_arange(DIST_F32, 0, 14), *part = tensor_slice(flat, 2, 14);
    tensor *matrix = tensor_view(part, 3, 4), *row = tensor_slice(matrix, 1, 2),
           *none = tensor_slice(flat, 3, 3);
    cr_expect(tensor_size(matrix, 0) == 3 && tensor_size(matrix, 1) == 4 && tensor_numel(matrix) == 12);
    EXPECT_ITEMS(row, 6, 7, 8, 9);
    tensor_set(matrix, 11, -1);
    cr_expect_eq(tensor_item(flat, 13), -1);
    tensor *empty = tensor_view(none, 0, 7);
    cr_expect(tensor_numel(empty) == 0 && tensor_size(empty, 1) == 7);
    tensor_free(flat);
    tensor_free(part);
    EXPECT_ITEMS(row, 6, 7, 8, 9);
    tensor *made[] = { matrix, row, none, empty };
    for (int i = 0; i < 4; i++)
        tensor_free(made[i]);
}

Test(tensor_rows, a_product_has_the_sign_of_its_zero)
{
    for (int k = 0; k < 4; k++) {
        tensor *t = tensor_full(all_types[k], -0.0, 1);
        tensor_mul_scalar(t, 2);
        cr_expect(signbit(tensor_item(t, 0)));
        tensor_mul_scalar(t, -1);
        cr_expect(!signbit(tensor_item(t, 0)));
        tensor_fill(t, -3);
        tensor_mul_scalar(t, 0);
        cr_expect(tensor_item(t, 0) == 0 && signbit(tensor_item(t, 0)));
        tensor_free(t);
    }
}
