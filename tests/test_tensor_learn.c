/*
 * test_tensor_learn.c: does every call of learning give what a plain formula gives? test_tensor_slopes.c: is its gradient the slope?
 *
 * What a GPU's kernels give is compared with the
 * host's in gpu/kernels_test.cu.
 */
#include "dist.h"

#include <criterion/criterion.h>
#include <math.h>

enum { ROWS = 5, COLUMNS = 7, ALL = ROWS * COLUMNS };

static uint64_t state;

static double draw(void) /* between -2 and 2 */
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 33) * 0x1p-29 - 2;
}

static tensor *random_matrix(enum dist_type type, int64_t rows, int64_t columns)
{
    tensor *t = tensor_zeros(type, rows, columns);
    for (int64_t i = 0; i < rows * columns; i++)
        tensor_set(t, i, draw());
    return t;
}

static const enum dist_type types[] = { DIST_F64, DIST_F32, DIST_F16, DIST_BF16 };
static const double steps[] = { 1e-13, 1e-6, 2e-3, 2e-2 }; /* of these types, times a few */
#define EACH_TYPE \
    int k = 0; \
    k < 4; \
    k++

static void expect_near(const tensor *t, int64_t i, double wanted, int k)
{
    double got = tensor_item(t, i);
    cr_expect(fabs(got - wanted) <= steps[k] * (1 + fabs(wanted)),
              "type %d, element %lld: %.17g, should be %.17g", k, (long long)i, got, wanted);
}

/* ---- plain formulas ------------------------------------------------------------------------------- */

Test(tensor_learn, gelu_is_its_formula)
{
    for (EACH_TYPE) {
        tensor *t = random_matrix(types[k], ROWS, COLUMNS), *x = tensor_clone(t);
        tensor_gelu(t);
        for (int i = 0; i < ALL; i++) {
            double v = tensor_item(x, i);
            expect_near(t, i, v * 0.5 * erfc(-v / sqrt(2)), k);
        }
        tensor_free(t);
        tensor_free(x);
    }
}

Test(tensor_learn, layer_norm_is_its_formula_also_in_place)
{
    for (EACH_TYPE) {
        tensor *x = random_matrix(types[k], ROWS, COLUMNS), *out = tensor_zeros(types[k], ROWS, COLUMNS);
        tensor *weight = random_matrix(types[k], 1, COLUMNS), *bias = random_matrix(types[k], 1, COLUMNS);
        tensor_layer_norm(out, x, weight, bias);
        for (int i = 0; i < ALL; i++) {
            double sum = 0, squares = 0;
            for (int j = 0; j < COLUMNS; j++) {
                double v = tensor_item(x, i / COLUMNS * COLUMNS + j);
                sum += v;
                squares += v * v;
            }
            double mean = sum / COLUMNS, variance = squares / COLUMNS - mean * mean;
            double normed = (tensor_item(x, i) - mean) / sqrt(variance + 1e-5);
            expect_near(out, i, normed * tensor_item(weight, i % COLUMNS) + tensor_item(bias, i % COLUMNS),
                        k);
        }
        tensor_layer_norm(x, x, weight, bias);
        cr_expect(tensor_equal(x, out));
        tensor_free(x);
        tensor_free(out);
        tensor_free(weight);
        tensor_free(bias);
    }
}

Test(tensor_learn, a_causal_mask_hides_what_is_later_in_each_matrix)
{
    tensor *far = tensor_full(DIST_F32, 3, 3, 3);
    tensor_causal_mask(far, INT64_MAX);
    cr_expect_eq(tensor_sum(far), 27);
    tensor_causal_mask(far, INT64_MIN);
    cr_expect_eq(tensor_sum(far), -INFINITY);
    tensor_free(far);
    for (int64_t ahead = -4; ahead <= 4; ahead++) {
        tensor *t = tensor_full(DIST_F32, 3, 2, 3, 4);
        tensor_causal_mask(t, ahead);
        for (int i = 0; i < 24; i++) {
            bool hidden = i % 4 > i / 4 % 3 + ahead;
            cr_expect_eq(tensor_item(t, i), hidden ? -INFINITY : 3);
        }
        tensor_free(t);
    }
}

Test(tensor_learn, embedding_takes_rows_and_gives_gradients_back_to_them)
{
    const int64_t ids[4] = { 2, 0, 2, 4 };
    for (EACH_TYPE) {
        tensor *weight = random_matrix(types[k], 5, 3), *out = tensor_zeros(types[k], 2, 2, 3);
        tensor *id = tensor_from(DIST_I64, ids, 2, 2), *dweight = tensor_full(types[k], 1, 5, 3);
        tensor_embedding(out, weight, id);
        for (int i = 0; i < 12; i++)
            cr_expect_eq(tensor_item(out, i), tensor_item(weight, ids[i / 3] * 3 + i % 3));
        tensor_embedding_backward(dweight, out, id);
        for (int i = 0; i < 15; i++) {
            double times = i / 3 == 2 ? 2 : i / 3 == 0 || i / 3 == 4;
            expect_near(dweight, i, 1 + times * tensor_item(weight, i), k);
        }
        tensor_free(weight);
        tensor_free(out);
        tensor_free(id);
        tensor_free(dweight);
    }
}

Test(tensor_learn, cross_entropy_is_minus_the_log_of_a_share)
{
    const int64_t ids[ROWS] = { 3, 0, -100, 6, 1 };
    for (EACH_TYPE) {
        tensor *logits = random_matrix(types[k], ROWS, COLUMNS), *losses = tensor_full(types[k], 9, ROWS);
        tensor *id = tensor_from(DIST_I64, ids, ROWS), *shares = tensor_clone(logits),
               *large = tensor_clone(logits);
        tensor_cross_entropy(losses, logits, id);
        tensor_softmax(shares);
        for (int i = 0; i < ROWS; i++) {
            double sum = 0;
            for (int j = 0; j < COLUMNS; j++)
                sum += exp(tensor_item(logits, i * COLUMNS + j));
            expect_near(losses, i, ids[i] < 0 ? 0 : log(sum) - tensor_item(logits, i * COLUMNS + ids[i]), k);
        }
        tensor_cross_entropy_backward(logits, id);
        for (int i = 0; i < ALL; i++) {
            double share = tensor_item(shares, i) - (i % COLUMNS == ids[i / COLUMNS]);
            expect_near(logits, i, ids[i / COLUMNS] < 0 ? 0 : share, k);
        }
        tensor_fill(large, 20000); /* e^x is too large, its share is not */
        tensor_cross_entropy(losses, large, id);
        expect_near(losses, 0, log(COLUMNS), k);
        tensor_free(logits);
        tensor_free(losses);
        tensor_free(id);
        tensor_free(shares);
        tensor_free(large);
    }
}

/* As torch.optim.AdamW is documented, step by step. */
Test(tensor_learn, adamw_steps_as_its_paper_says)
{
    for (EACH_TYPE) {
        tensor *w = random_matrix(types[k], 3, 3), *m = tensor_zeros(types[k], 3, 3),
               *v = tensor_zeros(types[k], 3, 3);
        for (int step = 1; step <= 3; step++) {
            tensor *g = random_matrix(types[k], 3, 3), *w0 = tensor_clone(w), *m0 = tensor_clone(m),
                   *v0 = tensor_clone(v);
            tensor_adamw(w, m, v, g, step, 0.01, .weight_decay = 0.1, .beta2 = 0.99);
            for (int i = 0; i < 9; i++) {
                double x = tensor_item(g, i), first = 0.9 * tensor_item(m0, i) + 0.1 * x;
                double second = 0.99 * tensor_item(v0, i) + 0.01 * x * x, old = tensor_item(w0, i);
                double hat = first / (1 - pow(0.9, step)), root = sqrt(second / (1 - pow(0.99, step)));
                expect_near(m, i, first, k);
                expect_near(v, i, second, k);
                expect_near(w, i, old - 0.01 * 0.1 * old - 0.01 * hat / (root + 1e-8), k);
            }
            tensor_free(g);
            tensor_free(w0);
            tensor_free(m0);
            tensor_free(v0);
        }
        tensor_free(w);
        tensor_free(m);
        tensor_free(v);
    }
}

/* ---- on a simulated GPU: the same kernels, behind each other in a stream ------------------------------ */

/* One call after the other, on tensors of this device; all that they have written, in one tensor of the host. */
static tensor *all_calls(enum dist_device device)
{
    const int64_t numbers[ROWS] = { 3, 0, 6, 6, 1 };
    dist_set_device(device);
    state = 7;
    tensor *x = random_matrix(DIST_F32, ROWS, COLUMNS), *y = tensor_clone(x),
           *z = random_matrix(DIST_F32, ROWS, COLUMNS);
    tensor *table = random_matrix(DIST_F32, COLUMNS, COLUMNS), *ids = tensor_from(DIST_I64, numbers, ROWS);
    tensor *w = random_matrix(DIST_F32, 1, COLUMNS), *b = tensor_clone(w), *g = tensor_clone(w),
           *losses = tensor_zeros(DIST_F32, ROWS);
    tensor *m = tensor_zeros(DIST_F32, ROWS, COLUMNS), *v = tensor_zeros(DIST_F32, ROWS, COLUMNS);
    tensor_layer_norm(y, x, w, b);
    tensor_layer_norm_backward(z, g, b, y, x, w);
    tensor_gelu(y);
    tensor_gelu_backward(z, x);
    tensor_adamw(x, m, v, z, 1, 0.01);
    tensor_embedding(y, table, ids);
    tensor_embedding_backward(table, x, ids);
    tensor_cross_entropy(losses, x, ids);
    tensor_cross_entropy_backward(x, ids);
    tensor_softmax(y);
    tensor_softmax_backward(z, y);
    tensor_causal_mask(y, 1);
    tensor *written[] = { x, y, z, table, g, b, losses, m, v };
    dist_set_device(DIST_HOST);
    tensor *all = tensor_zeros(DIST_F32, 5 * ALL + COLUMNS * COLUMNS + 2 * COLUMNS + ROWS);
    for (int i = 0, at = 0; i < 9; i++) {
        tensor *part = tensor_slice(all, at, at + tensor_numel(written[i]));
        at += (int)tensor_numel(written[i]);
        tensor_copy(part, written[i]);
        tensor_free(part);
        tensor_free(written[i]);
    }
    tensor_free(ids);
    tensor_free(w);
    return all;
}

Test(tensor_learn, a_simulated_gpu_gives_the_same_bits)
{
    tensor *here = all_calls(DIST_HOST), *there = all_calls(DIST_GPU);
    cr_expect(tensor_equal(here, there));
    cr_expect(isinf(tensor_item(here, ALL + 2)), "the mask is the last thing that happened to y");
    tensor_free(here);
    tensor_free(there);
}
