/*
 * test_cuda_backend_passes.c: reductions that are no one kernel's: more ranks than a kernel has inputs, and GPUs whose kernels cannot
 * reach each other's memory.
 */
#define _GNU_SOURCE
#include "conform.h"
#include "devices/device.h"
#include "streams/gpu.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void on_sim(void)
{
    setenv("BACKEND", "cuda", 1);
    setenv("DEVICE", "sim", 1);
    unsetenv("DIST_RANKS");
}

TestSuite(cuda_backend_passes, .init = on_sim, .timeout = 100);

static void run(const char *name, void (*body)(struct exam *, int, int), int size, const void *given)
{
    struct exam *exam = exam_new(name, size);
    exam->given = given;
    bool passed = exam_run(exam, body);
    cr_assert(passed, "%s", exam_words(exam));
    exam_free(exam);
}

/* ---- many ranks ----------------------------------------------------------------------------- */

enum { MANY = 20, LENGTH = 9000 }; /* ranks: more than inputs of a kernel; elements */

/* Random numbers of every rank, and what each reduction makes of them. Made before the ranks start. */
static struct many {
    char *in[REF_TYPES][MANY], *reduced[REF_TYPES][REF_OPS];
} many;

static void fill_many(void)
{
    for (int type = 0; type < REF_TYPES; type++) {
        size_t bytes = LENGTH * ref_bytes((enum dist_type)type);
        for (int rank = 0; rank < MANY; rank++) {
            many.in[type][rank] = malloc(bytes);
            ref_fill((enum dist_type)type, many.in[type][rank], LENGTH, (uint64_t)(100 * type + rank));
        }
        for (int op = 0; op < REF_OPS; op++) {
            many.reduced[type][op] = malloc(bytes);
            ref_reduce((enum dist_type)type, (enum dist_op)op, many.reduced[type][op],
                       (const void *const *)many.in[type], MANY, LENGTH);
        }
    }
}

static void free_many(void)
{
    for (int type = 0; type < REF_TYPES; type++) {
        for (int rank = 0; rank < MANY; rank++)
            free(many.in[type][rank]);
        for (int op = 0; op < REF_OPS; op++)
            free(many.reduced[type][op]);
    }
}

static void expect(struct exam *exam, const tensor *t, int type, const char *expected, const char *what)
{
    char *data = malloc(LENGTH * ref_bytes((enum dist_type)type));
    tensor_read(t, data);
    int64_t i = ref_difference((enum dist_type)type, data, expected, tensor_numel(t));
    exam_check(exam, i < 0, "%s of many, %s: element %lld is wrong", what,
               ref_type_name((enum dist_type)type), (long long)i);
    free(data);
}

/* The whole, and short enough for one stream to do it all. */
static void reductions_of_many(struct exam *exam, int rank, int size)
{
    (void)size;
    for (int i = 0; i < REF_TYPES * REF_OPS * 2; i++) {
        int type = i / 2 / REF_OPS, op = i / 2 % REF_OPS;
        tensor *t = tensor_zeros((enum dist_type)type, i % 2 ? LENGTH : 100);
        tensor_write(t, many.in[type][rank]);
        dist_all_reduce(t, .op = (enum dist_op)op);
        expect(exam, t, type, many.reduced[type][op], "all_reduce");
        tensor_write(t, many.in[type][rank]);
        dist_broadcast(t, 17);
        expect(exam, t, type, many.in[type][17], "broadcast");
        tensor_free(t);
    }
}

/* ---- far away --------------------------------------------------------------------------------- */

static struct device far_away;

static bool never(void *state, void *other)
{
    return state == other;
}

/* From now on this rank's kernels see only its own memory. */
static void go_far_away(void)
{
    struct gpu *gpu = launch_self_if_any()->gpu;
    gpu->device = &far_away;
}

static void conform_far_away(struct exam *exam, int rank, int size)
{
    go_far_away();
    conform_world(exam, rank, size);
}

static void many_far_away(struct exam *exam, int rank, int size)
{
    go_far_away();
    reductions_of_many(exam, rank, size);
}

Test(cuda_backend_passes, more_ranks_than_a_kernel_has_inputs)
{
    far_away = device_sim;
    far_away.reaches = never;
    fill_many();
    run("many", reductions_of_many, MANY, NULL);
    run("many far away", many_far_away, MANY, NULL);
    free_many();
}

Test(cuda_backend_passes, gpus_that_cannot_see_each_other)
{
    far_away = device_sim;
    far_away.reaches = never;
    for (int size = 2; size <= 4; size++) {
        struct conform given = { .sparse = false };
        cr_assert(conform_new(&given, size, 1), "no memory for the reference");
        given.sparse = true;
        run("far away", conform_far_away, size, &given);
        conform_free(&given);
    }
}
