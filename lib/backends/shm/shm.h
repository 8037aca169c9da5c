/*
 * shm.h: the shared-memory room: ranks on one machine, channels and boards in the world's memory.
 *
 * Two ideas carry everything.
 *
 * A CHANNEL leads from one rank to another: a slot, and behind it a ring of cells. A short message lies in its envelope, a long one is
 * the offset of the sender's tensor, from which the receiver copies once. channel.h has the protocol, and why it is right and quick.
 *
 * A BOARD is where a group meets for collectives: every member pins up a card (what it calls, where its tensor
 * is), a barrier, and then the members work on each other's tensors in place. board.c has the barrier, cards.c what is on
 * a card, plans.c the plan of each collective, and parts.c how the work of a long one is shared out.
 *
 * The ENGINE of a rank (engine.c) owns the rank's open operations. Whoever waits drives it; while nobody does,
 * a helper thread that sleeps until there is news.
 */
#ifndef SHM_H
#define SHM_H

#include "../../backend.h"
#include "../common/match.h"
#include "../../launch/worker.h"
#include "rhythm.h"

#define TICKETS (1u << 18) /* messages of one rank that can be parked at their receivers */
#define NO_TICKET 0x3fffffu
#define CARD_BYTES 40 /* a collective of so much goes through the cards, */
#define SLOT_BYTES \
    (16 << 10) /* more, at most so much, through the board's slots; beyond from tensor to tensor */

/* What became of a message: the low two bits of slot.ack, or the value of a ticket. */
enum verdict { VERDICT_NONE, VERDICT_DONE, VERDICT_PARKED, VERDICT_REFUSED, VERDICT_SHARED = VERDICT_NONE };

/* What a member of a group pins to the board for one collective. */
struct card {
    alignas(WORLD_LINE) _Atomic uint32_t
        arrivals; /* of this member at barriers of the group, ever; written last */
    uint8_t call;
    uint8_t type;
    uint8_t op;
    _Atomic uint8_t core; /* where it ran when it arrived: a hint for those who wait */
    int32_t root;
    uint32_t site;
    uint64_t count; /* elements of one block */
    union {
        struct {
            uint64_t in, out; /* offsets of the tensors; UINT64_MAX: none */
        };
        unsigned char text[CARD_BYTES]; /* or the input itself */
    };
};
_Static_assert(sizeof(struct card) == WORLD_LINE, "a card is one cache line");

/* A member's part of the work of a long plan: parts.c. */
struct part {
    alignas(WORLD_LINE) _Atomic uint32_t taken; /* the number of the long plan in which it was, last */
};

/* Where a group meets. After it come cards[2][size], parts[size], then, from the next page on, slots[2][size] of SLOT_BYTES: two
 * cards and slots, used in turn, so that the next collective can begin while slow members still read the last. Last the
 * members' world ranks. */
#define BOARD_ALIGN 4096 /* a slot begins with a page: who reads one touches no more of them than it must */
struct board {
    alignas(WORLD_LINE) struct bell bell;            /* members that sleep until all have arrived */
    _Atomic uint32_t listeners;                      /* members whose engine waits for that: ring them too */
    _Atomic uint32_t left;                           /* members that have freed the group */
    alignas(WORLD_LINE) _Atomic uint32_t parts_done; /* in all long plans, ever */
};

/* Ops in the order in which they were put in. */
struct queue {
    struct dist_work *first, *last;
};
void queue_add(struct queue *queue, struct dist_work *op);
void queue_remove(struct queue *queue, struct dist_work *op);

/* The room's view of a group. */
struct shm_group {
    struct dist_group *group;
    struct board *board;
    uint32_t seq;        /* collectives begun by this rank */
    uint32_t arrivals;   /* of this rank at barriers */
    uint32_t long_plans; /* that came to their parts */
    uint8_t core;        /* on which it was at the last of them */
    bool at_work;        /* past the barrier of a long plan: it waits until all parts are done */
    int seen;            /* members of whom it knows that they have arrived at the last barrier */
    const void **inputs; /* room for two addresses per member, used by the step that runs */
    void **outputs;
    struct queue queue;     /* collectives in the engine, in call order */
    struct shm_group *next; /* groups with such collectives; or boards waiting to be freed */
};

/* One rank's room. Private; guarded by engine_lock. */
struct shm_room {
    struct launch_self *self;
    struct world *world;
    int rank, size;
    struct callers *callers;   /* by rank: who has ever written to it */
    struct offer *offers;      /* by rank */
    struct arrivals *arrivals; /* by rank: what it was sent, counted (channel.h); by sender and rank: */
    _Atomic uint64_t *stamps;  /* the number of the message in that slot */
    _Atomic uint32_t *tickets; /* size * TICKETS; enum verdict, stamped by receivers */
    size_t eager_bytes;        /* 0: rendezvous */
    unsigned looks;            /* of the quick ways: patience_looks(), */
    struct rhythm rhythm;      /* and when the first of them is; */
    uint32_t spare;            /* the ticket of the next message that goes there; NO_TICKET: none is left */
    struct shm_group world_group;

    struct lock lock; /* where self->alone is over */
    bool stop;        /* tells the helper to end */
    bool hurried;     /* a peer was told that sends wait for a place; the helper has not looked after that */
    bool helper_listens; /* the helper is counted among the sleepers of slot.helper */
    int drivers;         /* threads inside wait */
    int open;            /* operations in the lists below */
    struct worker helper;

    struct peer *peers; /* by rank */
    struct peer *busy, **busy_end;
    struct queue away;                  /* sends whose messages are parked */
    struct match_table posted;          /* receives; none matches an unexpected message */
    size_t posted_any;                  /* those of them that take a message from anybody */
    struct match_table unexpected;      /* messages */
    struct queue copies;                /* receives whose long message (op->aside) is yet to be copied */
    struct unexpected *unexpected_kept; /* to be used again; */
    struct eager *eager_kept[2];        /* those without a page, and with one */
    struct shm_group *groups;           /* those with collectives to drive */
    struct shm_group *retired, **retired_end; /* freed groups whose board others may still use */
    uint32_t free_ticket_count;
    uint32_t tickets_used;          /* those from here on were never taken */
    uint32_t free_tickets[TICKETS]; /* given back; last, since most of it is never touched */
};

static inline struct rank_slot *slot_of(const struct shm_room *room, int rank)
{
    return &room->world->header->slots[rank];
}

/* This rank's own. */
static inline struct rank_notes *notes_of(const struct shm_room *room)
{
    return world_notes(room->world, room->rank);
}

/* ---- engine.c: the open operations of a rank ------------------------------- */

static inline void engine_lock(struct shm_room *room)
{
    if (!solitude_enter(&room->self->alone))
        lock_take(&room->lock);
}
static inline void engine_unlock(struct shm_room *room)
{
    if (atomic_load_explicit(&room->lock.taken,
                             memory_order_relaxed)) /* by us: who is inside alone keeps others away */
        lock_give(&room->lock);
    else
        solitude_leave(&room->self->alone);
}
static inline bool engine_is_shared(const struct shm_room *room)
{
    return atomic_load_explicit(&room->self->alone.over, memory_order_relaxed);
}
bool engine_progress(struct shm_room *room, bool light); /* drive all open ops; light: only what is quick */

/* An op's way in. From enter on the lock is held, until start or refuse (which gives the status); an op that is refused must be in no list. */
int engine_enter(struct shm_room *room, struct dist_work *op, bool background); /* not OK: it was refused */
int engine_refuse(struct shm_room *room, struct dist_work *op, int status, const char *why);
int engine_start(struct shm_room *room, struct dist_work *op); /* it is in the lists: return or wait */
void engine_done(struct shm_room *room, struct dist_work *op,
                 int status);                         /* it is over; no longer in a list */
void engine_drive(struct shm_room *room, int change); /* one more waits, and drives; or one less */
/* Until there is news. It drives nobody meanwhile: those whom `op` waits for may be computing, and their helpers must do that. NULL:
 * the rank is about to leave. */
void engine_sleep(struct shm_room *room, const struct dist_work *op, bool (*look)(void *), void *argument);
bool shm_test(void *room, struct dist_work *op);
int shm_wait(void *room, struct dist_work *op);
void shm_hold(void *room, bool held);
/* Until its asynchronous collectives are over. False: the job has failed before. */
bool engine_await_group(struct shm_room *room, struct shm_group *g);

/* ---- leave.c, groups.c --------------------------------------------------------- */

void shm_leave(void *room);
bool groups_give_lists(struct shm_group *g, int size); /* inputs and outputs */
void groups_free_lists(struct shm_group *g);
int shm_group_new(void *room, struct dist_work *op);
void shm_group_free(void *room, struct dist_group *group);
void groups_close(struct shm_room *room); /* boards that were left to others */

/* ---- helper.c: drives while nobody waits; all with the lock held, but stop ---- */

bool helper_start(struct shm_room *room); /* false: the system gives no thread */
void helper_stop(struct shm_room *room);
void helper_takes_over(struct shm_room *room);
void helper_rests(struct shm_room *room);
void helper_nudge(struct shm_room *room);

/* ---- board.c, cards.c, parts.c: where a group meets ----------------------------- */

size_t board_bytes(int size);
void board_clear(struct board *board, const struct dist_group *group);
static inline struct card *board_card(const struct shm_group *g, int member, uint32_t seq)
{
    struct card *cards = (struct card *)(g->board + 1);
    return &cards[(seq & 1) * (uint32_t)g->group->size + (uint32_t)member];
}
void *board_slot(const struct shm_group *g, int member, uint32_t seq);
void board_approach(struct shm_room *room, struct shm_group *g); /* before the card is touched */
void board_arrive(struct shm_room *room, struct shm_group *g);
void board_ring(struct shm_room *room, const struct shm_group *g); /* it has come true: wake the others */
bool board_deserted(const struct shm_room *room,
                    const struct shm_group *g); /* has one left the job who has not arrived where I stand? */
bool board_passed(struct shm_group *g); /* what this rank waits for: have all arrived, or is all work done? */
bool board_soon(struct shm_group *g);   /* the same, as long as one has patience: without sleeping */
int board_wait(struct shm_room *room, struct shm_group *g, struct dist_work *op);

void card_pin(struct shm_room *room, struct shm_group *g, struct dist_work *op);   /* cards.c */
int cards_check(struct shm_room *room, struct shm_group *g, struct dist_work *op); /* do all agree? */

bool parts_over(const struct shm_group *g); /* parts.c: is the work of the long plan done? */

/* cores.c: a rank at this barrier may change its core. */
void cores_even_out(struct shm_room *room, struct shm_group *g);

uint64_t board_members_offset(const struct shm_room *room,
                              const struct shm_group *g); /* where its world ranks stand */

/* ---- notes.c: what this rank waits for, for others to read --------------------- */

/* Pin up `waited` (NULL: nothing, it is about to leave) and all that is open. `direct`: not in the engine. */
void notes_write(struct shm_room *room, const struct dist_work *waited, bool direct);

/* ---- plans.c, collectives.c: group operations ---------------------------------- */

/* Take the op's next step and arrive at the barrier behind it. True: it was the last, or the cards do
 * not agree (op->status). */
bool plan_step(struct shm_room *room, struct shm_group *g, struct dist_work *op);

bool collective_progress(struct shm_room *room, struct shm_group *g, bool light); /* the first of g's queue */
bool collective_ready(struct shm_group *g); /* the first of g's queue could take a step */
void collective_drop(struct shm_room *room, struct dist_work *op);
bool collective_hopeless(struct shm_room *room,
                         struct shm_group *g); /* somebody has left without it: the first of g's is dropped */

/* ---- the calls (collectives.c) ----------------------------------------------- */

int shm_collective(void *room, struct dist_work *op);

#endif
