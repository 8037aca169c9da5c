/*
 * ringing.h: the state of the bell's model, shared by its two files: bell.c has the sleeper, ringing.c the ringers.
 */
#ifndef MODEL_RINGING_H
#define MODEL_RINGING_H

#include "explore.h"

#include <stdint.h>

#define RINGERS 2

/* Faults, in the order of bell.c's table. */
enum {
    FINE,
    COUNTS_LATE,
    READS_RINGS_LATE,
    LOOKS_FIRST,
    WEAK_NEWS,
    WAKES_FIRST,
    NO_COMPARE,
    NO_LAST_LOOK,
    NO_NAP,
    NAP_EARLY,
    NAP_LATE,
    LIGHT_RINGER_LOOKS_FIRST
};

/* Where the sleeper stands. LOOK, then the steps of bell_sleep; BEFORE and AFTER only where a fault moves the first nap. */
enum { LOOK, BEFORE, COUNT, FIRST_NAP, SEEN, LAST, AFTER, DOZE, ASLEEP, UNCOUNT, OVER };

/* Where a ringer stands: lane_post and bell_ring. */
enum { WRITE, LOOK_SLEEPERS, RING, WAKE };

struct state {
    uint8_t rings, sleepers;       /* the bell */
    uint8_t news[RINGERS];         /* what each ringer has brought, in memory */
    uint8_t buffered[RINGERS];     /* what still stands in its store buffer; 0: nothing */
    uint8_t pc;                    /* the sleeper's */
    uint8_t from;                  /* which ringer's news it looks at next */
    uint8_t moved;                 /* this look has found something */
    uint8_t seen;                  /* `rings` before the last look */
    uint8_t counted;               /* it is among the sleepers */
    uint8_t taken[RINGERS];        /* the news it has seen */
    uint8_t at[RINGERS];           /* the ringers' pc */
    uint8_t brought[RINGERS];      /* the news they have written */
    uint8_t saw_sleepers[RINGERS]; /* what they read there, where a fault makes them look first */
};

int wanted(const struct step *step, int ringer);              /* pieces of news that it is to bring */
bool rings_lightly(const struct step *step, int ringer);      /* its news passes through its store buffer */
bool ringer(struct step *step, struct state *s, int i);       /* ringing.c: a ringer's step */
bool empty_buffer(struct step *step, struct state *s, int i); /* the same for its store buffer */

#endif
