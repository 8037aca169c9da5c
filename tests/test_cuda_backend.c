/*
 * test_cuda_backend.c: the CUDA room, on simulated GPUs: all that it decides on the host is the same on real ones.
 *
 * What every backend must do is in conform_*.c; here are also host tensors in this room, and random mixes of everything
 * with ranks that dawdle. Mistakes are told as everywhere: test.sh runs the suites about them once more in this room, and the
 * chapters, with their deadlocks.
 */
#define _GNU_SOURCE
#include "chains.h"
#include "conform.h"
#include "hurry.h"
#include "misuse.h"
#include "stress_run.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void on_sim(void)
{
    setenv("BACKEND", "cuda", 1);
    setenv("DEVICE", "sim", 1);
    unsetenv("DIST_RANKS"); /* threads, since the backend says so */
}

TestSuite(cuda_backend, .init = on_sim, .timeout = 200);

/* ---- what every backend must do ---------------------------------------------------------- */

static void conform(const char *name, void (*part)(struct exam *, int, int), int size, bool numbers)
{
    struct conform given = { .sparse = false };
    struct exam *exam = exam_new(name, size);
    cr_assert(!numbers || conform_new(&given, size, exam->seed), "no memory for the reference");
    given.sparse = true;
    exam->given = &given;
    bool passed = exam_run(exam, part);
    cr_assert(passed, "%s", exam_words(exam));
    conform_free(&given);
    exam_free(exam);
}

static void conform_sizes(const char *name, void (*part)(struct exam *, int, int), bool numbers)
{
    static const int sizes[] = { 1, 2, 3, 5, 8 };
    for (int i = hurry() ? 2 : 0; i < (hurry() ? 3 : 5); i++)
        conform(name, part, sizes[i], numbers);
}

Test(cuda_backend, collectives_give_what_the_reference_gives)
{
    conform_sizes("collectives", conform_world, true);
}

Test(cuda_backend, sub_groups_do_too)
{
    conform_sizes("sub-groups", conform_groups, true);
}

Test(cuda_backend, messages_arrive_in_every_pattern)
{
    conform_sizes("messages", conform_p2p, true);
}

Test(cuda_backend, order_tags_and_groups_are_kept)
{
    conform_sizes("order", conform_order, false);
    conform("progress", conform_progress, 2, false);
    conform("progress", conform_progress, 3, false);
}

Test(cuda_backend, messages_with_eager_buffers)
{
    setenv("DIST_BUFFERING", "eager:4096", 1);
    conform_sizes("eager messages", conform_p2p, true);
    conform_sizes("eager order", conform_order, false);
}

Test(cuda_backend, host_tensors)
{
    setenv("DEVICE", "host", 1);
    for (int size = 1; size <= 5; size += 2) {
        conform("collectives of host tensors", conform_world, size, true);
        conform("sub-groups of host tensors", conform_groups, size, true);
        conform("messages of host tensors", conform_p2p, size, true);
        conform("order of host tensors", conform_order, size, false);
    }
    setenv("DIST_BUFFERING", "eager:4096", 1);
    conform("eager messages of host tensors", conform_p2p, 4, true);
    conform("eager order of host tensors", conform_order, 4, false);
}

/* ---- random mixes ------------------------------------------------------------------------ */

/* Several runs, each with a seed and a deadline of its own. */
static void often(const char *name, void (*body)(struct exam *, int, int), int size, int runs,
                  const void *plan)
{
    for (int i = 0; i < runs; i++) {
        struct exam *exam = exam_new(name, size);
        exam->seed += (uint64_t)i;
        exam->seconds = 60;
        exam->given = plan;
        bool passed = exam_run(exam, body);
        cr_assert(passed, "%s", exam_words(exam));
        exam_free(exam);
    }
}

Test(cuda_backend, chains_on_many_streams)
{
    for (int size = 2; size <= CHAINS_RANKS; size += 3) {
        often("chains", chains_body, size, hurry() ? 1 : 4, &(struct chains_plan){ .steps = 300 });
        often("chains, slowly", chains_body, size, 1, &(struct chains_plan){ .steps = 200, .dawdle = true });
    }
    setenv("DIST_BUFFERING", "eager:4096", 1);
    often("eager chains", chains_body, 4, 2, &(struct chains_plan){ .steps = 300 });
}

Test(cuda_backend, a_mix_of_everything)
{
    often("a mix", stress_body, STRESS_RANKS, hurry() ? 1 : 2, &(struct stress_plan){ .steps = 200 });
    often("a slow mix", stress_body, 5, 1, &(struct stress_plan){ .steps = 200, .dawdle = true });
    setenv("DIST_BUFFERING", "eager:4096", 1);
    often("an eager mix", stress_body, 7, 1, &(struct stress_plan){ .steps = 200 });
}

/* The comm thread of the shared-memory backend must do with the same chains. */
Test(cuda_backend, the_same_chains_through_shared_memory)
{
    setenv("BACKEND", "shm", 1);
    often("chains, shm", chains_body, 4, 2, &(struct chains_plan){ .steps = 200 });
}

/* ---- around it ------------------------------------------------------------------------------ */

/* What is done by messages is done on the host: the tensors are brought there, and back. */
Test(cuda_backend, collectives_by_messages)
{
    setenv("DIST_ALGORITHM", "messages", 1);
    conform("collectives by messages", conform_world, 3, true);
    conform("progress by messages", conform_progress, 3, false);
}

static void idle(int rank, int size)
{
    (void)rank, (void)size;
    dist_init_process_group();
    dist_destroy_process_group();
}

static void must_say(const char *setting, const char *word)
{
    const char *const words[] = { word, NULL };
    struct misuse_outcome outcome;
    bool right = misuse_run(&(struct misuse){ .run = idle,
                                              .ranks = 2,
                                              .error = DIST_ERR_ENVIRONMENT,
                                              .call = "dist_spawn",
                                              .words = words,
                                              .variable = setting },
                            &outcome);
    cr_assert(right, "%s: %s. It said: %s", setting, outcome.wrong, outcome.said);
}

Test(cuda_backend, what_cannot_be_is_said_in_one_sentence)
{
    must_say("DIST_RANKS=processes", "joins threads");
    setenv("DEVICE", "cuda", 1);
    must_say("BACKEND=shm", "cannot reach");
}
