/*
 * notifiers.h: the state of the event count's model, shared by its two files: eventcount.c has the sleeper, notifiers.c the notifiers.
 */
#ifndef MODEL_RINGING_H
#define MODEL_RINGING_H

#include "explore.h"

#include <stdint.h>

#define NOTIFIERS 2

/* Faults, in the order of eventcount.c's table. */
enum {
    FINE,
    COUNTS_LATE,
    READS_COUNT_LATE,
    LOOKS_FIRST,
    WEAK_NEWS,
    WAKES_FIRST,
    NO_COMPARE,
    NO_LAST_LOOK,
    NO_NAP,
    NAP_EARLY,
    NAP_LATE,
    LIGHT_NOTIFIER_LOOKS_FIRST
};

/* Where the sleeper stands. LOOK, then the steps of eventcount_sleep; BEFORE and AFTER only where a fault moves the first nap. */
enum { LOOK, BEFORE, COUNT, FIRST_NAP, SEEN, LAST, AFTER, DOZE, ASLEEP, UNCOUNT, OVER };

/* Where a notifier stands: channel_publish and eventcount_notify. */
enum { WRITE, LOOK_SLEEPERS, COUNT_UP, WAKE };

struct state {
    uint8_t count, sleepers;         /* the event count */
    uint8_t news[NOTIFIERS];         /* what each notifier has brought, in memory */
    uint8_t buffered[NOTIFIERS];     /* what still stands in its store buffer; 0: nothing */
    uint8_t pc;                      /* the sleeper's */
    uint8_t from;                    /* which notifier's news it looks at next */
    uint8_t moved;                   /* this look has found something */
    uint8_t seen;                    /* `count` before the last look */
    uint8_t counted;                 /* it is among the sleepers */
    uint8_t taken[NOTIFIERS];        /* the news it has seen */
    uint8_t at[NOTIFIERS];           /* the notifiers' pc */
    uint8_t brought[NOTIFIERS];      /* the news they have written */
    uint8_t saw_sleepers[NOTIFIERS]; /* what they read there, where a fault makes them look first */
};

int wanted(const struct step *step, int notifier);            /* pieces of news that it is to bring */
bool notifies_lightly(const struct step *step, int notifier); /* its news passes through its store buffer */
bool notifier(struct step *step, struct state *s, int i);     /* notifiers.c: a notifier's step */
bool empty_buffer(struct step *step, struct state *s, int i); /* the same for its store buffer */

#endif
