/*
 * test_model11.c: chapter 11's transformer. Are its gradients those of its loss? Is a model that is cut the one that it was cut from,
 * in every shape, over many steps? And does the trace tell as many bytes as the lesson?
 */
#define _GNU_SOURCE
#include "../chapters/11_sharding/model.h"
#include "started.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

#define CHAPTER "build/chapters/11_sharding/"

/* ---- gradients beside differences of the loss -------------------------------------------------- */

static const struct config tiny = {
    .layers = 2, .width = 8, .heads = 2, .length = 6, .kinds = 7, .type = DIST_F64
};
static const int sample[] = { 3, 1, 4, 1, 5, 6, 2 };
static const struct cut whole = { .size = 1 };

static double loss_now(const struct model *m)
{
    struct kept kept[MOST_BLOCKS] = { 0 };
    tensor *x = NULL;
    for (int i = 0; i < m->blocks; i++)
        x = block_forward(m, i, x, sample, &kept[i]);
    double loss = loss_of(m, x, sample);
    for (int i = 0; i < m->blocks; i++)
        kept_free(&kept[i]);
    tensor_free(x);
    return loss;
}

/* (loss(w + h) - loss(w - h)) / 2 h */
static double slope(const struct model *m, tensor *w, int64_t i)
{
    const double h = 1e-5, value = tensor_item(w, i);
    tensor_set(w, i, value + h);
    double above = loss_now(m);
    tensor_set(w, i, value - h);
    double below = loss_now(m);
    tensor_set(w, i, value);
    return (above - below) / (2 * h);
}

TestSuite(model11, .timeout = 240);

Test(model11, every_gradient_is_the_slope_of_the_loss)
{
    struct model m = model_new(tiny, whole, 0, tiny.layers + 2);
    double loss = model_gradients(&m, sample);
    cr_expect_float_eq(loss, loss_now(&m), 1e-12);
    for (int b = 0; b < m.blocks; b++)
        for (int p = 0; p < m.block[b].parameters; p++)
            for (int64_t i = 0; i < tensor_numel(m.block[b].w[p]); i++) {
                double got = tensor_item(m.block[b].g[p], i), wanted = slope(&m, m.block[b].w[p], i);
                cr_assert_float_eq(got, wanted, 1e-8 + 1e-6 * fabs(wanted),
                                   "block %d, parameter %d, element %d: %.10g, should be %.10g", b, p, (int)i,
                                   got, wanted);
            }
    model_free(&m);
}

Test(model11, gradients_of_samples_add_up_and_a_step_takes_them)
{
    struct model m = model_new(tiny, whole, 0, tiny.layers + 2);
    double before = model_gradients(&m, sample);
    tensor *once = tensor_clone(m.block[1].gradients);
    model_gradients(&m, sample);
    for (int64_t i = 0; i < tensor_numel(once); i++)
        cr_assert_float_eq(tensor_item(m.block[1].gradients, i), 2 * tensor_item(once, i), 1e-12);
    model_step(&m, 1);
    cr_expect_lt(loss_now(&m), before, "a step along the gradient makes the loss smaller");
    cr_expect_eq(tensor_sum(m.block[1].gradients), 0);
    tensor_free(once);
    model_free(&m);
}

Test(model11, no_character_sees_a_later_one)
{
    struct model m = model_new(tiny, whole, 0, tiny.layers + 2);
    int other[7];
    memcpy(other, sample, sizeof other);
    other[5] = 0; /* the last that goes in */
    tensor *x[2] = { NULL, NULL };
    for (int k = 0; k < 2; k++) {
        struct kept kept[MOST_BLOCKS] = { 0 };
        for (int i = 0; i < m.blocks; i++)
            x[k] = block_forward(&m, i, x[k], k ? other : sample, &kept[i]);
        for (int i = 0; i < m.blocks; i++)
            kept_free(&kept[i]);
    }
    for (int i = 0; i < 5 * tiny.kinds; i++)
        cr_assert_eq(tensor_item(x[0], i), tensor_item(x[1], i), "logit %d has changed", i);
    bool changed = false;
    for (int i = 5 * tiny.kinds; i < 6 * tiny.kinds; i++)
        changed = changed || tensor_item(x[0], i) != tensor_item(x[1], i);
    cr_expect(changed, "the last row must see it");
    tensor_free(x[0]);
    tensor_free(x[1]);
    model_free(&m);
}

/* ---- a model that is cut ------------------------------------------------------------------------- */

enum { STEPS = 12 };

/* The losses of that shape, in F32 or F64. */
static void losses_of(const char *dp, const char *tp, const char *pp, const char *type, double *losses)
{
    static struct started s;
    STARTED(&s, SETTINGS("DIST_OUTPUT=ordered"), CHAPTER "grid", dp, tp, pp, "12", type);
    cr_assert_eq(s.status, 0, "%s x %s x %s: %s", dp, tp, pp, s.stderr_text);
    char *line = strtok(s.stdout_text, "\n");
    for (int i = 0; i < STEPS; i++, line = strtok(NULL, "\n")) {
        cr_assert(line && strrchr(line, ','), "%s x %s x %s has no loss %d", dp, tp, pp, i);
        losses[i] = atof(strrchr(line, ',') + 1);
    }
}

static void same_curve(const char *type, double most)
{
    static const char *const shapes[][3] = {
        { "8", "1", "1" }, { "1", "4", "1" }, { "1", "1", "4" }, { "2", "2", "2" }, { "3", "2", "1" }
    };
    double right[STEPS], got[STEPS];
    losses_of("1", "1", "1", type, right);
    cr_expect_gt(right[0], 4);
    cr_expect_lt(right[STEPS - 1], 3, "it does not learn");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        losses_of(shapes[i][0], shapes[i][1], shapes[i][2], type, got);
        for (int step = 0; step < STEPS; step++)
            cr_expect_float_eq(got[step], right[step], most * right[step],
                               "%s x %s x %s, step %d: %.9g, should be %.9g", shapes[i][0], shapes[i][1],
                               shapes[i][2], step + 1, got[step], right[step]);
    }
}

Test(model11, every_shape_has_one_loss_curve)
{
    same_curve("csv", 1e-5);
}

Test(model11, what_differs_is_rounding)
{
    same_curve("f64", 1e-8); /* nine digits are printed */
}

Test(model11, a_shape_that_cannot_be_is_refused)
{
    static struct started s;
    STARTED(&s, SETTINGS(NULL), CHAPTER "grid", "1", "3", "1");
    cr_expect_eq(s.status, DIST_ERR_ARGUMENT);
    cr_expect(strstr(s.stderr_text, "tp 3"), "%s", s.stderr_text);
    STARTED(&s, SETTINGS("WORLD_SIZE=4"), CHAPTER "grid", "2", "2", "2");
    cr_expect_eq(s.status, DIST_ERR_ARGUMENT);
    cr_expect(strstr(s.stderr_text, "does not make 4 ranks"), "%s", s.stderr_text);
    STARTED(&s, SETTINGS(NULL), CHAPTER "grid", "2", "x", "2");
    cr_expect_eq(s.status, 2);
}

/* ---- bytes, as the trace has them ------------------------------------------------------------------ */

/* The bytes of all calls of that name that were made in cuts.h, all ranks together. */
static long long traced(const char *program, const char *name)
{
    char path[] = "/tmp/model11.XXXXXX", setting[100], wanted[100], line[4096];
    int fd = mkstemp(path);
    static struct started s;
    long long bytes = 0;
    cr_assert(fd >= 0 && close(fd) == 0);
    snprintf(setting, sizeof setting, "DIST_TRACE=%s", path);
    snprintf(wanted, sizeof wanted, "\"name\":\"%s\"", name);
    STARTED(&s, SETTINGS(setting, "WORLD_SIZE=4"), program);
    cr_assert_eq(s.status, 0, "%s", s.stderr_text);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        const char *found = strstr(line, "\"bytes\":");
        if (found && strstr(line, wanted) && strstr(line, "\"at\":\"cuts.h\""))
            bytes += atoll(found + 8);
    }
    cr_assert(file && fclose(file) == 0);
    unlink(path);
    return bytes;
}

Test(model11, the_trace_has_the_bytes_of_the_lesson)
{
    const long long tensor_of_x = 64 * 64 * 4, sums = 4 * 4;
    cr_expect_eq(traced(CHAPTER "tensor_parallel", "all_reduce"), 4 * (sums * tensor_of_x + 8),
                 "and over_all, once");
    cr_expect_eq(traced(CHAPTER "sequence_parallel", "all_gather"), 4 * sums * tensor_of_x);
    cr_expect_eq(traced(CHAPTER "sequence_parallel", "reduce_scatter"), 4 * sums * tensor_of_x);
}
