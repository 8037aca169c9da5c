/*
 * state.h: what every backend with a transport (transport.h) keeps of its rank: MPI, Gloo. The transport carries bytes; whom they meet is
 * found out here.
 *
 *   open.c      joining and leaving the job        progress.c  each thread that enters drives all open operations; waiting
 *   wire.c      the small messages below           messages.c  sends and receives
 *   near.c      those between ranks of a machine   meet.c      collectives: who has come, and do all say the same?
 *   bundles.c   notes that travel together         collect.c   the transport's part in them
 *   answers.c   taken: now, or with the next note  rest.c      how who waits sleeps
 *   offers.c    long data, beside them; ahead.c: or without, if their receive has begun
 *   leave.c     what is given up, and when         watchdog.c  a look at the job while the transport starts
 *   groups.c    who is in a group, and where       levels.c    that of the ranks of a machine among themselves
 *   meetings.c  who waits for whom in one          inside.c    small ones, in the notes; ring.c: long ones
 *   thread.c    the progress thread                notes.c     what is open, for the watcher
 *
 * A send sends a note first: what it claims (common/claim.h), with the data in it if they are few. The receiver alone does the
 * matching. The transport's own collective runs when all members have come and say the same: since all are sure to begin it, it will end.
 *
 * Ranks of one machine share the world's memory: what they can do in it is not the transport's. DIST_FLAT=1: all goes by the transport.
 *
 * Why a deadlock can be decided, though a transport tells nobody what is on its way: whoever sends a note to a rank of its machine first
 * counts it (transport_rank.coming), then notifies. A rank whose count is not 0, or that has bytes under way, naps, and says so (`timed`);
 * one without sleeps until somebody notifies it. Answers that it keeps back it sends before it sleeps. So if all sleep, nothing is on its
 * way, and nobody will ever notify. Between machines nobody can. There a rank listens in its sleep, and notes are counted for the
 * watchers, who ask each other (launch/decide.c). Data on offer are not under way: who begins to receive them counts that as a note.
 */
#ifndef TRANSPORT_STATE_H
#define TRANSPORT_STATE_H

#include "transport.h"
#include "wire.h"
#include "../common/match.h"
#include "../common/queue.h"
#include "../../launch/worker.h"

#define NAP 100         /* ms after which a sleeper looks whether the job still stands */
#define SHORT_NAP 20000 /* ns, while something is under way; it grows */
#define LONG_NAP 1000000

/* What the ranks of one machine see of each other. It stands in the world's memory. */
struct transport_rank {
    alignas(WORLD_LINE) _Atomic uint32_t coming; /* notes to it that it has not yet read */
    _Atomic uint32_t listens;                    /* 1: nobody of its looks but its progress thread */
    _Atomic uint64_t inbox;    /* notes to it from ranks of its machine, the last one first; */
    _Atomic uint64_t returned; /* and its own, which they have read: near.c */
};

/* op->step: a copy that nobody waits for (DIST_BUFFERING=eager); a collective in two levels, while the transport, or the ring, does its part. */
enum { STEP_ASIDE = 1, STEP_BETWEEN, STEP_RING };

/* A message that no receive has asked for. */
struct unexpected {
    struct match match; /* first */
    int from;
    struct wire wire;
};

struct transport_group {
    void *handle;  /* the transport's; NULL: the world's, or it has none; */
    void *leaders; /* and, for those, of each machine's first member; NULL: it has none */
    uint32_t seq;
    struct dist_work *cut; /* a collective of which the transport has not got all pieces yet */
    int *node_of;          /* places to machines, which are counted as they come in the group; */
    int nodes;             /* so many; */
    int leader, near;      /* the place of this machine's first member; how many members are here */
};

struct transport_state {
    pthread_mutex_t lock;
    const struct transport *transport;
    struct launch_self *self;
    struct rank_slot *slot;
    struct rank_notes *notes;
    struct transport_rank *ranks; /* of all */
    int rank, size;
    bool spread; /* over machines: not all ranks are seen there */
    bool flat;   /* DIST_FLAT=1: everything goes by the transport */
    size_t eager_bytes;

    struct op_queue sends;         /* not answered yet, */
    struct op_queue members;       /* and collectives that not all have come to, */
    struct op_queue held;          /* or that wait until a longer one of their group is with the transport */
    struct match_table posted;     /* receives */
    struct match_table unexpected; /* struct unexpected */
    int posted_any;                /* receives from DIST_ANY_SOURCE */
    struct flights flights;        /* data and collectives that are under way, */
    struct flights notes_out;      /* and notes that the transport may still read; */
    struct bundles bundles;
    struct answers answers;
    struct offers offers;
    int unknown;              /* refusals of data on offer that their sender has not answered */
    struct ahead *ahead;      /* of each rank; NULL: the transport cannot forget a receive; */
    int begun;                /* and from so many one has begun */
    struct wants *wants;      /* wants.h: of each rank */
    struct meeting *meetings; /* meet.h */
    struct dist_group *all;   /* the world, */
    struct transport_group world;
    struct dist_group *forming; /* the group that is being made */
    uint32_t tags, rings;       /* counted, for the tags of what is sent */

    int drivers;            /* threads of the rank that wait here */
    _Atomic uint32_t waits; /* how often one asked for what it had started */
    struct worker progress;
    bool progress_stops, progress_sleeps, progress_naps_long;
    bool rests;                     /* a thread sleeps here that does not nap */
    int64_t nap;                    /* ns: the last one, */
    _Atomic double looked;          /* and when the job was looked at for the last time; */
    int64_t drove;                  /* ns: and what has come, by who started an op */
    _Atomic int modest;             /* so many waits in which it gives way; */
    long switches;                  /* and how often it had lost its core by the last long one */
    uint32_t heard;                 /* notes, where it is spread */
    uint32_t looks;                 /* for them */
    uint64_t near_free, near_taken; /* near.c: notes of its own, and those that it reads now: places there; */
    void *near_memory;              /* and where its own lie */
    uint32_t formed;                /* groups; */
    int64_t last_group;             /* where machines share no list of ids: the number behind the last one, */
    bool ids_held[WORLD_GROUPS];    /* and those of groups that this rank is in */
    int failed;                     /* all was given up with this status, */
    struct why why;
};

/* ns between what belongs together: where a note is the work of two threads of the transport's it takes some 60 us, not 6. */
static inline int64_t transport_soon(const struct transport_state *state)
{
    return state->transport->wakes ? 200000 : 30000;
}

static inline void state_lock(struct transport_state *state)
{
    pthread_mutex_lock(&state->lock);
}
static inline void state_unlock(struct transport_state *state)
{
    pthread_mutex_unlock(&state->lock);
}

/* ---- open.c -------------------------------------------------------------------------------------- */

/* The backend's plug-in, whose environment is prepared. NULL: status and why. */
typedef const struct transport *transport_finder(struct launch_self *self, int *status, struct why *why);
int transport_open(const char *name, transport_finder *find, struct launch_self *self,
                   struct dist_group *world, void **out, struct why *why);
int transport_close(void *state);
int transport_group_new(void *state, struct dist_work *op, struct dist_group *group);
void transport_group_free(void *state, struct dist_group *group);

/* groups.c: state->forming; the op is over. And the world: false: the transport's error, or no memory. */
void transport_form_group(struct transport_state *state, struct dist_work *op);
bool transport_form_world(struct transport_state *state);

/* Open a plug-in. NULL: why it cannot be, in `why`. */
const struct transport *transport_load(const char *name, struct why *why);

/* ---- watchdog.c: around the start of a transport, where no launcher of ours watches the ranks --------------- */

void watchdog_begin(struct launch_self *self);
void watchdog_end(void);

/* ---- progress.c: with the state locked, unless they start or wait ------------------------------------ */

int transport_start(struct transport_state *state, struct dist_work *op,
                    void (*post)(struct transport_state *, struct dist_work *));
int transport_wait(void *state, struct dist_work *op);
bool transport_test(void *state, struct dist_work *op);
void transport_note(void *state, const struct dist_work *op);
bool transport_look_at_job(struct transport_state *state); /* true: it has failed, and all was given up */
bool transport_drive(struct transport_state *state,
                     const struct dist_work *until); /* that is over; true: something moved */
void transport_count_heard(
    struct transport_state *state); /* for the watchers; the caller is awake, and has done what they ask */
bool transport_moves(const struct transport_state *state); /* something may come of which nobody notifies */
void transport_sleep(struct transport_state *state, const struct dist_work *op, bool (*news)(void *),
                     void *argument);
static inline bool transport_flies(const struct transport_state *state)
{
    return state->flights.first || state->notes_out.first;
}
bool transport_is_open(const struct transport_state *state); /* something of this rank's is not over */
bool transport_thread_start(struct transport_state *state);  /* thread.c */
void transport_thread_stop(struct transport_state *state);
void transport_done(struct dist_work *op, int status); /* of a copy that nobody waits for nothing is left */

/* ---- rest.c ----------------------------------------------------------------------------------------- */

/* How one wait spins. */
struct spin {
    struct backoff backoff;
    int64_t until;       /* ns; 0: it never did */
    bool sleeps, yields; /* soon, since it will be notified; after each look */
};
struct spin transport_spin_for(const struct transport_state *state, const struct dist_work *op);
bool transport_spin(struct spin *spin); /* false: it is time to sleep */
void transport_spun(struct transport_state *state, const struct spin *spin);

/* Bytes are under way: whoever sleeps must nap, and look */
bool transport_bytes_move(const struct transport_state *state);
int64_t transport_nap(const struct transport_state *state,
                      int64_t nap); /* ns, of the next nap after this one */
void transport_remind(struct transport_state *state);

/* ---- near.c ------------------------------------------------------------------------------------------ */

bool near_has(const struct transport_state *state, int rank); /* notes to it go through memory */
bool near_send(struct transport_state *state, int peer, const struct wire *wire, size_t bytes,
               const void *data, size_t inside);                            /* false: no memory */
int near_hear(struct transport_state *state, struct wire *wire, int *from); /* bytes; 0: there is none */
void near_close(struct transport_state *state);

/* ---- messages.c ---------------------------------------------------------------------------------------- */

int transport_message(void *state, struct dist_work *op);
void messages_hear(struct transport_state *state, int from, const struct wire *wire);
void messages_forget(struct transport_state *state); /* those that no receive has asked for */

/* ---- meet.c; more in meet.h ------------------------------------------------------------------------------ */

int transport_collective(void *state, struct dist_work *op);

/* ---- collect.c: the transport's part ------------------------------------------------------------------------------ */

enum dist_type collect_type(const struct dist_work *op); /* in which it adds up; */
size_t collect_bytes(const struct dist_work *op);        /* and of a block in that */
bool collect_shares(const struct dist_work *op);         /* its tensors overlap */
void collect_start(struct transport_state *state, struct dist_work *op);
void collect_want_memory(struct transport_state *state,
                         struct dist_work *op); /* in vain: all has failed; NULL: without it */
void collect_begin(struct transport_state *state, struct dist_work *op);  /* its first piece, or it waits */
void collect_landed(struct transport_state *state, struct dist_work *op); /* the next one; or all are done */
/* What was added up becomes what the tensors are to have, where it is, or in `to` if their type is another: where it then is. */
void *collect_settle(const struct dist_work *op, void *result, void *to);

/* notes.c: what this rank waits for, for others to read (launch/note.h). */
void transport_notes_write(struct transport_state *state, const struct dist_work *waited);

/* ---- leave.c ---------------------------------------------------------------------------------------------- */

void transport_fail(struct transport_state *state, int status, const char *why); /* everything is given up */
void transport_broken(struct transport_state *state, const char *what);          /* the transport is */
void transport_leave(void *state);

/* The calls of every backend with a transport, but open and name. all_to_all goes by messages (algorithms/), as does a barrier that gives up;
 * but whoever calls one meets those who call something else. */
#define TRANSPORT_CALLS \
    .leave = transport_leave, .close = transport_close, .group_new = transport_group_new, \
    .group_free = transport_group_free, .send = transport_message, .recv = transport_message, \
    .collective = transport_collective, .leaves = 1u << CALL_ALL_TO_ALL | 1u << CALL_MONITORED_BARRIER, \
    .meet = transport_collective, .test = transport_test, .wait = transport_wait, .note = transport_note

#endif
