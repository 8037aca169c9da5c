/*
 * test_nccl_cuda.c: the nccl backend on the CUDA device: both are the real ones, over a double of NCCL and one of CUDA at once. A kernel
 * of NCCL holds up its GPU until the other ranks' kernels are there, and CUDA's calls for memory wait for the GPU.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>

#include "conform.h"
#include "doubles/nccl/double.h"
#include "doubles/nccl/told.h"
#include "hurry.h"
#include "misuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A GPU for each rank, of up to 4. */
static void set_up(void)
{
    told_play();
    setenv("DEVICE", "cuda", 1);
    setenv("DOUBLE_GPUS", "4", 1);
    setenv("DIST_TIMEOUT", "60", 1);
    double_play(&(struct double_script){ .moves = true, .gpu = &double_cuda });
}

TestSuite(nccl_cuda, .timeout = 120, .init = set_up);

static void conform_on(const char *name, void (*part)(struct exam *, int, int), int size)
{
    struct conform given = { .sparse = false };
    struct exam *exam = exam_new(name, size);
    ref_narrow_averages = true;
    cr_assert(conform_new(&given, size, exam->seed), "no memory for the reference");
    given.sparse = true;
    exam->backend = "nccl";
    exam->given = &given;
    bool passed = exam_run(exam, part);
    cr_assert(passed, "%s", exam_words(exam));
    conform_free(&given);
    exam_free(exam);
}

static void conform_sizes(const char *name, void (*part)(struct exam *, int, int))
{
    for (int size = hurry() ? 3 : 1; size <= (hurry() ? 3 : 4); size++)
        conform_on(name, part, size);
}

Test(nccl_cuda, collectives)
{
    conform_sizes("collectives", conform_world);
}

Test(nccl_cuda, collectives_in_groups)
{
    conform_sizes("groups", conform_groups);
}

Test(nccl_cuda, messages)
{
    conform_sizes("messages", conform_p2p);
}

Test(nccl_cuda, order_tags_and_groups)
{
    conform_sizes("order", conform_order);
}

Test(nccl_cuda, progress_while_ranks_compute)
{
    conform_on("progress", conform_progress, 2);
}

Test(nccl_cuda, tensors_of_the_host_and_eager_buffers)
{
    setenv("DIST_BUFFERING", "eager:4096", 1);
    conform_on("messages, eager", conform_p2p, 3);
    setenv("DIST_CHECK", "1", 1);
    conform_on("order, checked", conform_order, 3);
}

/* ---- calls that wait for a GPU which waits for another rank -------------------------------------------- */

/* Rank 0's kernel waits for rank 1's; and rank 0 for its GPU, in a call for memory. Rank 1 must still be able to launch. */
static void memory_meanwhile(struct exam *exam, int rank, int size)
{
    for (int turn = 0; turn < 3; turn++) {
        tensor *x = tensor_full(DIST_F32, rank + 1, 1000);
        if (rank == turn % size)
            usleep(100000);
        dist_work *work = dist_all_reduce(x, .async_op = true);
        tensor *large = tensor_full(DIST_F32, 7, (9 + turn * 6) << 20); /* more than any piece has left */
        dist_wait(work);
        exam_check(exam, tensor_item(x, 999) == size * (size + 1) / 2.0, "the sum is %g",
                   tensor_item(x, 999));
        exam_check(exam, tensor_item(large, 5) == 7, "the memory holds %g", tensor_item(large, 5));
        tensor_free(large);
        tensor_free(x);
    }
}

/* NCCL gets what is asked for when it is asked for: so one rank's kernel is there long before the other's. */
Test(nccl_cuda, memory_is_asked_for_while_a_kernel_waits_for_another_rank)
{
    setenv("DIST_NCCL_PLAIN", "1", 1);
    told_good("memory", memory_meanwhile, 2);
    told_good("memory", memory_meanwhile, 4);
}

Test(nccl_cuda, and_what_is_agreed_on_does_so_too)
{
    told_good("memory", memory_meanwhile, 3);
}

/* ---- CUDA refuses ----------------------------------------------------------------------------------- */

static void sums(int rank, int size)
{
    dist_init_process_group();
    for (int turn = 0; turn < 4; turn++) {
        tensor *x = tensor_full(DIST_F32, rank + 1, 1000);
        dist_all_reduce(x);
        double sum = tensor_item(x, 999);
        if (sum != size * (size + 1) / 2.0)
            fprintf(stderr, "wrong: the sum is %g\n", sum);
        tensor_free(x);
    }
    dist_destroy_process_group();
}

/* What stands before an operation in its stream, and behind it. */
Test(nccl_cuda, what_cuda_refuses_is_told_and_no_sum_is_wrong)
{
    static const char *const calls[] = { "cudaStreamWaitEvent", "cudaEventRecord" };
    static const char *const words[] = { "GPU ", "some error (CUDA error 999)", NULL };
    setenv("BACKEND", "nccl", 1);
    setenv("DIST_RANKS", "threads", 1);
    setenv("DOUBLE_ERROR", "999", 1);
    for (int i = 0; i < 20; i++) {
        char variable[64];
        snprintf(variable, sizeof variable, "DOUBLE_FAIL=%s %d", calls[i % 2], i / 2 + 1);
        struct misuse misuse = {
            .run = sums, .ranks = 2, .error = DIST_ERR_SYSTEM, .words = words, .variable = variable
        };
        struct misuse_outcome outcome;
        bool told = misuse_run(&misuse, &outcome),
             not_reached = outcome.status == 0 && !strstr(outcome.said, "wrong: ");
        cr_expect(told || not_reached, "%s: %s. It said: %s", variable, outcome.wrong, outcome.said);
    }
}
