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
 * F32; MISUSE_BARE has neither. Every test runs twice, with ranks as processes and as threads.
 */
#ifndef TESTS_MISUSE_TEST_H
#define TESTS_MISUSE_TEST_H

#include "misuse.h"

#include <criterion/criterion.h>

static inline void misuse_expect(struct misuse misuse)
{
    static const char *const modes[] = { "DIST_RANKS=processes", "DIST_RANKS=threads" };
    bool own_mode = misuse.variable == NULL;
    for (int i = 0; i < (own_mode ? 2 : 1); i++) {
        struct misuse_outcome outcome;
        if (own_mode)
            misuse.variable = modes[i];
        bool right = misuse_run(&misuse, &outcome);
        cr_assert(right, "%s: %s. It said: %s", misuse.variable, outcome.wrong, outcome.said);
    }
}

#define MISUSE_BARE(name, ranks, error, call, ...) \
    static void name(int rank, int size); \
    Test(misuse, name, .timeout = 60) \
    { \
        static const char *const words[] = { __VA_ARGS__, NULL }; \
        misuse_expect((struct misuse){ name, ranks, error, __FILE__, call, words, NULL }); \
    } \
    static void name(int rank __attribute__((unused)), int size __attribute__((unused)))

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
        misuse_expect( \
            (struct misuse){ misuse_idle, 2, DIST_ERR_ENVIRONMENT, NULL, "dist_spawn", words, setting }); \
    }

/* The same, seen by init. */
#define MISUSE_ENVIRONMENT_OF_INIT(name, setting, ...) \
    Test(misuse, name, .timeout = 60) \
    { \
        static const char *const words[] = { "dist_init_process_group", __VA_ARGS__, NULL }; \
        misuse_expect( \
            (struct misuse){ misuse_idle, 2, DIST_ERR_ENVIRONMENT, __FILE__, NULL, words, setting }); \
    }

#endif
