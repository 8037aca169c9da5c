/*
 * test_cuda_ranks.c: do ranks on GPUs do what dist.h promises? The whole way, from the calls down to CUDA, on the double of
 * CUDA (tests/doubles/cuda), which stands in because this suite names the device.
 */
#define _GNU_SOURCE
#include "conform.h"
#include "devices/device.h"
#include "misuse.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(cuda_ranks, .timeout = 120);

static void conform(const char *name, void (*part)(struct exam *, int, int), int size, const char *gpus)
{
    struct conform given = { .sparse = false };
    struct exam *exam = exam_new(name, size);
    cr_assert_str_eq(device_cuda.name, "cuda");
    setenv("DEVICE", "cuda", 1);
    setenv("DOUBLE_GPUS", gpus, 1);
    cr_assert(conform_new(&given, size, exam->seed), "no memory for the reference");
    given.sparse = true;
    exam->given = &given;
    bool passed = exam_run(exam, part);
    cr_assert(passed, "%s", exam_words(exam));
    conform_free(&given);
    exam_free(exam);
}

Test(cuda_ranks, collectives_of_four_on_one_gpu)
{
    conform("collectives", conform_world, 4, "1");
}

Test(cuda_ranks, collectives_of_three_on_two_gpus)
{
    conform("collectives", conform_world, 3, "2");
}

Test(cuda_ranks, collectives_where_gpus_do_not_reach_each_other)
{
    setenv("DOUBLE_APART", "1", 1);
    conform("collectives", conform_world, 5, "3");
    conform("sub-groups", conform_groups, 5, "3");
}

Test(cuda_ranks, messages_on_one_gpu)
{
    conform("messages", conform_p2p, 3, "1");
    conform("order", conform_order, 4, "1");
}

Test(cuda_ranks, messages_on_two_gpus)
{
    conform("messages", conform_p2p, 4, "2");
    conform("order", conform_order, 3, "2");
    conform("progress", conform_progress, 2, "2");
}

/* ---- and is a deadlock told? ------------------------------------------------------------------ */

/* The product takes so long that the host sleeps, until CUDA calls it: from then on CUDA has one more thread, without a name. */
static void crossed_sends(int rank, int size)
{
    dist_init_process_group();
    tensor *a = tensor_full(DIST_F32, 1, 400, 400), *b = tensor_zeros(DIST_F32, 400, 400);
    tensor_matmul(b, a, a);
    double item = tensor_item(b, 0);
    dist_send(a, size - 1 - rank);
    dist_recv(b, size - 1 - rank);
    printf("%g %g\n", item, tensor_item(b, 0));
    dist_destroy_process_group();
}

Test(cuda_ranks, a_deadlock_after_a_sleep)
{
    static const char *const words[] = { "ranks 0 and 1 wait for each other", NULL };
    struct misuse_outcome outcome;
    setenv("DOUBLE_GPUS", "1", 1);
    cr_assert(misuse_run(&(struct misuse){ .run = crossed_sends,
                                           .ranks = 2,
                                           .error = DIST_ERR_DEADLOCK,
                                           .file = "test_cuda_ranks.c",
                                           .call = "dist_send",
                                           .words = words,
                                           .device = "cuda" },
                         &outcome),
              "%s\n%s", outcome.wrong, outcome.said);
}
