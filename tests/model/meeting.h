/*
 * meeting.h: the state of the board's model, shared by its files: board.c has the scenarios, meeting.c the barrier,
 * meeting_cards.c what members write and read between barriers.
 */
#ifndef MODEL_MEETING_H
#define MODEL_MEETING_H

#include "explore.h"
#include "order.h"

#define MEMBERS 3
#define COLLECTIVES 3

/* Faults, in the order of board.c's table. */
enum {
    FINE,
    RESET_LATE,
    ONE_CARD,
    ONE_SLOT,
    PHASE_LATE,
    COUNTS_LATE,
    CARD_LATE,
    NO_LAST_BARRIER,
    NO_LISTENERS,
    LISTENS_LATE,
    NO_STRIKE,
    ARRIVES_RELAXED,
    STRIKES_RELAXED,
    PASSES_RELAXED
};

/* Where a member stands, in the order of a collective. */
enum {
    BEGIN,
    CARD,
    DATA,
    PHASE,
    ARRIVE,
    LATE,
    RESET,
    STRIKE,
    WAKE,
    LATE_RESET,
    LISTENERS,
    RING_LOOK,
    RING,
    PASS,
    COUNT,
    SEEN,
    LAST,
    DOZE,
    ASLEEP,
    UNCOUNT,
    READ_CARD,
    READ_DATA,
    LEAVE,
    OVER
};

struct bell {
    uint8_t rings, sleepers;
};

struct member {
    uint8_t pc;
    uint8_t round;     /* which collective, from 0 */
    uint8_t barrier;   /* which of its barriers, from 0 */
    uint8_t arrivals;  /* at barriers, ever */
    uint8_t phase;     /* to wait for the end of */
    uint8_t seen;      /* its bell's rings before the last look */
    uint8_t counted;   /* it is among the sleepers */
    uint8_t listening; /* it is among the listeners */
    uint8_t at;        /* the member whose card or data it reads, or whose bell it rings */
};

/* Words and places for order.h. */
enum { WORD_ARRIVED = MEMBERS, WORD_PHASE };
#define PLACE_CARD(member, set) ((member)*2 + (set))
#define PLACE_SLOT(member, set) (2 * MEMBERS + (member)*2 + (set))
#define PLACE_TENSOR(member) (4 * MEMBERS + (member))

struct state {
    uint64_t knows[MEMBERS + 2]; /* order.h: the members, then the words `arrived` and the phase's `rings` */
    struct member members[MEMBERS];
    struct bell phase, own[MEMBERS]; /* the board's bell, and each member's */
    uint8_t arrived, listeners;
    uint8_t cards[MEMBERS][2], slots[MEMBERS][2], tensors[MEMBERS]; /* the round they are of, from 1 */
};

/* One member's step. */
struct turn {
    struct step *step;
    struct state *s;
    struct member *me;
    struct bell *bell; /* the one it sleeps on */
    struct order order;
    int i, size;
    bool is_long, listens;
    uint8_t listeners; /* the members that listen, a bit for each */
};

void meeting_tell(struct turn *t, const char *what);
void meeting_check(struct turn *t, bool good, const char *promise);
bool meeting_step(struct turn *t); /* PHASE to UNCOUNT; false: it sleeps */

void card_write(struct turn *t);
void data_write(struct turn *t);
void tensor_write(struct turn *t, uint8_t value);
void read_all(struct turn *t, uint8_t next);

#endif
