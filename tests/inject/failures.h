/* failures.h: what the parts of the test `failures` share: one run of one program, with or without a call that fails. */
#ifndef FAILURES_H
#define FAILURES_H

#include "inject.h"

#include <stdbool.h>
#include <stddef.h>

#define WORDS 8
#define OUTPUT_BYTES 65536

/* What is tried. */
struct subject {
    const char *name;
    const char *program;            /* whose calls fail: the name of its file, without a folder */
    const char *arguments[WORDS];   /* from the program's path on; @ stands for the folder of the run */
    const char *environment[WORDS]; /* NAME=VALUE, likewise */
    const char *file;               /* which it writes in that folder; NULL: none */
    const char *end;                /* with what the file ends if it is whole */
    bool apart;                     /* its ranks may fail before they have met, each by itself */
    bool guesses;                   /* what it cannot read is not there */
};

extern const struct subject subjects[];
extern const int subject_count;

struct run {
    const struct subject *subject;
    char inject[40]; /* as INJECT; empty: nothing fails */
    int status;      /* as a shell tells it: 128 + signal */
    bool late;       /* it did not end */
    int orphans;     /* processes that it left */
    char out[OUTPUT_BYTES], error[OUTPUT_BYTES];
    char file[OUTPUT_BYTES]; /* the last bytes of the subject's file */
    bool has_file;
    char left[200]; /* files that it left, and should not */
};

/* Run once, in an empty folder. */
void run_once(struct run *run, const struct subject *subject, const char *inject);
extern struct ledger *ledger; /* of the last run */

/* What is wrong with a run, in words; NULL: nothing. `good`: the run in which nothing failed. */
const char *judge(const struct run *run, const struct run *good);

#endif
