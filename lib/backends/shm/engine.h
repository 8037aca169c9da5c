/* engine.h: the engine of a rank, as the parts of the backend use it: in and out, an op's way through, and who drives. */
#ifndef SHM_ENGINE_H
#define SHM_ENGINE_H

#include "shm.h"

/* ---- engine.c: the open operations of a rank ------------------------------- */

static inline void engine_lock(struct shm_state *shm)
{
    entry_take(&shm->entry, &shm->self->bias);
}
static inline void engine_unlock(struct shm_state *shm)
{
    entry_give(&shm->entry, &shm->self->bias);
}

/* The progress thread is a guest; it goes out and in again as such, in the middle of what both do. */
void engine_lock_as_guest(struct shm_state *shm);
bool engine_step_out(struct shm_state *shm); /* true: a guest, which step_in is told */
void engine_step_in(struct shm_state *shm, bool guest);

static inline bool engine_is_shared(const struct shm_state *shm) /* do other threads use the engine, too? */
{
    return atomic_load_explicit(&shm->self->bias.over, memory_order_relaxed);
}
bool engine_progress(struct shm_state *shm, bool light); /* drive all open ops; light: only what is quick */

void engine_done(struct shm_state *shm, struct dist_work *op,
                 int status); /* it is over; no longer in a list */
/* +1: a thread begins to wait; -1: it has ended, the progress thread takes over. */
void engine_count_waiter(struct shm_state *shm, int change);
/* Sleep until notified. First notifies the progress threads of op's peers, which may compute. `op` NULL: for what the rank itself has posted
 * (it leaves, or waits for a group's turn). */
void engine_sleep(struct shm_state *shm, const struct dist_work *op, bool limited, bool (*look)(void *),
                  void *argument);
bool shm_test(void *shm, struct dist_work *op);
int engine_wait(struct shm_state *shm, struct dist_work *op); /* until it is over */
static inline int shm_wait(void *shm, struct dist_work *op)
{
    return atomic_load_explicit(&op->done, memory_order_acquire) ? op->status : engine_wait(shm, op);
}
void shm_hold(void *shm, bool held);
/* Until it is the turn of `op`, behind the group's asynchronous collectives; or its time is up (op->status). False: the job has failed before. */
bool engine_await_group(struct shm_state *shm, struct shm_group *g, struct dist_work *op, double deadline);

/* ---- progress.c: drives while nobody waits; all with the lock held, but stop ---- */

bool progress_start(struct shm_state *shm); /* if it does not run yet; false: the system gives no thread */
void progress_stop(struct shm_state *shm);
void progress_listen(struct shm_state *shm, bool listen); /* shall peers wake it? */
void progress_advance(struct shm_state *shm);

/* Is there something open that somebody of this rank must drive, or an ack to be written? A message that was posted is its receiver's:
 * whoever waits for the send looks, and nobody else needs to. */
static inline bool progress_has_work(const struct shm_state *shm)
{
    return shm->open > shm->posted_sends || shm->owes;
}

/* About to leave the library: let the progress thread take over what is open. `waited`: at the end of a wait. */
void progress_take_over(struct shm_state *shm, bool waited);
static inline void progress_takes_over(struct shm_state *shm, bool waited)
{
    if (!progress_has_work(shm) || !shm->progress.runs)
        return;
    shm->left = true;
    bool counted = shm->progress_listens || shm->ticks;
    if (waited || !counted || shm->groups || shm->hurried || shm->copies.first)
        progress_take_over(shm, waited);
}

/* ---- an op's way in: from enter on the lock is held, until start or refuse (which gives the status) ---- */

int engine_refuse(struct shm_state *shm, struct dist_work *op, int status, const char *why); /* in no list */
static inline int engine_enter(struct shm_state *shm, struct dist_work *op, bool background)
{
    if (!op->begun_quickly) /* else the quick way has left it locked */
        engine_lock(shm);
    shm->open++;
    if (!background || shm->progress.runs || progress_start(shm))
        return DIST_OK;
    return engine_refuse(shm, op, DIST_ERR_SYSTEM, BACKEND_NO_THREAD);
}

/* It is in the lists: return, or wait. */
static inline int engine_start(struct shm_state *shm, struct dist_work *op)
{
    bool async = op->async; /* it may be over, and freed, after the first look: not to be touched any more */
    if (async)
        progress_takes_over(shm, false);
    engine_unlock(shm);
    return async ? DIST_OK : shm_wait(shm, op);
}

#endif
