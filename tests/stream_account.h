/*
 * stream_account.h: what stream_clocks.c and stream_missing.c know of the streams of a program.
 *
 * A stream's touches are numbered. `known[s][t]`: all that is put into s from now on comes behind touch number so of t;
 * `host[t]`: so does all that is put in anywhere. A work in flight is behind what its stream knew when it was started.
 */
#ifndef TESTS_STREAM_ACCOUNT_H
#define TESTS_STREAM_ACCOUNT_H

#include "stream_program.h"

#define FLIGHTS 8

/* Who has touched a grain last. Numbers begin with 1; 0: nobody. */
struct grain {
    int writer, written;
    int read[STREAMS];
};

/* A work that was not waited for. */
struct flight {
    int step;
    bool any;  /* a receive from anybody: whoever waits for it, the host waits, too */
    bool over; /* the host knows that it is */
    struct part part;
    int behind[STREAMS];
};

/* One rank's account. */
struct account {
    int known[STREAMS][STREAMS], host[STREAMS];
    int events[EVENTS][STREAMS];
    struct grain grains[TENSORS][GRAINS];
    struct flight flights[FLIGHTS];
    int in_flight;
};

struct clocks {
    struct account accounts[RANKS];
};

/* stream_missing.c: a work that must be waited for before this touch, NULL: none; and a stream, -1: none. */
const struct flight *flight_in_the_way(const struct account *a, struct place place, bool writes);
int stream_in_the_way(const struct account *a, int stream, struct place place, bool writes);

#endif
