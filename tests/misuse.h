/*
 * misuse.h: a program that makes a mistake, run as a child, and what it must say and leave behind.
 */
#ifndef TESTS_MISUSE_H
#define TESTS_MISUSE_H

#include "dist.h"

/* What must come of it. */
struct misuse {
    void (*run)(int rank, int size);
    int ranks;
    enum dist_error error; /* also the exit status */
    const char *file; /* the report names a line of this source; NULL: no place, the mistake is outside */
    const char *call; /* and this call */
    const char *const *words; /* and has all of these in it; ends with NULL */
    const char *variable;     /* set for the child: "WORLD_SIZE=0"; may be NULL */
    const char *device;       /* DEVICE for the child; NULL: as it is */
};

/* What came of it, in words for a failed assert. */
struct misuse_outcome {
    int status;
    char said[2000]; /* the child's stderr */
    char wrong[400]; /* what is not as it must be */
};

/* Run it. True: the exit status is right, stderr has one report and it has all that it must have, no process is left and
 * nothing new in /dev/shm. */
bool misuse_run(const struct misuse *misuse, struct misuse_outcome *outcome);

#endif
