/*
 * test_tensor_errors.c: is every wrong use of a tensor told, once, with what to do, and without harm after?
 */
#include "dist.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The last report, and how many there were. */
static struct {
    int count;
    enum dist_error error;
    char call[64];
    char sentence[512];
    int line;
} seen;

static void remember(const struct dist_report *report, void *context)
{
    (void)context;
    seen.count++;
    seen.error = report->error;
    seen.line = report->at.line;
    snprintf(seen.call, sizeof(seen.call), "%s", report->call);
    snprintf(seen.sentence, sizeof(seen.sentence), "%s", report->sentence);
}

static void install(void)
{
    dist_set_error_handler(remember, NULL);
}

TestSuite(tensor_errors, .init = install);

/* One report since the last look, of this call and error, with these words; and no more. */
static void expect_report(const char *call, enum dist_error error, const char *words)
{
    cr_expect_eq(seen.count, 1, "%s: %d reports", call, seen.count);
    cr_expect_str_eq(seen.call, call);
    cr_expect_eq(seen.error, error, "%s: error %d", call, (int)seen.error);
    cr_expect(strstr(seen.sentence, words), "%s says: %s", call, seen.sentence);
    memset(&seen, 0, sizeof(seen));
}

Test(tensor_errors, a_freed_one_is_recognised)
{
    tensor *t = tensor_zeros(DIST_F32, 3);
    tensor_free(t);
    for (int i = 0; i < 200; i++)
        tensor_free(tensor_zeros(DIST_F32, 3));
    tensor_free(t);
    expect_report("tensor_free", DIST_ERR_ARGUMENT, "freed");
    cr_expect_eq(tensor_item(t, 0), 0);
    expect_report("tensor_item", DIST_ERR_ARGUMENT, "test_tensor_errors.c:");
    cr_expect_null(tensor_slice(t, 0, 1));
    expect_report("tensor_slice", DIST_ERR_ARGUMENT, "freed");
    tensor_add(NULL, t);
    expect_report("tensor_add", DIST_ERR_ARGUMENT, "NULL");
}

Test(tensor_errors, wrong_places_and_shapes_are_told)
{
    tensor *t = tensor_arange(DIST_F32, 0, 4), *empty = tensor_zeros(DIST_F32, 0);
    cr_expect_eq(tensor_item(t, 7), 0);
    expect_report("tensor_item", DIST_ERR_ARGUMENT, "index 7 is outside: the tensor has 4 elements (0 to 3)");
    tensor_set(t, -1, 5);
    expect_report("tensor_set", DIST_ERR_ARGUMENT, "index -1");
    cr_expect_eq(tensor_item(empty, 0), 0);
    expect_report("tensor_item", DIST_ERR_ARGUMENT, "no elements");
    cr_expect_eq(tensor_size(t, 1), 0);
    expect_report("tensor_size", DIST_ERR_ARGUMENT, "no dimension 1");
    cr_expect_null(tensor_slice(t, 2, 5));
    expect_report("tensor_slice", DIST_ERR_ARGUMENT, "2 to 5");
    cr_expect_null(tensor_zeros(DIST_F32, 3, -1));
    expect_report("tensor_zeros", DIST_ERR_ARGUMENT, "-1");
    cr_expect_null(tensor_zeros_with((struct tensor_zeros_args){ DIST_AT, DIST_F32, 1, 1, 1, 1, 1 }));
    expect_report("tensor_zeros", DIST_ERR_ARGUMENT, "too many dimensions; a tensor has 1 to 4");
    cr_expect_null(tensor_full(DIST_F32, 3));
    expect_report("tensor_full", DIST_ERR_ARGUMENT, "it has no shape");
    cr_expect_null(tensor_from(DIST_F32, (float[]){ 1, 2 }));
    expect_report("tensor_from", DIST_ERR_ARGUMENT, "it has no shape");
    cr_expect_null(tensor_zeros((enum dist_type)9, 1));
    expect_report("tensor_zeros", DIST_ERR_ARGUMENT, "no element type");
    cr_expect_null(tensor_from(DIST_F32, NULL, 3));
    expect_report("tensor_from", DIST_ERR_ARGUMENT, "NULL");
    cr_expect_null(tensor_arange(DIST_F32, 5, 1));
    expect_report("tensor_arange", DIST_ERR_ARGUMENT, "from 5 up to 1");
    tensor_free(t);
    tensor_free(empty);
}

Test(tensor_errors, tensors_that_do_not_fit_are_told)
{
    tensor *t = tensor_arange(DIST_F32, 0, 4), *ints = tensor_zeros(DIST_I32, 4),
           *five = tensor_zeros(DIST_F32, 5);
    tensor *matrix = tensor_zeros(DIST_F32, 2, 2), *head = tensor_slice(t, 0, 3),
           *tail = tensor_slice(t, 1, 4);
    tensor_add(t, ints);
    expect_report("tensor_add", DIST_ERR_ARGUMENT, "4 of I32");
    tensor_mul(t, five);
    expect_report("tensor_mul", DIST_ERR_ARGUMENT, "5 of F32");
    tensor_sub(head, tail);
    expect_report("tensor_sub", DIST_ERR_ARGUMENT, "overlap");
    tensor_copy(t, five);
    expect_report("tensor_copy", DIST_ERR_ARGUMENT, "5 elements do not fit into 4");
    tensor_matmul(matrix, matrix, t);
    expect_report("tensor_matmul", DIST_ERR_ARGUMENT, "no matrix");
    tensor_matmul(matrix, matrix, matrix);
    expect_report("tensor_matmul", DIST_ERR_ARGUMENT, "overlaps");
    tensor *none = tensor_slice(matrix, 1, 1); /* overlaps nothing */
    tensor_matmul(none, none, matrix);
    tensor_free(none);
    tensor_transpose(matrix, matrix);
    expect_report("tensor_transpose", DIST_ERR_ARGUMENT, "overlaps");
    cr_expect_null(tensor_view(t, 3, 2));
    expect_report("tensor_view", DIST_ERR_ARGUMENT, "that shape has 6 elements, the tensor 4");
    cr_expect_null(tensor_view(t, -2, -2));
    expect_report("tensor_view", DIST_ERR_ARGUMENT, "length -2");
    tensor_softmax(ints);
    expect_report("tensor_softmax", DIST_ERR_ARGUMENT, "I32 has no fractions");
    for (int i = 0; i < 4; i++)
        cr_expect_eq(tensor_item(t, i), i, "element %d was changed", i);
    tensor *made[] = { t, ints, five, matrix, head, tail };
    for (int i = 0; i < 6; i++)
        tensor_free(made[i]);
    cr_expect_eq(seen.count, 0);
}

/* What is written one after the other, or row by row, would be read again as it has become. */
Test(tensor_errors, learning_into_what_is_learned_from_is_told)
{
    tensor *all = tensor_full(DIST_F32, 1, 12), *dx = tensor_view(all, 3, 4), *row = tensor_slice(all, 8, 12);
    tensor *weight = tensor_full(DIST_F32, 1, 4), *bias = tensor_full(DIST_F32, 1, 4);
    tensor *dy = tensor_full(DIST_F32, 1, 3, 4), *x = tensor_full(DIST_F32, 1, 3, 4);
    tensor_layer_norm_backward(dx, row, bias, dy, x, weight);
    expect_report("tensor_layer_norm_backward", DIST_ERR_ARGUMENT, "overlaps");
    tensor_layer_norm_backward(dx, bias, bias, dy, x, weight);
    expect_report("tensor_layer_norm_backward", DIST_ERR_ARGUMENT, "overlaps");
    tensor_layer_norm_backward(dx, bias, weight, dy, x, weight);
    expect_report("tensor_layer_norm_backward", DIST_ERR_ARGUMENT, "overlaps");
    tensor *from = tensor_slice(all, 7, 11), *v = tensor_zeros(DIST_F32, 4);
    tensor_adamw(row, bias, v, from, 1, 0.1);
    expect_report("tensor_adamw", DIST_ERR_ARGUMENT, "overlaps");
    tensor_adamw(row, bias, v, weight, 1, 0.1, .beta2 = 1);
    expect_report("tensor_adamw", DIST_ERR_ARGUMENT, "a beta is not between 0 and 1");
    tensor_adamw(row, bias, v, weight, 1, 0.1, .beta1 = -0.5);
    expect_report("tensor_adamw", DIST_ERR_ARGUMENT, "a beta is not between 0 and 1");
    tensor_adamw(row, bias, v, weight, 1, 0.1, .epsilon = -1);
    expect_report("tensor_adamw", DIST_ERR_ARGUMENT, "epsilon not above 0");
    cr_expect_null(tensor_to(x, (enum dist_device)7));
    expect_report("tensor_to", DIST_ERR_ARGUMENT, "device is 7");
    cr_expect(tensor_sum(all) == 12 && tensor_sum(bias) == 4 && tensor_sum(weight) == 4);
    tensor *made[] = { all, dx, row, weight, bias, dy, x, from, v };
    for (int i = 0; i < 9; i++)
        tensor_free(made[i]);
}

Test(tensor_errors, more_than_there_is_memory_is_told)
{
    cr_expect_null(tensor_zeros(DIST_F64, 1 << 30, 1 << 30));
    expect_report("tensor_zeros", DIST_ERR_MEMORY, "no memory for");
    cr_expect_null(tensor_zeros(DIST_F64, INT64_MAX, INT64_MAX, INT64_MAX));
    expect_report("tensor_zeros", DIST_ERR_MEMORY, "no memory for");
    tensor *t = tensor_full(DIST_F32, 3, 10);
    cr_expect_eq(tensor_sum(t), 30);
    tensor_free(t);
}
