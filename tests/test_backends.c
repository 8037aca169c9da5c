/*
 * test_backends.c: does a backend do what dist.h promises? One suite for all of them.
 *
 * DIST_TEST_BACKENDS=shm,other chooses the backends; DIST_TEST_SEED repeats a run that failed. The answers are worked
 * out by reference.c; what is called with what is in conform_*.c.
 */
#define _GNU_SOURCE
#include "conform.h"
#include "hurry.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The backends to test, as a list of names that ends with NULL. */
static char **backends(void)
{
    static char text[200], *names[16];
    const char *wanted = getenv("DIST_TEST_BACKENDS");
    int count = 0;
    snprintf(text, sizeof text, "%s", wanted != NULL ? wanted : "shm");
    for (char *name = strtok(text, ","); name != NULL && count < 15; name = strtok(NULL, ","))
        names[count++] = name;
    names[count] = NULL;
    cr_assert(count > 0, "DIST_TEST_BACKENDS names no backend");
    return names;
}

/* What a part is given: nothing; random numbers; those, and the wish to be quick. */
enum given { NOTHING, NUMBERS, NUMBERS_SPARSE };

/* Run one part on `size` ranks of every backend. */
static void conform(const char *name, void (*part)(struct exam *, int, int), int size, enum given what)
{
    for (char **backend = backends(); *backend != NULL; backend++) {
        char title[80];
        struct conform given = { .sparse = false };
        struct exam *exam = exam_new(title, size);
        snprintf(title, sizeof title, "%s on %s", name, *backend);
        if (what != NOTHING)
            cr_assert(conform_new(&given, size, exam->seed), "no memory for the reference");
        given.sparse = what == NUMBERS_SPARSE;
        given.any_order = strcmp(*backend, "mpi") == 0;
        exam->backend = *backend;
        exam->given = &given;
        bool passed = exam_run(exam, part);
        cr_assert(passed, "%s", exam_words(exam));
        conform_free(&given);
        exam_free(exam);
    }
}

static void conform_sizes(const char *name, void (*part)(struct exam *, int, int), enum given what)
{
    for (int size = hurry() ? 3 : 1; size <= (hurry() ? 3 : 8); size++)
        conform(name, part, size, hurry() && what == NUMBERS ? NUMBERS_SPARSE : what);
}

TestSuite(backends, .timeout = 120);

Test(backends, collectives_give_what_the_reference_gives)
{
    conform_sizes("collectives", conform_world, NUMBERS);
}

Test(backends, sub_groups_with_permuted_ranks_do_too)
{
    conform_sizes("sub-groups", conform_groups, NUMBERS);
}

Test(backends, messages_arrive_in_every_pattern)
{
    conform_sizes("messages", conform_p2p, NUMBERS);
}

Test(backends, order_tags_and_groups_are_kept)
{
    conform_sizes("order", conform_order, NOTHING);
    conform_sizes("chained", conform_chained, NOTHING);
}

Test(backends, started_operations_go_on_while_ranks_compute)
{
    conform("progress", conform_progress, 2, NOTHING);
    conform("progress", conform_progress, 3, NOTHING);
}

/* ---- the same, ranks as threads ---------------------------------------------------- */

Test(backends, collectives_of_threads)
{
    setenv("DIST_RANKS", "threads", 1);
    conform_sizes("collectives of threads", conform_world, NUMBERS_SPARSE);
}

Test(backends, sub_groups_of_threads)
{
    setenv("DIST_RANKS", "threads", 1);
    conform_sizes("sub-groups of threads", conform_groups, NUMBERS);
}

Test(backends, messages_of_threads)
{
    setenv("DIST_RANKS", "threads", 1);
    conform_sizes("messages of threads", conform_p2p, NUMBERS_SPARSE);
    conform_sizes("order of threads", conform_order, NOTHING);
    conform("progress of threads", conform_progress, 2, NOTHING);
}

/* ---- the same, small messages copied aside ------------------------------------------- */

Test(backends, messages_with_eager_buffers)
{
    setenv("DIST_BUFFERING", "eager:4096", 1);
    conform_sizes("eager messages", conform_p2p, NUMBERS_SPARSE);
    conform_sizes("eager order", conform_order, NOTHING);
}

Test(backends, messages_of_threads_with_eager_buffers)
{
    setenv("DIST_BUFFERING", "eager:4096", 1);
    setenv("DIST_RANKS", "threads", 1);
    conform_sizes("eager messages of threads", conform_p2p, NUMBERS_SPARSE);
    conform_sizes("eager order of threads", conform_order, NOTHING);
}

/* ---- the same on tensors of a simulated GPU: some sizes, since each look at a tensor waits for a stream -------- */

static void conform_on_gpu(void (*part)(struct exam *, int, int), const int *sizes, enum given what)
{
    setenv("DEVICE", "sim", 1);
    for (bool first = true; *sizes > 0 && (first || !hurry()); sizes++, first = false)
        conform("GPU", part, *sizes, what);
}
#define SIZES(...) ((const int[]){ __VA_ARGS__, 0 })

Test(backends, collectives_on_a_gpu)
{
    conform_on_gpu(conform_world, SIZES(2, 3, 6), NUMBERS_SPARSE);
    conform_on_gpu(conform_groups, SIZES(3, 8), NUMBERS);
}

Test(backends, collectives_on_a_gpu_by_threads)
{
    setenv("DIST_RANKS", "threads", 1);
    conform_on_gpu(conform_world, SIZES(1, 4, 5), NUMBERS_SPARSE);
    conform_on_gpu(conform_groups, SIZES(4, 7), NUMBERS);
}

Test(backends, messages_on_a_gpu)
{
    conform_on_gpu(conform_p2p, SIZES(1, 3, 8), NUMBERS_SPARSE);
    conform_on_gpu(conform_order, SIZES(1, 2, 5), NOTHING);
    conform_on_gpu(conform_progress, SIZES(2, 3), NOTHING);
}

Test(backends, messages_on_a_gpu_by_threads)
{
    setenv("DIST_RANKS", "threads", 1);
    conform_on_gpu(conform_p2p, SIZES(2, 5), NUMBERS_SPARSE);
    conform_on_gpu(conform_order, SIZES(3, 6), NOTHING);
    conform_on_gpu(conform_progress, SIZES(2), NOTHING);
}

Test(backends, messages_on_a_gpu_with_eager_buffers)
{
    setenv("DIST_BUFFERING", "eager:4096", 1);
    conform_on_gpu(conform_p2p, SIZES(4), NUMBERS_SPARSE);
    conform_on_gpu(conform_order, SIZES(3), NOTHING);
    setenv("DIST_RANKS", "threads", 1);
    conform_on_gpu(conform_p2p, SIZES(3), NUMBERS_SPARSE);
    conform_on_gpu(conform_order, SIZES(4), NOTHING);
}

/* What is right is not accused. */
Test(backends, on_a_gpu_with_checks)
{
    setenv("DIST_CHECK", "1", 1);
    conform_on_gpu(conform_groups, SIZES(3), NUMBERS);
    conform_on_gpu(conform_order, SIZES(2), NOTHING);
    setenv("DIST_RANKS", "threads", 1);
    conform_on_gpu(conform_groups, SIZES(4), NUMBERS);
    conform_on_gpu(conform_p2p, SIZES(2), NUMBERS_SPARSE);
}
