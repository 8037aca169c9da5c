/*
 * chains.h: random chains of calls on several streams of every rank, which nobody on the host waits for until the end.
 *
 * All ranks throw the same dice. What a lane (a stream, and a tensor that only it touches) holds after every step, each
 * rank can work out for all ranks: so at the end it knows what its own must hold. The steps come in one order, and each lane
 * takes its part of them in that order: so no chain can hang unless the library does.
 */
#ifndef TESTS_CHAINS_H
#define TESTS_CHAINS_H

#include "conform_exam.h"

#define CHAINS_RANKS 8

/* What the chains are to be; exam->given points to it. */
struct chains_plan {
    int steps;
    bool dawdle; /* the hosts sleep now and then, and the GPUs have much to do */
};

void chains_body(struct exam *exam, int rank, int size);

#endif
