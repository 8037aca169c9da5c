/*
 * state.h: the NCCL backend: one GPU a rank, any number of machines. NCCL moves the data.
 *
 *   nccl.c      the table of calls                           collect.c which NCCL calls do an op
 *   library.c   finds libnccl when it is first needed        launch.c  gives ops to NCCL, several messages together
 *   open.c      joining and leaving
 *   groups.c    an NCCL communicator for each group
 *   watch.c     of ops given to NCCL (`flying`): are they over (op->done), have they failed, have they taken too long?
 *
 * All ranks on one machine: two ranks agree on an op before NCCL gets it, so the backend keeps all that dist.h promises. Only
 * reductions are in NCCL's order, and of F16 and BF16 rounded at every step: the same bits on all ranks, but not those of
 * the other backends.
 *   agree.h      how, and why it cannot deadlock; agree.c, match_table.c, leave.c
 *   progress.c   from the call to NCCL, also while the program computes; what it waits for, for the watcher
 *   host.c       tensors of the host, which NCCL does not reach; eager.c: short messages, where sends return early
 *
 * Ranks on several machines (or DIST_NCCL_PLAIN=1): NCCL gets what is asked for, as it is asked for. It promises less:
 *   - it sends no tags: between two ranks of a group the n-th send meets the n-th receive;
 *   - what two ranks do together they must begin in the same order on both, also across groups: each has one stream;
 *   - nobody can receive from DIST_ANY_SOURCE, and tensors of the host stay where they are: both are errors;
 *   - sends and receives that follow each other directly are put off, and launched as one ncclGroup when somebody
 *     waits, asks, or wants something else: then two ranks which both isend, irecv and wait do not block each other's
 *     stream. They move only once the program comes back into the library.
 * DIST_TIMEOUT (600 s) ends a job that hangs. With DIST_CHECK=1 (check.c) a tag, type or count that does not fit is
 * reported; without, NCCL truncates in silence, or hangs.
 *
 * A rank gives its NCCL calls to one stream. An op starts behind op->ready, and op->gate opens behind it.
 */
#ifndef NCCL_STATE_H
#define NCCL_STATE_H

#include "library.h"
#include "../../backend.h"
#include "../common/queue.h"
#include "../../devices/device.h"
#include "../../launch/worker.h"

struct nccl_shared;

struct nccl_group {
    ncclComm_t comm; /* NULL: aborted, or not yet made */
    struct nccl_state *nccl;
    bool broken;       /* its end could not be begun */
    struct worker end; /* waits for it */
    _Atomic bool ended;
    struct dist_group *group;
    struct nccl_group *next;
};

/* What the backend keeps for one rank. The rank's own thread comes in, and where memory is shared its progress thread: one at a time. */
struct nccl_state {
    pthread_mutex_t lock; /* taken before the shared one, and that of the device */
    const struct nccl_calls *calls;
    struct launch_self *self;
    int rank, size;
    bool spread;                /* over machines: the world's memory reaches only this rank */
    bool checked;               /* DIST_CHECK=1 */
    bool lazy;                  /* DIST_CONNECT=lazy: NCCL makes its connections when they are first used */
    size_t eager_bytes;         /* DIST_BUFFERING; 0: rendezvous */
    double limit;               /* DIST_TIMEOUT: seconds that the host waits for one and the same op */
    bool plain;                 /* DIST_NCCL_PLAIN=1 */
    struct nccl_shared *shared; /* NULL: spread or plain */

    const struct device *device;
    void *state;
    struct stream *stream; /* where NCCL works */
    void *scratch;         /* a byte for each rank, twice: for barriers and connections */

    struct nccl_group world, spare;
    struct nccl_group *groups;  /* the last is the world's */
    struct nccl_group *retired; /* freed, or never quite made; NCCL is not yet done with them */
    struct dist_group *forming; /* the group that is being made */
    struct op_queue posted, shown, agreed, flying; /* progress.c */
    double agreed_since;                           /* when `agreed` was last empty */
    bool launching;   /* from there, now: the host may wait in the middle of it, and look again (check.c) */
    bool asked;       /* has somebody asked for an op since the last message was posted? */
    unsigned asks;    /* nothing shared: how often */
    uint32_t tickets; /* numbers the ops: op->ticket */
    struct worker progress;
    bool progress_stops;

    uint32_t oldest;     /* the op that the host was last seen to wait for, */
    double waited, seen; /* how long, and when that was */
    int failed;          /* everything was aborted with this status, */
    struct why why;      /* for this reason */
};

static inline void nccl_lock(struct nccl_state *nccl)
{
    if (nccl->shared)
        pthread_mutex_lock(&nccl->lock);
}

static inline void nccl_unlock(struct nccl_state *nccl)
{
    if (nccl->shared)
        pthread_mutex_unlock(&nccl->lock);
}

/* ---- open.c, groups.c ------------------------------------------------------------------ */

int nccl_open(struct launch_self *self, struct dist_group *world, void **out, struct why *why);
void nccl_leave(void *state);
int nccl_close(void *state);
int nccl_group_new(void *state, struct dist_work *op, struct dist_group *group);
int nccl_groups_form(struct nccl_state *nccl, struct dist_work *op); /* nccl->forming; gives the status */
void nccl_group_free(void *state, struct dist_group *group);
ncclConfig_t nccl_config(void);
void nccl_groups_sweep(struct nccl_state *nccl, bool all); /* give back retired groups; all: wait for each */
void nccl_groups_abort(struct nccl_state *nccl);           /* all of them, and the world's communicator */

/* ---- collect.c ------------------------------------------------------------------------- */

/* Makes the NCCL calls of one op, inside a group. */
typedef ncclResult_t nccl_caller(struct nccl_state *nccl, const struct dist_work *op);
nccl_caller nccl_collect; /* of a message or a collective */

/* ---- launch.c -------------------------------------------------------------------------- */

/* It was agreed on. Launch what is due: true, something was. Until then it may take so many seconds. */
void nccl_launch_later(struct nccl_state *nccl, struct dist_work *op);
bool nccl_launch_agreed(struct nccl_state *nccl);
double nccl_launch_wait_left(const struct nccl_state *nccl);

/* Launch one more op behind all others. */
int nccl_launch_now(struct nccl_state *nccl, struct dist_work *op, nccl_caller *call);

/* The op is over without a launch, or with one that has failed; a copy of an eager message is freed. Gives the status. */
int nccl_launch_end(struct nccl_state *nccl, struct dist_work *op, int status);

static inline ncclComm_t nccl_comm_of(const struct dist_work *op)
{
    return ((const struct nccl_group *)op->group->state)->comm;
}

/* ---- check.c --------------------------------------------------------------------------- */

/* DIST_CHECK=1: before these are launched (messages that go together, or one collective): does everybody mean the same? Those that do
 * not are over, with op->status. */
void nccl_check_agree(struct nccl_state *nccl, struct op_queue *ops);

/* ---- watch.c --------------------------------------------------------------------------- */

/* NCCL does what it is asked in the background: wait until it has. `seconds` 0: DIST_TIMEOUT. */
int nccl_watch_settle(struct nccl_state *nccl, ncclComm_t comm, double seconds, struct why *why);

/* Take note of what is over; then also look for errors and time limits. */
void nccl_watch_progress(struct nccl_state *nccl);
void nccl_watch_look(struct nccl_state *nccl);

/* Sleep until there is news, with what is open noted; `op` is waited for. */
void nccl_watch_sleep(struct nccl_state *nccl, const struct dist_work *op, bool (*news)(void *),
                      void *argument, bool timed);

/* The host waits until the op is over, or everything has failed. `deadline` 0: none but DIST_TIMEOUT. The lock is not
 * held. */
int nccl_watch_wait(struct nccl_state *nccl, struct dist_work *op, double deadline);

/* Each op that is not over ends with this status; or with the job's, where that has failed elsewhere (true). */
void nccl_watch_fail(struct nccl_state *nccl, int status, const char *why);
bool nccl_watch_job(struct nccl_state *nccl);

/* All has failed: end these ops. One that flies may have a mark, any other a result (host.c). */
void nccl_watch_end_all(struct nccl_state *nccl, struct op_queue *queue);

/* ---- agree.c, progress.c, leave.c: within a machine ---------------------------------- */

/* Rank 0 lays out what is shared, with the id that leads to it; the others wait for that. */
int nccl_agree_open(struct nccl_state *nccl, ncclUniqueId *id, double seconds, struct why *why);

/* Post an op; and wait for it. */
int nccl_progress_post(struct nccl_state *nccl, struct dist_work *op);
int nccl_progress_wait(struct nccl_state *nccl, struct dist_work *op, double deadline);

void nccl_progress_stop(struct nccl_state *nccl);
bool nccl_progress_drive(
    struct nccl_state *nccl); /* what can be done, with the lock held. True: something moved */

/* What this rank waits for, for others to read (nothing, where nothing is shared); with the lock held. */
void nccl_progress_note(struct nccl_state *nccl, const struct dist_work *waited);

/* Give up a monitored_barrier whose time is up: it is over, with words about who has not come. */
void nccl_leave_late(struct nccl_state *nccl, struct dist_work *op);

/* Wait until nobody needs anything of this rank any more. */
void nccl_leave_wait(struct nccl_state *nccl);

#endif
