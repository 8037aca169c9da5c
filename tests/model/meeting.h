/*
 * meeting.h: the state of the barrier's model, shared by its files: barrier.c has the scenarios, meeting.c the barrier,
 * meeting_parts.c the parts of a long plan, meeting_contributions.c what members write and read.
 */
#ifndef MODEL_MEETING_H
#define MODEL_MEETING_H

#include "explore.h"
#include "order.h"

#define MEMBERS 3
#define CROWD 2

/* Faults, in the order of barrier.c's table. */
enum {
    FINE,
    ONE_CARD,
    ONE_SLOT,
    CARD_LATE,
    LOOKS_FIRST,
    ARRIVES_RELEASE,
    ONE_RINGS,
    COUNTS_LATE,
    EQUAL_ONLY,
    NO_FIRST_BARRIER,
    NO_END_OF_PARTS,
    CROWD_IN_ONE,
    NO_LISTENERS,
    LISTENS_LATE,
    ARRIVES_RELAXED,
    LOOKS_RELAXED,
    PART_UNLOOKED,
    PART_IN_TWO,
    PART_FREED,
    COUNTS_BEFORE_WORK,
    COUNTS_RELAXED,
    LAST_PART_SILENT
};

/* Where a member stands, in the order of a collective. */
enum {
    CARD,
    DATA,
    LOOK_EARLY, /* only where a fault looks before it arrives */
    ARRIVE,
    LATE, /* only where a fault writes the contribution there */
    LOOK,
    SLEEPERS,
    NOTIFY_ALL,
    NOTIFY_LOOK,
    NOTIFY,
    AGAIN,
    COUNT,
    SEEN,
    LAST,
    DOZE,
    ASLEEP,
    UNCOUNT,
    READ_CARDS,
    TAKE_PART,
    KEEP_PART, /* only where a fault takes it in two steps */
    READ_DATA,
    WRITE_DATA,
    COUNT_PARTS,
    READ_RESULT,
    LEAVE,
    OVER
};

/* What a collective does: see plans.c. */
enum kind {
    SHORT = 's', /* slots are read after one barrier */
    LONG = 'l',  /* whoever takes a part reads that slice of all tensors and writes it to all */
    CROWDS =
        'c' /* the first of each crowd adds up its crowd's slots in its own, and after a second barrier all read those */
};

struct member {
    uint8_t pc;
    uint8_t round;             /* which collective, from 0 */
    uint8_t barrier;           /* which of its waits, from 0 */
    uint8_t arrivals;          /* at barriers, ever */
    uint8_t known;             /* members of whom it knows that they have arrived, itself included */
    uint8_t notified;          /* `count` of its event count has changed since it read it */
    uint8_t counted;           /* it is among the sleepers */
    uint8_t at;                /* the member whose event count it notifies, or whose part it does */
    uint8_t long_plans, parts; /* so many; and of this one, so many done */
};

/* Words and places for order.h. */
#define WORD_ARRIVALS(member, set) (MEMBERS + (member)*2 + (set))
#define PLACE_CONTRIBUTION(member, set) ((member)*2 + (set))
#define PLACE_SLOT(member, set) (2 * MEMBERS + (member)*2 + (set))
#define PLACE_TENSOR(member, slice) (4 * MEMBERS + (member)*MEMBERS + (slice))
#define WORD_PARTS (3 * MEMBERS)
#define HOLDERS (3 * MEMBERS + 1)
#define KNOWN_WORDS 2

struct state {
    uint64_t knows
        [HOLDERS *
         KNOWN_WORDS]; /* order.h: the members, then the contributions' words `arrivals`, then `parts_done` */
    struct member members[MEMBERS];
    uint8_t sleepers, own_sleepers[MEMBERS]; /* on the barrier's event count, and on each member's */
    uint8_t arrivals[MEMBERS][2];            /* on the contributions */
    uint8_t taken[MEMBERS], parts_done;
    uint8_t buffered[MEMBERS],
        into[MEMBERS];                 /* a count that still stands in its store buffer, and for which set */
    uint8_t contributions[MEMBERS][2]; /* the round they are of, from 1; */
    uint8_t listens[MEMBERS][2];       /* and whether their member listens */
    uint8_t slots[MEMBERS][2];         /* also | SUM, after the first of a crowd has added it up */
    uint8_t tensors[MEMBERS][MEMBERS]; /* in slices; | SUM after the result was written */
};
#define SUM 0x80

/* One member's step. */
struct turn {
    struct step *step;
    struct state *s;
    struct member *me;
    uint8_t *sleepers; /* of the event count on which it sleeps */
    struct order order;
    int i, size;
    enum kind kind;
    bool listens;
    bool alone;        /* on its core: it does no part but its own */
    uint8_t listeners; /* the members that listen, a bit for each */
};

void meeting_tell(struct turn *t, const char *what);
void meeting_check(struct turn *t, bool good, const char *promise);
void meeting_drain(struct state *s, int i); /* a member's store buffer reaches memory */
bool meeting_step(struct turn *t);          /* LOOK_EARLY to UNCOUNT; false: it sleeps */
void parts_step(struct turn *t);            /* of a long plan, TAKE_PART to COUNT_PARTS */
bool parts_over(struct turn *t);
int contribution_set(const struct turn *t); /* of the two sets, the one in use */

void contribution_write(struct turn *t);
bool contribution_listens(struct turn *t, int member);
void data_write(struct turn *t);
void contributions_read(struct turn *t);
void work_read(struct turn *t);
void work_write(struct turn *t);
void result_read(struct turn *t);
void tensor_overwrite(struct turn *t);

#endif
