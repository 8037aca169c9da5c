/*
 * shm.h: the shared-memory backend: ranks on one machine, channels and barriers in the world's memory.
 *
 * Two ideas carry everything.
 *
 * A CHANNEL leads from one rank to another: a slot, and behind it a ring of cells. A short message lies in its envelope, a long one is
 * the offset of the sender's tensor, from which the receiver copies once. channel.h has the protocol, and why it is right and quick.
 *
 * A BARRIER is where a group meets for collectives: every member writes its contribution (what it calls, where its tensor
 * is), arrives, and when all have arrived they work on each other's tensors in place. barrier.c has who waits for whom, contributions.c what
 * they bring, plans.c the plan of each collective, and parts.c how the work of a long one is shared out.
 *
 * The ENGINE of a rank (engine.c) owns the rank's open operations. Whoever waits drives it; while nobody does,
 * a progress thread does, which sleeps until there is news.
 */
#ifndef SHM_H
#define SHM_H

#include "../../backend.h"
#include "../common/match.h"
#include "../common/queue.h"
#include "../../launch/worker.h"
#include "rhythm.h"

#define TICKETS (1u << 18) /* sends of one rank that can be open */
#define NO_TICKET 0x3fffffu
#define CONTRIBUTION_BYTES 40         /* a collective of so much travels in the contributions, */
#define SMALL_SLOT_BYTES (1 << 10)    /* more, at most so much, through the barrier's small slots, */
#define BARRIER_SLOT_BYTES (16 << 10) /* or through its others; beyond from tensor to tensor */

/* What became of a message: the low two bits of slot.ack, or the value of a ticket. */
enum verdict { VERDICT_NONE, VERDICT_DONE, VERDICT_BY_TICKET, VERDICT_REFUSED };
#define VERDICT_SHARED VERDICT_NONE

/* What a member of a group brings to one collective. */
struct contribution {
    alignas(WORLD_LINE) _Atomic uint32_t arrivals; /* of this member at the group's barriers; written last */
    uint8_t call;
    uint8_t type;
    uint8_t op;
    _Atomic uint8_t core; /* where it ran when it arrived: a hint for those who wait */
    int16_t root;
    uint8_t listens; /* its engine waits, and sleeps on event counts of its rank: notify these, too */
    uint32_t site;
    uint64_t count; /* elements of one block */
    union {
        struct {
            uint64_t in, out; /* offsets of the tensors; UINT64_MAX: none */
        };
        unsigned char data[CONTRIBUTION_BYTES]; /* or the input itself */
    };
};
_Static_assert(sizeof(struct contribution) == WORLD_LINE, "a contribution is one cache line");

/* A member's part of the work of a long plan: parts.c. */
struct part {
    alignas(WORLD_LINE) _Atomic uint32_t taken; /* the number of the long plan in which it was, last */
};

/* Where a group meets. After it come contributions[sets][size], parts[size], then, from the next page on, slots[2][size] and small_slots[size][sets]:
 * sets, used in turn, so that collectives can begin while slow members still read those before (barrier.c). Last the
 * members' world ranks. */
#define AHEAD 8            /* small collectives of a group at whose barriers a rank may stand at once */
#define CROWD 16           /* members that read each other's slots; more have one that does */
#define BARRIER_ALIGN 4096 /* a slot begins with a page: who reads one touches no more of them than it must */
struct barrier {
    alignas(WORLD_LINE) struct eventcount eventcount; /* members that sleep until all have arrived */
    _Atomic uint32_t left;                            /* members that have freed the group */
    _Atomic uint64_t decided; /* the last monitored_barrier that ended: its number, who knew first how */
    alignas(WORLD_LINE) _Atomic uint32_t parts_done; /* in all long plans, ever */
};

/* So many sets of contributions and of small slots. A crowd's ranks never stand at two barriers: there more sets would be pages for nothing. */
static inline uint32_t barrier_sets(int size)
{
    return size <= CROWD ? 2 * AHEAD : 2;
}

/* The backend's view of a group. */
struct shm_group {
    struct dist_group *group;
    struct barrier *barrier;
    uint32_t seq;           /* the collective whose turn it is, counted from 1; */
    uint32_t arrivals;      /* of this rank at barriers, up to that one's */
    uint32_t long_plans;    /* that came to their parts */
    uint8_t core;           /* on which it was at the last of them */
    bool at_work;           /* past the barrier of a long plan: it waits until all parts are done */
    int seen;               /* members of whom it knows that they have arrived at the last barrier */
    struct op_queue queue;  /* collectives in the engine, in call order */
    struct shm_group *next; /* groups with such collectives; or barriers waiting to be freed */
};

/* One rank's state. Private; guarded by engine_lock. */
struct shm_state {
    struct launch_self *self;
    struct world *world;
    int rank, size;
    struct callers *callers;   /* by rank: who has ever written to it */
    struct offer *offers;      /* by rank */
    struct arrivals *arrivals; /* by rank: what it was sent, counted (channel.h); by sender and rank: */
    _Atomic uint64_t *stamps;  /* the number of the message in that slot */
    _Atomic uint32_t *tickets; /* size * TICKETS; enum verdict, stamped by receivers */
    size_t eager_bytes;        /* 0: rendezvous */
    unsigned looks;            /* of the quick ways: backoff_looks(), */
    struct rhythm rhythm;      /* and when the first of them is; */
    uint32_t spare;            /* the ticket of the next message that goes there; NO_TICKET: none is left */
    struct shm_group world_group;

    _Atomic int home, moves; /* the core of this rank, or -1; how often it went there; */
    _Atomic int64_t away;    /* until when it stays away */

    struct entry entry; /* with self->bias */
    bool guest;         /* the progress thread is in */
    bool stop;          /* tells it to end */
    bool ticks;         /* it looks by itself, and need not be woken; */
    bool left;          /* since it last looked in vain the rank has gone, and left something open */
    bool hurried;       /* a peer was told that sends wait for a place, and the thread has not looked since */
    struct worker progress;
    int64_t woken;          /* its own: when it last woke */
    bool progress_listens;  /* it is counted among the sleepers of slot.progress */
    _Atomic int drivers;    /* threads inside wait */
    int open, posted_sends; /* operations in the lists below, and those of them whose message was posted */
    bool owes;              /* an ack was put off, to a busy peer: its next message is there already */
    unsigned refused;       /* messages that did not fit */

    struct peer *peers; /* by rank */
    struct peer *busy, **busy_end;
    struct op_queue by_ticket;     /* sends whose messages are taken, but not yet copied */
    struct match_table posted;     /* receives; none matches an unexpected message */
    size_t posted_any;             /* those of them that take a message from anybody, */
    unsigned unlooked;             /* and how many were posted since somebody looked for their messages */
    struct match_table unexpected; /* messages */
    struct op_queue copies;        /* receives whose long message (op->aside) is yet to be copied */
    struct unexpected *unexpected_kept;       /* to be used again; */
    struct eager *eager_kept[2];              /* those without a page, and with one */
    struct shm_group *groups;                 /* those with collectives to drive */
    struct shm_group *retired, **retired_end; /* freed groups whose barrier others may still use */
    uint32_t free_ticket_count;
    uint32_t tickets_used;          /* those from here on were never taken */
    uint32_t free_tickets[TICKETS]; /* given back; last, since most of it is never touched */
};

static inline struct rank_slot *rank_slot_of(const struct shm_state *shm, int rank)
{
    return &shm->world->header->slots[rank];
}

/* This rank's own. */
static inline struct rank_notes *notes_of(const struct shm_state *shm)
{
    return world_notes(shm->world, shm->rank);
}

/* ---- leave.c, groups.c --------------------------------------------------------- */

void shm_leave(void *shm);
int shm_group_new(void *shm, struct dist_work *op, struct dist_group *group);
void shm_group_free(void *shm, struct dist_group *group);
void groups_close(struct shm_state *shm); /* barriers that were left to others */

/* ---- barrier.c, contributions.c, parts.c: where a group meets ----------------------------- */

size_t barrier_bytes(int size);
void barrier_clear(struct barrier *barrier, const struct dist_group *group);
static inline uint32_t barrier_set(const struct shm_group *g, uint32_t seq)
{
    return seq & (barrier_sets(g->group->size) - 1);
}
static inline struct contribution *barrier_contribution(const struct shm_group *g, int member, uint32_t seq)
{
    struct contribution *contributions = (struct contribution *)(g->barrier + 1);
    return &contributions[barrier_set(g, seq) * (uint32_t)g->group->size + (uint32_t)member];
}
void *barrier_slot(const struct shm_group *g, int member, uint32_t seq);
void *barrier_small_slot(const struct shm_group *g, int member, uint32_t seq);
void barrier_approach(struct shm_state *shm, struct shm_group *g); /* before the contribution is touched */
void barrier_arrive(struct shm_state *shm, struct shm_group *g);
void barrier_arrive_ahead(struct shm_state *shm, struct shm_group *g, uint32_t seq);
/* It is that one's turn, where this rank has arrived already. */
void barrier_turn(struct shm_group *g, uint32_t seq);
/* All are here, or done. */
void barrier_notify(struct shm_state *shm, const struct shm_group *g, uint32_t seq);
/* Has a member left the job before it arrived at this barrier? */
bool barrier_deserted(const struct shm_state *shm, const struct shm_group *g);
/* What this rank waits for: have all arrived, or is all work done? barrier_soon spins for that, up to the back-off's limit; it never sleeps. */
bool barrier_passed(struct shm_group *g);
bool barrier_soon(struct shm_group *g);
enum whereabouts barrier_where(const struct dist_work *op); /* is who is missing: lock held */
int barrier_wait(struct shm_state *shm, struct shm_group *g, struct dist_work *op, double deadline);
int barrier_timed_out(const struct shm_group *g, struct dist_work *op); /* its status; OK: all have come */

/* contributions.c: what this rank brings; and do all call the same? */
void contributions_write(struct shm_state *shm, struct shm_group *g, const struct dist_work *op);
int contributions_check(struct shm_state *shm, struct shm_group *g, struct dist_work *op);

bool parts_over(const struct shm_group *g); /* parts.c: is the work of the long plan done? */

/* cores.c: which core the caller runs on; before that it may go where this rank is at home. */
void cores_go_home(struct shm_state *shm);
int cores_here(struct shm_state *shm);

/* Where its world ranks stand. */
uint64_t barrier_members_offset(const struct shm_state *shm, const struct shm_group *g);

/* ---- notes.c: what this rank waits for, for others to read --------------------- */

/* Write `waited` (NULL: nothing, it is about to leave) and all that is open. `direct`: not in the engine. */
void notes_write(struct shm_state *shm, const struct dist_work *waited, bool direct);

/* ---- plans.c, collectives.c: group operations ---------------------------------- */

/* Take the op's next step and arrive at the barrier behind it. True: it was the last, or the members do not agree (op->status). */
bool plan_step(struct shm_state *shm, struct shm_group *g, struct dist_work *op);
/* May a rank arrive at its barrier, and at the next one's, before its turn? So where there is one barrier, and the input is small. */
bool plan_runs_ahead(const struct shm_group *g, struct dist_work *op);
/* Does each step take less than to wake a thread for it? */
bool plan_is_short(const struct shm_group *g, struct dist_work *op);

int shm_collective(void *shm, struct dist_work *op);
bool collective_progress(struct shm_state *shm, struct shm_group *g, bool light); /* the first of g's queue */
bool collective_ready(struct shm_group *g); /* the first of g's queue could take a step */
void collective_drop(struct shm_state *shm, struct dist_work *op);
bool collective_may_go(const struct shm_group *g, struct dist_work *op, double deadline); /* or give up */
/* Somebody has left without it: the first of g's is dropped. */
bool collective_hopeless(struct shm_state *shm, struct shm_group *g);

#endif
