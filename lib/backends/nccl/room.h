/*
 * room.h: the NCCL room: one GPU a rank, any number of machines. NCCL moves the data.
 *
 *   nccl.c      the table of calls                           collect.c which NCCL call does which collective
 *   library.c   finds libnccl when it is first needed        words.c   NCCL's errors as ours
 *   open.c      joining and leaving                          address.c how ranks on several machines find each other
 *   groups.c    a communicator for each group
 *   launch.c    given to NCCL, several messages together
 *   watch.c     FLYING, it is NCCL's: is it OVER (op->done), has it failed, has it taken too long?
 *
 * All ranks on one machine: what they do is agreed on before NCCL gets it.
 *   agree.h      where, and why that never stands still; agree.c, agree.c, leave.c
 *   progress.c     from the call to NCCL, also while the program computes; notes.c: what it waits for, for the watcher
 *   host.c      tensors of the host, which NCCL does not reach; aside.c: short messages, where sends return early
 * So the room keeps all that dist.h promises, but that reductions are in NCCL's order, and of F16 and BF16 rounded at every
 * step: the same bits on all ranks, but not those of the other backends.
 *
 * Ranks on several machines (or DIST_NCCL_PLAIN=1): NCCL gets what is asked for, as it is asked for. It promises less:
 *   - it sends no tags: between two ranks of a group the n-th send meets the n-th receive;
 *   - what two ranks do together they must begin in the same order on both, also across groups: each has one stream;
 *   - nobody can receive from DIST_ANY_SOURCE, and tensors of the host stay where they are: both are errors;
 *   - sends and receives that follow each other directly are PUT OFF, and launched as one ncclGroup when somebody waits, asks,
 *     or wants something else: then two ranks which both isend, irecv and wait do not block each other's stream. They
 *     move only once the program comes back into the library.
 * A job that hangs is ended by DIST_TIMEOUT (600 s). With DIST_CHECK=1 (check.c, far.c) a tag, type or count that does not fit
 * is reported; without, NCCL truncates in silence, or hangs. common/claim.c has the words.
 *
 * A rank gives its NCCL calls to one stream. An op starts behind op->ready, and op->gate opens behind it.
 */
#ifndef NCCL_ROOM_H
#define NCCL_ROOM_H

#include "library.h"
#include "../../backend.h"
#include "../common/queue.h"
#include "../../devices/device.h"

#include <pthread.h>

struct nccl_shared;
struct table_entry;
struct table;

struct nccl_group {
    ncclComm_t comm; /* NULL: aborted, or not yet made */
    struct nccl_room *room;
    bool broken, ends; /* its end could not be begun; a thread of its own waits for it */
    pthread_t end;
    _Atomic bool ended;
    struct dist_group *group;
    uint32_t seq;     /* collectives that were shown */
    int32_t *members; /* within a machine: its world ranks, for whoever reads the notes; NULL: the world */
    struct nccl_group *next;
};

/* One rank's room. Its own thread comes in, and where memory is shared its progress thread: one at a time. */
struct nccl_room {
    pthread_mutex_t lock; /* taken before the shared one, and that of the device */
    const struct nccl_calls *nccl;
    struct launch_self *self;
    struct rank_slot *slot;
    struct rank_notes *notes;
    int rank, size;
    bool spread;                /* over machines: the world's memory reaches only this rank */
    bool checked;               /* DIST_CHECK=1 */
    bool lazy;                  /* DIST_CONNECT=lazy: NCCL makes its connections when they are first used */
    size_t eager_bytes;         /* DIST_BUFFERING; 0: rendezvous */
    double limit;               /* DIST_TIMEOUT: seconds that the host waits for one and the same op */
    bool plain;                 /* DIST_NCCL_PLAIN=1 */
    struct nccl_shared *shared; /* NULL: spread or plain */
    struct table *table;        /* stands behind it */

    const struct device *device;
    void *state;
    struct stream *stream; /* where NCCL works */
    void *scratch;         /* a byte for each rank, twice: for barriers and connections */

    struct nccl_group world, poor, *groups,
        *retired;               /* retired: freed, or never quite made; NCCL is not yet done with them */
    struct dist_group *forming; /* the group that is being made */
    struct op_queue off;        /* nothing shared: put off */
    struct op_queue posted, shown, agreed; /* else: progress.c */
    struct op_queue flying;
    double agreed_since; /* when `agreed` was last empty */
    bool asked;          /* has somebody asked for an op since the last message was posted? */
    unsigned asks;       /* nothing shared: how often */
    uint32_t tickets;    /* numbers the ops: op->ticket */
    pthread_t progress;
    bool progress_runs, progress_stops;

    uint32_t oldest;     /* the op that the host was last seen to wait for, */
    double waited, seen; /* how long, and when that was */
    int failed;          /* everything was aborted with this status, */
    char why[200];       /* for this reason */
};

static inline void room_lock(struct nccl_room *room)
{
    if (room->shared)
        pthread_mutex_lock(&room->lock);
}

static inline void room_unlock(struct nccl_room *room)
{
    if (room->shared)
        pthread_mutex_unlock(&room->lock);
}

/* ---- open.c, groups.c ------------------------------------------------------------------ */

int nccl_open(struct launch_self *self, struct dist_group *world, void **out, char *why, size_t why_size);
void nccl_leave(void *room);
int nccl_close(void *room);
int nccl_group_new(void *room, struct dist_work *op);
void groups_split(struct nccl_room *room, struct dist_work *op); /* make room->forming; the op is over */
void nccl_group_free(void *room, struct dist_group *group);
ncclConfig_t nccl_config(void);
void groups_sweep(struct nccl_room *room, bool all); /* give back retired groups; all: wait for each */
void groups_abort(struct nccl_room *room);           /* all of them, and the world's communicator */

/* address.c: set NCCL_COMM_ID, by which ranks on several machines find rank 0. Status, with a sentence in why. */
int address_set(const struct launch_env *env, char *why, size_t why_size);

/* ---- words.c --------------------------------------------------------------------------- */

ncclDataType_t nccl_type(enum dist_type type);
ncclRedOp_t nccl_op(enum dist_op op);

/* Inside a group and without blocking, a call may also say that it is in progress. */
static inline bool went_well(ncclResult_t result)
{
    return result == ncclSuccess || result == ncclInProgress;
}

/* What an NCCL error is in our terms: the status, and a sentence that goes before the advice for it. */
int nccl_explain(const struct nccl_calls *nccl, ncclResult_t result, char *why, size_t why_size);

/* Why the job has failed, as other ranks or the watcher have noted it. */
int nccl_job_failed(const struct nccl_room *room, char *why, size_t why_size);

/* ---- collect.c ------------------------------------------------------------------------- */

/* Makes the NCCL calls of one op, inside a group. */
typedef ncclResult_t nccl_caller(struct nccl_room *room, const struct dist_work *op);
extern nccl_caller *const nccl_callers[CALL_COUNT];

/* ---- launch.c -------------------------------------------------------------------------- */

/* On one machine: it was agreed on. Launch what is due: true, something was. Until then it may take so many seconds. */
void launch_later(struct nccl_room *room, struct dist_work *op);
bool launch_agreed(struct nccl_room *room);
double launch_wait_left(const struct nccl_room *room);

/* Nothing shared: put it off; and launch what was put off. */
int launch_put_off(struct nccl_room *room, struct dist_work *op);
void launch_flush(struct nccl_room *room);

/* Launch one more op behind all others. */
int launch_now(struct nccl_room *room, struct dist_work *op, nccl_caller *call);

/* The op is over before it was launched. Gives the status. */
int launch_refuse(struct nccl_room *room, struct dist_work *op, int status);

static inline ncclComm_t comm_of(const struct dist_work *op)
{
    return ((const struct nccl_group *)op->group->room)->comm;
}

static inline int place_in(const struct dist_group *group, int rank)
{
    int i = 0;
    while (group->ranks[i] != rank)
        i++;
    return i;
}

/* ---- watch.c --------------------------------------------------------------------------- */

/* NCCL does what it is asked in the background: wait until it has. `seconds` 0: DIST_TIMEOUT. */
int watch_settle(struct nccl_room *room, ncclComm_t comm, double seconds, char *why, size_t why_size);

/* Take note of what is over; then also look for errors and time limits. */
void watch_progress(struct nccl_room *room);
void watch_look(struct nccl_room *room);

/* Sleep until there is news, pinning up what is open; `op` is waited for. */
void watch_sleep(struct nccl_room *room, const struct dist_work *op, bool (*news)(void *), void *argument,
                 bool timed);

/* The host waits until the op is over, or everything has failed. `deadline` 0: none but DIST_TIMEOUT. The room is not
 * locked. */
int watch_wait(struct nccl_room *room, struct dist_work *op, double deadline);

/* Each op that is not over ends with this status. */
void watch_fail(struct nccl_room *room, int status, const char *why);

/* ---- agree.c, progress.c, notes.c, leave.c: within a machine ---------------------------------- */

/* Rank 0 lays out what is shared, with the id that leads to it; the others wait for that. */
int agree_open(struct nccl_room *room, ncclUniqueId *id, double seconds, char *why, size_t why_size);

/* Post an op; and wait for it. */
int progress_post(struct nccl_room *room, struct dist_work *op);
int progress_wait(struct nccl_room *room, struct dist_work *op, double deadline);

void progress_stop(struct nccl_room *room);
bool progress_drive(
    struct nccl_room *room); /* what can be done, with the room locked. True: something moved */

/* What this rank waits for, for others to read; with the room locked. */
void nccl_notes_write(struct nccl_room *room, const struct dist_work *waited);

/* Give up a collective, after its time. Gives how many have not come, and who, as a list. */
int leave_meeting(struct nccl_room *room, struct dist_work *op, char *list, size_t size);

/* Wait until nobody needs anything of this rank any more. */
void leave_wait(struct nccl_room *room);

#endif
