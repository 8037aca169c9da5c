/*
 * drivers.h: the state of the helper's model, shared by its files: helper.c has the scenarios, drivers_wait.c the
 * ranks' own threads, drivers_help.c the helpers, drivers_walk.c what all threads do under the engine's lock.
 *
 * Two ranks, each with its own thread and perhaps a helper. Of a message only its number is left: the channel's model
 * has the rest. What counts here is who wakes whom.
 */
#ifndef MODEL_DRIVERS_H
#define MODEL_DRIVERS_H

#include "explore.h"

#include <stdint.h>

/* A line of a rank's program. */
enum call { END, SEND, RECV, WAIT_SENDS, WAIT_SEND, WAIT_RECVS, TEST }; /* WAIT_SEND: for the first */

/* What the threads do next. START, OUT: in the program. */
enum {
    /* a rank's own thread */
    START,
    OUT,
    POST_LOCK,
    TEST_LOCK,
    ENTER_LOCK,
    WAIT_DONE,
    WAIT_LOCK,
    WAIT_LOOKED,
    UNLISTEN_LOCK,
    URGE,
    COUNT,
    SEEN,
    LAST_LOCK,
    LAST_LOOKED,
    DOZE,
    ASLEEP,
    UNCOUNT,
    LEAVE_LOCK,
    /* it hands over */
    LISTEN,
    LIGHT_LOOKED,
    LATE_LISTEN,
    ADVANCE,
    UNLOCK,
    /* a helper */
    HELP_LOCK,
    HELP_SEEN,
    HELP_LOOKED,
    HELP_LATE_SEEN,
    HELP_UNLISTEN,
    HELP_LATE_UNLISTEN,
    HELP_DOZE,
    HELP_TICK,
    /* along the open operations */
    WALK_ACK,
    WALK_POST,
    WALK_POST_NOTIFY,
    WALK_RECV,
    WALK_TAKE,
    WALK_TAKEN,
    WALK_COPY,
    WALK_STAMP,
    WALK_STAMPED,
    WALK_END,
    /* the event count of somebody */
    NOTIFY_LOOK,
    NOTIFY_COUNT,
    NOTIFY_WAKE
};

struct eventcount {
    uint8_t count, sleepers;
};

struct thread {
    uint8_t pc;
    uint8_t walk_back, notify_back; /* where to go on after a walk, and after notifying */
    uint8_t eventcount;             /* the event count to notify: a thread's number */
    uint8_t light, moved;           /* of the walk */
    uint8_t seen;                   /* the count before the last look */
};

struct rank {
    uint8_t line;             /* of the program */
    uint8_t lock;             /* 0: free; else the holder's number + 1 */
    uint8_t listens, drivers; /* as in struct shm_state, */
    uint8_t ticks, left;      /* these, too */
    uint8_t waited;           /* what it hands over was open while it waited */
    uint8_t urged;            /* for the fault that urges only once in a wait */
    uint8_t sends, recvs;     /* posted, ever */
    uint8_t sends_done, recvs_done;
    uint8_t taken;            /* messages; `ack` tells of them, or is put off */
    uint8_t copies;           /* long messages taken, not yet being copied */
    uint8_t seq, ack, stamps; /* written by this rank, read by the other */
};

/* Thread 2 * r is rank r's own, 2 * r + 1 its helper; the event count with that number is the one it sleeps on. */
struct state {
    struct rank ranks[2];
    struct thread threads[4];
    struct eventcount eventcounts[4];
};

/* Faults, in the order of helper.c's table. */
enum {
    FINE,
    LISTENS_LATE,
    SEEN_LATE,
    NO_ADVANCE,
    ADVANCE_UNCOUNTED,
    NO_HANDOVER,
    DONE_UNTOLD,
    NEVER_URGES,
    URGES_ONCE,
    LONG_UNTOLD,
    UNLISTENS_UNLOCKED,
    WAITING_UNCOUNTED,
    TICKS_END_UNCOUNTED,
    TICKS_END_UNSEEN,
    PUT_OFF_UNCOUNTED,
    PUT_OFF_LEFT,
    LEFT_UNSEEN
};

/* One thread's step. */
struct turn {
    struct step *step;
    struct state *s;
    struct thread *me;
    struct rank *mine, *other;
    int number, rank;
    bool long_out, long_in; /* are the messages from here, and to here, long? */
    int places;             /* of a channel */
    bool has_helper;
    bool may_tick;        /* the helper of this rank: each look may be one of a burst */
    const uint8_t *lines; /* the rank's program, enum call */
};

static inline int open_of(const struct rank *rank)
{
    return rank->sends + rank->recvs - rank->sends_done - rank->recvs_done;
}

/* Is there anything that somebody of the rank must do? A posted message is its receiver's. */
static inline bool has_work(const struct turn *t)
{
    const struct rank *mine = t->mine;
    return mine->recvs > mine->recvs_done ||
           (mine->sends > mine->seq && t->step->fault != WAITING_UNCOUNTED) ||
           (mine->taken != mine->ack && t->step->fault != PUT_OFF_UNCOUNTED);
}

bool lock(struct turn *t, uint8_t next); /* false: somebody else holds it */
void unlock(struct turn *t);
void notify(struct turn *t, int eventcount, uint8_t back);
void count_helper(struct turn *t, bool listens); /* among its sleepers, or no longer: progress_listen */
bool doze(struct turn *t, uint8_t awake, uint8_t asleep); /* false: it sleeps */
void walk(struct turn *t, bool light, uint8_t back);
bool walk_step(struct turn *t); /* WALK_* and RING_* */
bool help_step(struct turn *t); /* HELP_* */
bool own_step(struct turn *t);  /* the others */
void tell(struct turn *t, const char *what);

#endif
