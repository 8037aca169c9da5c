/*
 * test_nccl_conform.c: the conformance suite's collectives over the nccl room and its double, as test_nccl_jobs.c: each
 * collective x type x reduction x count x (blocking, async) x (margins, in place), over the world and over groups. The double adds
 * up in rank order, so every bit can be compared; the real NCCL does not.
 *
 * Left out is what NCCL cannot do: DIST_ANY_SOURCE, tags in another order, works begun in different orders (room.h).
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>

#ifndef HAVE_NCCL
Test(nccl_conform, all_of_it)
{
    cr_skip_test("there is no nccl.h, so the nccl room was not built");
}
#else
#include "conform.h"
#include "doubles/nccl/double.h"

#include <stdlib.h>

static void set_up(void)
{
    setenv("DIST_RANKS", "threads", 1);
    setenv("DEVICE", "sim", 1);
    double_play(&(struct double_script){ .moves = true });
}

TestSuite(nccl_conform, .timeout = 120, .init = set_up);

static void conform_on(const char *name, void (*part)(struct exam *, int, int), int size)
{
    struct conform given = { .sparse = false };
    struct exam *exam = exam_new(name, size);
    cr_assert(conform_new(&given, size, exam->seed), "no memory for the reference");
    given.sparse = true;
    exam->backend = "nccl";
    exam->given = &given;
    bool passed = exam_run(exam, part);
    cr_assert(passed, "%s", exam_words(exam));
    conform_free(&given);
    exam_free(exam);
}

Test(nccl_conform, collectives_of_one_two_and_five_ranks)
{
    conform_on("collectives", conform_world, 1);
    conform_on("collectives", conform_world, 2);
    conform_on("collectives", conform_world, 5);
}

Test(nccl_conform, collectives_in_groups)
{
    conform_on("groups", conform_groups, 2);
    conform_on("groups", conform_groups, 5);
}

Test(nccl_conform, collectives_checked)
{
    setenv("DIST_CHECK", "1", 1);
    conform_on("collectives, checked", conform_world, 3);
    conform_on("groups, checked", conform_groups, 3);
}
#endif
