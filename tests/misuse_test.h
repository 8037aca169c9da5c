/*
 * misuse_test.h: a mistake as a test of its own.
 *
 *     MISUSE(send_to_a_rank_that_is_not_there, 2, DIST_ERR_ARGUMENT, "dist_send", "rank 0: ", "7")
 *     {
 *         if (rank == 0)
 *             dist_send(x, 7);
 *     }
 *
 * reads: 2 ranks run this body; the job must end with DIST_ERR_ARGUMENT and one report, which names dist_send and
 * a line of this file, and has the words in it. The body runs between init and destroy, with a tensor of 4
 * F32; MISUSE_BARE has neither. Every test runs four times, with ranks as processes and as threads, and with tensors on
 * the host and on a simulated GPU, where a mistake may be found later, but is told with the place of the same call.
 *
 * EXAMINED(suite, name) is a Test whose ranks go on after a mistake, and say what they find wrong (conform_exam.h).
 */
#ifndef TESTS_MISUSE_TEST_H
#define TESTS_MISUSE_TEST_H

#include "misuse.h"

#include <stdlib.h>
#include <string.h>

#ifdef MISUSE_BY_NAME /* see transport/misused.c: no tests, but a list of them for ranks that are started by something else */

struct exam;
void misuse_list(const char *name, void (*run)(int rank, int size), int ranks);
void misuse_list_exam(const char *name, void (*test)(void));
bool misuse_exam_run(struct exam *exam, void (*body)(struct exam *exam, int rank, int size));
#define exam_run misuse_exam_run

#define Test(suite, name, ...) static __attribute__((unused)) void suite##_##name(void)
#define cr_assert(condition, ...) ((void)(condition))
#define cr_expect(condition, ...) ((void)(condition))

#define EXAMINED(suite, name) \
    static void suite##_##name(void); \
    __attribute__((constructor)) static void name##_is_listed(void) \
    { \
        misuse_list_exam(#suite "_" #name, suite##_##name); \
    } \
    static void suite##_##name(void)

#define MISUSE_BARE(name, ranks, error, call, ...) \
    static void name(int rank, int size); \
    __attribute__((constructor)) static void name##_is_listed(void) \
    { \
        misuse_list(#name, name, ranks); \
    } \
    static void name(int rank __attribute__((unused)), int size __attribute__((unused)))

#else

#include <criterion/criterion.h>

#define EXAMINED(suite, name) Test(suite, name, .timeout = 60)

#define MISUSE_BARE(name, ranks, error, call, ...) \
    static void name(int rank, int size); \
    Test(misuse, name, .timeout = 60) \
    { \
        static const char *const words[] = { __VA_ARGS__, NULL }; \
        misuse_expect((struct misuse){ name, ranks, error, __FILE__, call, words, NULL, NULL }); \
    } \
    static void name(int rank __attribute__((unused)), int size __attribute__((unused)))

#endif

static inline void misuse_expect_once(struct misuse misuse)
{
    struct misuse_outcome outcome;
    bool right = misuse_run(&misuse, &outcome);
    cr_assert(right, "%s, %s: %s. It said: %s", misuse.variable, misuse.device ? misuse.device : "any device",
              outcome.wrong, outcome.said);
}

/* The cuda backend joins threads, and has tensors where DEVICE says. */
static inline void misuse_expect(struct misuse misuse)
{
    static const char *const modes[] = { "DIST_RANKS=processes", "DIST_RANKS=threads" };
    const char *backend = getenv("BACKEND");
    bool cuda = backend != NULL && strcmp(backend, "cuda") == 0;
    misuse.device = cuda ? NULL : "host";
    if (misuse.variable != NULL) {
        misuse_expect_once(misuse);
        return;
    }
    for (int i = cuda ? 1 : 0; i < (cuda ? 2 : 4); i++) {
        misuse.variable = modes[i % 2];
        misuse.device = cuda ? NULL : i < 2 ? "host" : "sim";
        misuse_expect_once(misuse);
    }
}

#define MISUSE(name, ranks, error, call, ...) \
    static void name##_body(int rank, int size, tensor *x); \
    MISUSE_BARE(name, ranks, error, call, __VA_ARGS__) \
    { \
        dist_init_process_group(); \
        tensor *x = tensor_full(DIST_F32, rank, 4); \
        name##_body(rank, size, x); \
        dist_destroy_process_group(); \
    } \
    static void name##_body(int rank __attribute__((unused)), int size __attribute__((unused)), \
                            tensor *x __attribute__((unused)))

/* A variable that makes no sense, seen by dist_spawn: no rank is started, so there is no line to name. */
#define MISUSE_ENVIRONMENT(name, setting, ...) \
    Test(misuse, name, .timeout = 60) \
    { \
        static const char *const words[] = { __VA_ARGS__, NULL }; \
        misuse_expect((struct misuse){ misuse_idle, 2, DIST_ERR_ENVIRONMENT, NULL, "dist_spawn", words, \
                                       setting, NULL }); \
    }

#endif
