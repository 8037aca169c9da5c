/*
 * test_nccl_conform.c: the conformance suite over the nccl backend and its double, as test_nccl_jobs.c: all of it, on 1 to 4 ranks.
 * The double adds up in rank order, so every bit can be compared; the real NCCL does not.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>

#include "conform.h"
#include "hurry.h"
#include "doubles/nccl/double.h"
#include "doubles/nccl/told.h"

#include <stdlib.h>

TestSuite(nccl_conform, .timeout = 120, .init = told_play);

static bool any_order;

/* The same with tensors of the host, which NCCL has nothing to do with. */
static void (*part_on_host)(struct exam *, int, int);

static void on_host(struct exam *exam, int rank, int size)
{
    dist_set_device(DIST_HOST);
    part_on_host(exam, rank, size);
}

static void conform_on(const char *name, void (*part)(struct exam *, int, int), int size)
{
    struct conform given = { .sparse = false };
    struct exam *exam = exam_new(name, size);
    ref_narrow_averages = part != on_host;
    cr_assert(conform_new(&given, size, exam->seed), "no memory for the reference");
    given.sparse = true;
    given.any_order = any_order;
    exam->backend = "nccl";
    exam->given = &given;
    bool passed = exam_run(exam, part);
    cr_assert(passed, "%s", exam_words(exam));
    conform_free(&given);
    exam_free(exam);
}

static void conform_sizes(const char *name, void (*part)(struct exam *, int, int), int from)
{
    for (int size = hurry() ? 3 : from; size <= (hurry() ? 3 : 4); size++)
        conform_on(name, part, size);
}

Test(nccl_conform, collectives)
{
    conform_sizes("collectives", conform_world, 1);
}

Test(nccl_conform, collectives_in_groups)
{
    conform_sizes("groups", conform_groups, 1);
}

/* As gpu.sh runs it over the real one. */
Test(nccl_conform, sums_in_another_order)
{
    any_order = true;
    double_play(&(struct double_script){ .moves = true, .backwards = true });
    conform_on("collectives, backwards", conform_world, 4);
}

Test(nccl_conform, messages)
{
    conform_sizes("messages", conform_p2p, 1);
}

Test(nccl_conform, order_tags_and_groups)
{
    conform_sizes("order", conform_order, 1);
}

Test(nccl_conform, progress_while_ranks_compute)
{
    conform_sizes("progress", conform_progress, 2);
}

Test(nccl_conform, with_connections_made_late)
{
    setenv("DIST_CONNECT", "lazy", 1);
    conform_on("messages, lazy", conform_p2p, 4);
    conform_on("order, lazy", conform_order, 4);
}

Test(nccl_conform, with_eager_buffers)
{
    setenv("DIST_BUFFERING", "eager:4096", 1);
    conform_on("messages, eager", conform_p2p, 3);
    conform_on("order, eager", conform_order, 4);
    conform_on("order, eager", conform_order, 1);
}

Test(nccl_conform, checked)
{
    setenv("DIST_CHECK", "1", 1);
    conform_on("collectives, checked", conform_world, 3);
    conform_on("groups, checked", conform_groups, 3);
    conform_on("messages, checked", conform_p2p, 3);
    conform_on("order, checked", conform_order, 3);
}

/* ---- the same with tensors of the host -------------------------------------------------------------- */

static void conform_host(const char *name, void (*part)(struct exam *, int, int), int size)
{
    part_on_host = part;
    conform_on(name, on_host, size);
}

Test(nccl_conform, tensors_of_the_host)
{
    for (int size = hurry() ? 4 : 1; size <= 4; size++) {
        conform_host("host, collectives", conform_world, size);
        conform_host("host, groups", conform_groups, size);
        conform_host("host, messages", conform_p2p, size);
        conform_host("host, order", conform_order, size);
    }
    conform_host("host, progress", conform_progress, 3);
    setenv("DIST_BUFFERING", "eager:4096", 1);
    conform_host("host, eager messages", conform_p2p, 3);
    conform_host("host, eager order", conform_order, 4);
}

/* Nobody asks NCCL for anything then, so ranks need not be threads. */
Test(nccl_conform, tensors_of_the_host_between_processes)
{
    setenv("DIST_RANKS", "processes", 1);
    for (int size = hurry() ? 3 : 2; size <= (hurry() ? 3 : 4); size++) {
        double_play(&(struct double_script){ .split_size = size });
        conform_host("processes, collectives", conform_world, size);
        conform_host("processes, messages", conform_p2p, size);
        conform_host("processes, order", conform_order, size);
    }
}
