/*
 * burst.h: the state of the model of collectives before their turn, shared by its files: burst.c has the scenarios and who may begin,
 * burst_steps.c what a member does.
 */
#ifndef MODEL_BURST_H
#define MODEL_BURST_H

#include "explore.h"
#include "order.h"

#define MEMBERS 3
#define WINDOW 2
#define SETS (2 * WINDOW)

/* Faults, in the order of burst.c's table. */
enum {
    FINE,
    HALF_THE_SETS,
    ONE_FURTHER,
    NO_LOOK_AHEAD,
    LOOKS_AT_TURN,
    KNOWN_KEPT,
    ARRIVES_RELAXED,
    LOOKS_RELAXED,
    WRITES_LATE,
    SHORT_AHEAD,
    BEHIND_SHORT
};

/* Where a member stands. */
enum { IDLE, ARRIVE, LOOK_ALL, LISTENERS, NOTIFY, TURN, READ, SEEN, LAST, DOZE, ASLEEP, UNCOUNT };

struct member {
    uint8_t pc;
    uint8_t through, arrived; /* collectives */
    uint8_t
        known; /* members of whom it knows that they stand at the barrier whose turn it is, itself included */
    uint8_t at;       /* the member that it looks at, or notifies */
    uint8_t notified; /* `count` of its event count has changed since it read it */
};

#define WORD_ARRIVALS(member, set) (MEMBERS + (member)*SETS + (set))
#define PLACE_CONTRIBUTION(member, set) ((member)*SETS + (set))
#define PLACE_SLOT(member, set) (MEMBERS * SETS + (member)*2 + (set))
#define HOLDERS (MEMBERS + MEMBERS * SETS)
#define KNOWN_WORDS 2

struct state {
    uint64_t knows[HOLDERS * KNOWN_WORDS];
    struct member members[MEMBERS];
    uint8_t sleepers[MEMBERS];
    uint8_t arrivals[MEMBERS][SETS];      /* on the contributions; */
    uint8_t contributions[MEMBERS][SETS]; /* and the collective that they are of, from 1 */
    uint8_t slots[MEMBERS][2];
};

/* One member's move. */
struct turn {
    struct step *step;
    struct state *s;
    struct member *me;
    struct order order;
    const char *kinds;
    int i, size;
};

void burst_begin_next(struct turn *t); /* write what it brings to the next one */
bool burst_go_on(struct turn *t);      /* false: it cannot */
void burst_sleep(struct turn *t);

#endif
