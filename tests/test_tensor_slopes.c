/*
 * test_tensor_slopes.c: are gradients slopes? How much memory do tensors take, and what is refused by the calls of learning?
 */
#include "dist.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

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

/* ---- gradients are slopes --------------------------------------------------------------------------- */

/* Slopes are taken from F64 tensors, by moving one number a little to both sides.
 * What goes in, the weights that a call may have, and how what comes out is weighed to one number. */
struct slope {
    tensor *x, *weight, *bias, *weighed, *ids;
};

typedef void forward(const struct slope *s, tensor *out);

static double number(const struct slope *s, forward *call)
{
    tensor *out = tensor_clone(s->x);
    call(s, out);
    tensor_mul(out, s->weighed);
    double sum = tensor_sum(out);
    tensor_free(out);
    return sum;
}

static void expect_slopes(const struct slope *s, forward *call, tensor *t, const tensor *gradient,
                          const char *name)
{
    for (int64_t i = 0; i < tensor_numel(t); i++) {
        double here = tensor_item(t, i), far = 1e-5;
        tensor_set(t, i, here + far);
        double above = number(s, call);
        tensor_set(t, i, here - far);
        double slope = (above - number(s, call)) / (2 * far), got = tensor_item(gradient, i);
        tensor_set(t, i, here);
        cr_expect(fabs(slope - got) < 1e-8 * (1 + fabs(slope)), "%s, element %lld: %.12g, the slope is %.12g",
                  name, (long long)i, got, slope);
    }
}

static struct slope new_slope(void)
{
    const int64_t ids[ROWS] = { 1, 6, 0, -1, 3 };
    return (struct slope){ .x = random_matrix(DIST_F64, ROWS, COLUMNS),
                           .weight = random_matrix(DIST_F64, 1, COLUMNS),
                           .bias = random_matrix(DIST_F64, 1, COLUMNS),
                           .weighed = random_matrix(DIST_F64, ROWS, COLUMNS),
                           .ids = tensor_from(DIST_I64, ids, ROWS) };
}

static void free_slope(struct slope *s)
{
    tensor_free(s->x);
    tensor_free(s->weight);
    tensor_free(s->bias);
    tensor_free(s->weighed);
    tensor_free(s->ids);
}

static void by_gelu(const struct slope *s, tensor *out)
{
    (void)s;
    tensor_gelu(out);
}
static void by_softmax(const struct slope *s, tensor *out)
{
    (void)s;
    tensor_softmax(out);
}
static void by_layer_norm(const struct slope *s, tensor *out)
{
    tensor_layer_norm(out, s->x, s->weight, s->bias);
}

Test(tensor_slopes, gradients_of_gelu_and_softmax_are_slopes)
{
    struct slope s = new_slope();
    tensor *t = tensor_clone(s.weighed), *y = tensor_clone(s.x);
    tensor_gelu_backward(t, s.x);
    expect_slopes(&s, by_gelu, s.x, t, "gelu");
    tensor_softmax(y);
    tensor_copy(t, s.weighed);
    tensor_softmax_backward(t, y);
    expect_slopes(&s, by_softmax, s.x, t, "softmax");
    tensor_free(t);
    tensor_free(y);
    free_slope(&s);
}

Test(tensor_slopes, gradients_of_layer_norm_are_slopes_and_add_up)
{
    struct slope s = new_slope();
    tensor *dx = tensor_clone(s.x), *dweight = tensor_zeros(DIST_F64, COLUMNS),
           *dbias = tensor_zeros(DIST_F64, COLUMNS);
    tensor_layer_norm_backward(dx, dweight, dbias, s.weighed, s.x, s.weight);
    expect_slopes(&s, by_layer_norm, s.x, dx, "layer_norm, dx");
    expect_slopes(&s, by_layer_norm, s.weight, dweight, "layer_norm, dweight");
    expect_slopes(&s, by_layer_norm, s.bias, dbias, "layer_norm, dbias");
    tensor *once = tensor_clone(dweight);
    tensor_layer_norm_backward(dx, dweight, dbias, s.weighed, s.x, s.weight);
    for (int i = 0; i < COLUMNS; i++)
        cr_expect_float_eq(tensor_item(dweight, i), 2 * tensor_item(once, i), 1e-12);
    tensor_free(once);
    tensor_free(dx);
    tensor_free(dweight);
    tensor_free(dbias);
    free_slope(&s);
}

Test(tensor_slopes, the_gradient_of_cross_entropy_is_a_slope)
{
    struct slope s = new_slope();
    tensor *gradient = tensor_clone(s.x), *losses = tensor_zeros(DIST_F64, ROWS);
    tensor_cross_entropy_backward(gradient, s.ids);
    for (int i = 0; i < ALL; i++) {
        double here = tensor_item(s.x, i), far = 1e-5;
        tensor_set(s.x, i, here + far);
        tensor_cross_entropy(losses, s.x, s.ids);
        double above = tensor_sum(losses);
        tensor_set(s.x, i, here - far);
        tensor_cross_entropy(losses, s.x, s.ids);
        cr_expect_float_eq(tensor_item(gradient, i), (above - tensor_sum(losses)) / (2 * far), 1e-8);
        tensor_set(s.x, i, here);
    }
    tensor_free(gradient);
    tensor_free(losses);
    free_slope(&s);
}

/* ---- memory, and what is not allowed ---------------------------------------------------------------------- */

Test(tensor_slopes, bytes_are_counted_once_for_a_tensor_and_its_views)
{
    int64_t before = tensor_memory_allocated();
    tensor *a = tensor_zeros(DIST_F32, 1000), *view = tensor_slice(a, 0, 10);
    cr_expect_eq(tensor_memory_allocated() - before, 4000);
    tensor_free(a);
    cr_expect_eq(tensor_memory_allocated() - before, 4000, "a view still looks at it");
    tensor *b = tensor_zeros(DIST_F64, 100);
    tensor_free(view);
    cr_expect_eq(tensor_memory_allocated() - before, 800);
    cr_expect_eq(tensor_max_memory_allocated() - before, 4800);
    tensor_reset_peak_memory();
    cr_expect_eq(tensor_max_memory_allocated() - before, 800);
    tensor_free(b);
    cr_expect_eq(tensor_memory_allocated(), before);
    cr_expect_eq(tensor_max_memory_allocated() - before, 800);
}

static int reported;

static void count_report(const struct dist_report *report, void *wanted)
{
    reported++;
    cr_expect(strstr(report->sentence, wanted) != NULL, "\"%s\" does not say \"%s\"", report->sentence,
              (char *)wanted);
}

#define REFUSED(call, words) \
    do { \
        int before = reported; \
        dist_set_error_handler(count_report, words); \
        call; \
        cr_expect_eq(reported, before + 1, #call); \
    } while (0)

Test(tensor_slopes, what_does_not_fit_is_refused)
{
    const int64_t far[2] = { 0, 5 };
    tensor *ints = tensor_zeros(DIST_I64, 2), *t = tensor_zeros(DIST_F32, 2, 3),
           *u = tensor_zeros(DIST_F32, 2, 4);
    tensor *row = tensor_zeros(DIST_F32, 3), *wide = tensor_zeros(DIST_F64, 2, 3),
           *losses = tensor_zeros(DIST_F32, 2);
    tensor *ids = tensor_from(DIST_I64, far, 2), *other = tensor_zeros(DIST_F32, 2, 3);
    REFUSED(tensor_gelu(ints), "I64 has no fractions");
    REFUSED(tensor_gelu_backward(t, NULL), "NULL");
    REFUSED(tensor_gelu_backward(t, u), "8 elements, and must have 6");
    REFUSED(tensor_softmax_backward(t, wide), "F32 and another F64");
    REFUSED(tensor_softmax_backward(t, t), "overlaps");
    REFUSED(tensor_causal_mask(row, 0), "1 dimension");
    REFUSED(tensor_layer_norm(t, u, row, row), "8 elements, and must have 6");
    REFUSED(tensor_layer_norm(t, t, losses, row), "2 elements, and must have 3");
    REFUSED(tensor_layer_norm_backward(t, row, row, t, other, row), "overlaps");
    REFUSED(tensor_embedding(t, other, ids), "an id is 5, and there are 2 rows");
    REFUSED(tensor_embedding(u, other, ids), "a row has 4 elements, and the weights have 3 columns");
    REFUSED(tensor_embedding(t, other, row), "DIST_I64");
    REFUSED(tensor_embedding_backward(other, t, ids), "an id is 5");
    REFUSED(tensor_cross_entropy(row, t, ids), "3 losses for 2 rows");
    REFUSED(tensor_cross_entropy(losses, t, ids), "an id is 5");
    REFUSED(tensor_cross_entropy_backward(t, losses), "DIST_I64");
    REFUSED(tensor_adamw(t, other, other, t, 1, 0.1), "overlaps");
    REFUSED(tensor_adamw(row, row, row, row, 1, 0.1), "overlaps");
    REFUSED(tensor_adamw(t, other, NULL, t, 1, 0.1), "NULL");
    dist_set_error_handler(NULL, NULL);
    tensor *all[] = { ints, t, u, row, wide, losses, ids, other };
    for (int i = 0; i < 8; i++)
        tensor_free(all[i]);
}
