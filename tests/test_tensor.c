/*
 * test_tensor.c: do tensors keep what is put into them?
 */
#include "dist.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void expect_items(const tensor *t, int count, const double *wanted)
{
    cr_assert_eq(tensor_numel(t), count);
    for (int i = 0; i < count; i++)
        cr_expect_eq(tensor_item(t, i), wanted[i], "element %d is %g, should be %g", i, tensor_item(t, i),
                     wanted[i]);
}
#define EXPECT_ITEMS(t, ...) \
    expect_items(t, (int)(sizeof((double[]){ __VA_ARGS__ }) / sizeof(double)), (double[]){ __VA_ARGS__ })

static const enum dist_type all_types[] = { DIST_F32, DIST_F64, DIST_F16, DIST_BF16,
                                            DIST_I32, DIST_I64, DIST_U8 };

Test(tensor, is_made_filled_and_looked_at_in_every_type)
{
    for (int k = 0; k < 7; k++) {
        tensor *t = tensor_full(all_types[k], 7, 3, 1000);
        cr_expect_eq(tensor_type(t), all_types[k]);
        cr_expect(tensor_size(t, 0) == 3 && tensor_size(t, 1) == 1000);
        cr_expect_eq(tensor_sum(t), 21000);
        cr_expect_eq((uintptr_t)tensor_data(t) % 4096, 0);
        tensor_set(t, 2999, 9);
        cr_expect(tensor_item(t, 2999) == 9 && tensor_item(t, 2998) == 7);
        tensor_free(t);

        tensor *count = tensor_arange(all_types[k], 100, 105);
        EXPECT_ITEMS(count, 100, 101, 102, 103, 104);
        tensor_free(count);
    }
    tensor *none = tensor_zeros(DIST_F32, 0, 5);
    cr_expect(tensor_numel(none) == 0 && tensor_sum(none) == 0 && tensor_data(none) != NULL);
    tensor_free(none);
    tensor_free(NULL);
    tensor *halves = tensor_arange(DIST_F64, 0.5, 3);
    EXPECT_ITEMS(halves, 0.5, 1.5, 2.5);
    tensor_free(halves);
}

Test(tensor, is_a_copy_of_what_it_was_made_from)
{
    int32_t values[] = { 5, -6, 7, 8, 9, 10 };
    tensor *t = tensor_from(DIST_I32, values, 3, 2);
    values[0] = 0;
    tensor *clone = tensor_clone(t);
    tensor_set(t, 1, 0);
    EXPECT_ITEMS(t, 5, 0, 7, 8, 9, 10);
    EXPECT_ITEMS(clone, 5, -6, 7, 8, 9, 10);
    cr_expect(tensor_size(clone, 0) == 3 && tensor_size(clone, 1) == 2);
    tensor_free(t);
    tensor_free(clone);
}

Test(tensor, slice_shares_elements_and_outlives_its_parent)
{
    tensor *t = tensor_zeros(DIST_F32, 4, 2);
    for (int i = 0; i < 8; i++)
        tensor_set(t, i, i * 10);
    tensor *rows = tensor_slice(t, 1, 4), *row = tensor_slice(rows, 1, 2), *none = tensor_slice(t, 4, 4);
    EXPECT_ITEMS(rows, 20, 30, 40, 50, 60, 70);
    tensor_set(row, 0, -1);
    cr_expect_eq(tensor_item(t, 4), -1);
    cr_expect(tensor_size(rows, 0) == 3 && tensor_size(rows, 1) == 2 && tensor_numel(none) == 0);

    tensor_free(t);
    tensor_free(rows);
    tensor *other = tensor_full(DIST_F32, 5, 4, 2); /* must not get the memory that row still looks at */
    EXPECT_ITEMS(row, -1, 50);
    tensor_free(row);
    tensor_free(none);
    tensor_free(other);
}

Test(tensor, arithmetic_is_that_of_the_type)
{
    for (int k = 0; k < 7; k++) {
        tensor *a = tensor_arange(all_types[k], 10, 13), *b = tensor_arange(all_types[k], 1, 4);
        tensor_add(a, b);
        EXPECT_ITEMS(a, 11, 13, 15);
        tensor_mul(a, b);
        EXPECT_ITEMS(a, 11, 26, 45);
        tensor_sub(a, b);
        EXPECT_ITEMS(a, 10, 24, 42);
        tensor_add_scalar(a, 1);
        tensor_mul_scalar(a, 2);
        EXPECT_ITEMS(a, 22, 50, 86);
        tensor_add(a, a);
        EXPECT_ITEMS(a, 44, 100, 172);
        tensor_free(a);
        tensor_free(b);
    }
    uint8_t bytes[] = { 250, 3 }, more[] = { 10, 5 };
    tensor *a = tensor_from(DIST_U8, bytes, 2), *b = tensor_from(DIST_U8, more, 2);
    tensor_add(a, b);
    EXPECT_ITEMS(a, 4, 8);
    tensor_sub(a, b);
    EXPECT_ITEMS(a, 250, 3);
    tensor_add_scalar(a, 10);
    EXPECT_ITEMS(a, 255, 13);
    tensor_free(a);
    tensor_free(b);
}

Test(tensor, relu_keeps_what_is_not_negative)
{
    for (int k = 0; k < 6; k++) {
        tensor *t = tensor_arange(all_types[k], -2, 3);
        tensor_relu(t);
        EXPECT_ITEMS(t, 0, 0, 0, 1, 2);
        if (k < 4) {
            tensor_set(t, 0, NAN);
            tensor_set(t, 1, -INFINITY);
            tensor_relu(t);
            cr_expect(isnan(tensor_item(t, 0)) && tensor_item(t, 1) == 0);
        }
        tensor_free(t);
    }
    int64_t large[] = { INT64_MAX, INT64_MIN, (1LL << 53) + 1 };
    tensor *t = tensor_from(DIST_I64, large, 3), *gradient = tensor_clone(t);
    tensor_relu(t);
    cr_expect(((int64_t *)tensor_data(t))[0] == INT64_MAX && ((int64_t *)tensor_data(t))[1] == 0);
    tensor_relu_backward(gradient, t);
    cr_expect(tensor_equal(gradient, t), "what stays keeps its bits");
    tensor_free(t);
    tensor_free(gradient);
}

Test(tensor, copy_converts_between_all_types)
{
    for (int from = 0; from < 7; from++)
        for (int to = 0; to < 7; to++) {
            tensor *a = tensor_arange(all_types[from], 0, 200), *b = tensor_zeros(all_types[to], 10, 20);
            tensor_copy(b, a);
            for (int i = 0; i < 200; i++)
                cr_assert_eq(tensor_item(b, i), i);
            tensor_free(a);
            tensor_free(b);
        }
    tensor *t = tensor_arange(DIST_F32, 0, 6), *head = tensor_slice(t, 0, 4), *tail = tensor_slice(t, 2, 6);
    tensor_copy(tail, head);
    EXPECT_ITEMS(t, 0, 1, 0, 1, 2, 3);
    tensor_free(t);
    tensor_free(head);
    tensor_free(tail);
}

Test(tensor, matrices_multiply_and_turn)
{
    double b_values[] = { 1, 0, 2, -1, 3, 1, 0, 1, 1, 1, 1, 1 };
    for (int k = 0; k < 2; k++) {
        tensor *a = tensor_zeros(all_types[k], 2, 3), *b = tensor_zeros(all_types[k], 3, 4);
        tensor *wide = tensor_from(DIST_F64, b_values, 12), *out = tensor_full(all_types[k], 99, 2, 4);
        for (int i = 0; i < 6; i++)
            tensor_set(a, i, i + 1);
        tensor_copy(b, wide);
        tensor_matmul(out, a, b);
        EXPECT_ITEMS(out, 10, 5, 5, 4, 25, 11, 14, 7);
        tensor *turned = tensor_zeros(all_types[k], 4, 2);
        tensor_transpose(turned, out);
        EXPECT_ITEMS(turned, 10, 25, 5, 11, 5, 14, 4, 7);
        tensor *made[] = { a, b, wide, out, turned };
        for (int i = 0; i < 5; i++)
            tensor_free(made[i]);
    }
}

/* What tensor_print writes, kept in `text`. */
static const char *printed(const tensor *t, const char *words, int number)
{
    static char text[1024];
    FILE *file = tmpfile();
    fflush(stdout);
    int kept = dup(1);
    dup2(fileno(file), 1);
    tensor_print(t, words, number);
    dup2(kept, 1);
    close(kept);
    rewind(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    fclose(file);
    return text;
}

Test(tensor, prints_as_one_line)
{
    tensor *t = tensor_arange(DIST_F32, 200, 203), *long_one = tensor_arange(DIST_I64, 0, 100);
    tensor *matrix = tensor_full(DIST_F16, 0.5, 2, 3), *large = tensor_zeros(DIST_U8, 10, 20);
    tensor *none = tensor_zeros(DIST_F32, 0, 5);
    cr_expect_str_eq(printed(t, "rank %d holds", 2), "rank 2 holds [200, 201, 202]\n");
    cr_expect_str_eq(printed(matrix, "%d:", 1), "1: [[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]\n");
    cr_expect_str_eq(printed(long_one, "%d", 7), "7 [0, 1, 2, 3, ..., 96, 97, 98, 99] (100 elements)\n");
    cr_expect_str_eq(printed(large, "%d", 7), "7 [0, 0, 0, 0, ..., 0, 0, 0, 0] (10 x 20 = 200 elements)\n");
    cr_expect_str_eq(printed(none, "%d", 7), "7 []\n");
    tensor *made[] = { t, long_one, matrix, large, none };
    for (int i = 0; i < 5; i++)
        tensor_free(made[i]);
}

Test(tensor, memory_is_used_again)
{
    tensor *first = tensor_zeros(DIST_F32, 1 << 20);
    void *place = tensor_data(first);
    tensor_free(first);
    for (int i = 0; i < 2000; i++) {
        tensor *t = tensor_full(DIST_F32, i, 1 << (i % 21));
        cr_assert_eq(tensor_data(t), place, "round %d took new memory", i);
        tensor_free(t);
    }
}

/* Random tensors made and freed in random order: each must keep its own number, and the arena must not spread. */
Test(tensor, neighbours_keep_apart)
{
    enum { SLOTS = 60, PAGES = 8 };
    tensor *slots[SLOTS] = { NULL };
    char *low = NULL, *high = NULL;
    srand(4711);
    for (int round = 0; round < 20000; round++) {
        int i = rand() % SLOTS;
        if (slots[i]) {
            cr_assert_eq(tensor_sum(slots[i]), (double)(i + 1) * (double)tensor_numel(slots[i]), "slot %d",
                         i);
            tensor_free(slots[i]);
            slots[i] = NULL;
            continue;
        }
        slots[i] = tensor_full(DIST_U8, i + 1, rand() % (PAGES * 4096));
        char *data = tensor_data(slots[i]);
        low = !low || data < low ? data : low;
        high = data > high ? data : high;
    }
    cr_expect_lt(high - low, 2 * SLOTS * PAGES * 4096);
    for (int i = 0; i < SLOTS; i++)
        tensor_free(slots[i]);
    tensor *whole = tensor_zeros(DIST_U8, high - low);
    cr_expect_eq((char *)tensor_data(whole), low, "the gaps were not joined");
    tensor_free(whole);
}
