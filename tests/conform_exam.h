/*
 * conform_exam.h: run a function on some ranks, and gather what they saw.
 *
 * An assert that fails inside a rank hangs Criterion, so ranks only note their findings, in memory that they
 * share with the test. The test asserts what exam_run says:
 *
 *     struct exam *exam = exam_new("ring", 4);
 *     cr_assert(exam_run(exam, body), "%s", exam_words(exam));
 *     exam_free(exam);
 */
#ifndef TESTS_CONFORM_EXAM_H
#define TESTS_CONFORM_EXAM_H

#include "reference.h"

#include <stdatomic.h>

struct exam {
    const char *name;
    const char *backend; /* NULL: the library's choice */
    int size;            /* how many ranks */
    uint64_t seed;       /* DIST_TEST_SEED, or a new one */
    unsigned seconds;    /* after these a rank ends itself with SIGALRM, and the watcher says in which call */
    bool plain;          /* the body calls init and destroy itself */
    void (*body)(struct exam *exam, int rank, int size);
    const void *given; /* what the body needs to know; made before the start, only read */
    _Atomic uint32_t *
        board; /* 64 words that ranks show each other without the library; in the file EXAM_BOARD if it is set */

    _Atomic uint64_t checks;  /* how many findings, all ranks together */
    _Atomic uint32_t returns; /* ranks that came to the end of the body */
    _Atomic uint32_t faults;  /* findings that are wrong; the first is kept in words */
    char first[512];
    int status; /* what dist_spawn gave */
    char words[768];
};

struct exam *exam_new(const char *name, int size);
void exam_free(struct exam *exam);

/* Start the ranks and wait for their end. True if no finding was wrong, there were findings from every rank, and
 * the job ended with 0. */
bool exam_run(struct exam *exam, void (*body)(struct exam *exam, int rank, int size));
const char *exam_words(const struct exam *exam);

/* A rank's finding. The words are only looked at where it is wrong. Gives `right` back. */
bool exam_check(struct exam *exam, bool right, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* Wait until this word of the board is at least that. */
void exam_await(struct exam *exam, int word, uint32_t number);

/* Another rank's process stands still from now on, until it gets SIGCONT. */
void exam_stop(int pid);

/* The calling rank stays on the first of its cores (0), or the second (1). False: there is none. */
bool exam_stay_on(int which);

#endif
