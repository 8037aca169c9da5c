/*
 * stress_run.h: a random mix of messages and collectives, the same list of steps on every rank.
 *
 * All ranks throw the same dice, so every send has its receive and every collective all its members: the mix cannot
 * hang unless the library does. Each rank waits, and dawdles, by dice of its own.
 */
#ifndef TESTS_STRESS_RUN_H
#define TESTS_STRESS_RUN_H

#include "conform_exam.h"

#define STRESS_RANKS 16

/* What the steps are to be; exam->given points to it. */
struct stress_plan {
    int steps;
    bool dawdle; /* wait a random small while now and then */
};

void stress_body(struct exam *exam, int rank, int size);

#endif
