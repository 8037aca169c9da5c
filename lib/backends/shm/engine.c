/*
 * engine.c: drives the open operations of one rank.
 *
 * Sends that wait for their receive, receives that wait for a message and asynchronous collectives that wait for a
 * barrier are all in lists; engine_progress moves each as far as it can. Three kinds of callers:
 *   - a thread that posts something: drives lightly, it wants to go on;
 *   - a thread that waits: drives everything until its own operation is done;
 *   - the progress thread (progress.c): drives while nobody waits.
 * Nobody polls for ever: a waiter spins and yields a little, then sleeps on the event count of its rank_slot.
 */
#include "p2p.h"

#include <sched.h>

#define SECOND_TEST 2      /* a thread of ours asks twice before it sleeps until it is notified */
#define TESTS_TO_NOTIFY 16 /* a program that asks this often whether an operation is done is waiting for it */
#define NAP 100 /* ms after which a sleeper looks whether the job still stands; a tenth: its time is up */

bool engine_progress(struct shm_state *shm, bool light)
{
    bool moved = p2p_progress(shm, light);
    for (struct shm_group *g = shm->groups, *next; g; g = next) {
        next = g->next;
        if (collective_progress(shm, g, light))
            return true; /* the list may have changed while unlocked */
    }
    return moved;
}

/* ---- in and out ---------------------------------------------------------------- */

void engine_lock_as_guest(struct shm_state *shm)
{
    lock_take(&shm->entry.lock);
    bias_revoke(&shm->self->bias, BIAS_GUEST);
    shm->entry.locked = true;
    shm->guest = true;
}

bool engine_step_out(struct shm_state *shm)
{
    bool guest = shm->guest;
    if (guest) {
        shm->guest = shm->entry.locked = false;
        bias_restore(&shm->self->bias);
        lock_give(&shm->entry.lock);
    } else {
        engine_unlock(shm);
    }
    return guest;
}

void engine_step_in(struct shm_state *shm, bool guest)
{
    if (guest)
        engine_lock_as_guest(shm);
    else
        engine_lock(shm);
}

/* ---- starting and finishing -------------------------------------------------- */

int engine_refuse(struct shm_state *shm, struct dist_work *op, int status, const char *why)
{
    why_say(&op->why, "%s", why);
    shm->open--;
    engine_unlock(shm);
    return op->status = status;
}

void engine_done(struct shm_state *shm, struct dist_work *op, int status)
{
    op->status = status;
    shm->open--;
    bool shared = engine_is_shared(shm);
    atomic_store_explicit(&op->done, 1, memory_order_release);
    if (shared)
        eventcount_notify_lightly(&rank_slot_of(shm, shm->rank)->eventcount);
}

/* Notify the progress threads of those whom a send or a receive waits for: they may be computing, with the other half open. */
static void engine_notify_peers(struct shm_state *shm, const struct dist_work *op)
{
    bool any = op->peer == DIST_ANY_SOURCE;
    for (int i = 0; i < (any ? op->group->size : 1); i++)
        p2p_notify(shm, any ? op->group->ranks[i] : op->peer);
}

/* Whoever waits for a send looks whether it is over: nobody else does so for long. */
static bool engine_is_over(struct shm_state *shm, struct dist_work *op)
{
    return atomic_load(&op->done) || (op->p2p && op->sends && sends_look(shm, op));
}

bool shm_test(void *state, struct dist_work *op)
{
    struct shm_state *shm = state;
    if (!atomic_load_explicit(&op->done, memory_order_acquire)) {
        bool light = ++op->phase < SECOND_TEST; /* who asks again has nothing better to do */
        engine_lock(shm);
        if (!engine_is_over(shm, op) && engine_progress(shm, light))
            engine_is_over(shm, op); /* its message may have come unexpected, and the verdict be there */
        progress_advance(shm);
        engine_unlock(shm);
        if (op->p2p && ((op->phase == SECOND_TEST && !op->polled) || op->phase % TESTS_TO_NOTIFY == 0))
            engine_notify_peers(shm, op);
    }
    return atomic_load_explicit(&op->done, memory_order_acquire);
}

/* ---- waiting ------------------------------------------------------------------ */

void engine_sleep(struct shm_state *shm, const struct dist_work *op, bool limited, bool (*look)(void *),
                  void *argument)
{
    notes_write(shm, op, false);
    engine_lock(shm);
    progress_listen(shm, false);
    for (const struct peer *peer = op ? NULL : shm->busy; peer; peer = peer->next)
        if (peer->posted.first)
            engine_notify_peers(shm, peer->posted.first);
    engine_unlock(shm);
    if (op && op->p2p)
        engine_notify_peers(shm, op);
    launch_sleep(shm->self, &rank_slot_of(shm, shm->rank)->eventcount, look, argument,
                 limited ? NAP / 10 : NAP, limited);
}

struct awaited {
    struct shm_state *shm;
    struct dist_work *op; /* wait for its end; or, with g, for its turn */
    struct shm_group *g;  /* NULL, or wait until this group's queue of async collectives is empty */
    double deadline;      /* 0: none */
};

/* Lock held. With g, look at the queue only: its ops may be freed already. */
static bool engine_is_fulfilled(const struct awaited *awaited)
{
    return awaited->g ? collective_may_go(awaited->g, awaited->op, awaited->deadline)
                      : engine_is_over(awaited->shm, awaited->op);
}

static bool engine_news(void *argument)
{
    struct awaited *awaited = argument;
    engine_lock(awaited->shm);
    bool moved = engine_is_fulfilled(awaited) || engine_progress(awaited->shm, false);
    engine_unlock(awaited->shm);
    return moved || world_failed(awaited->shm->world);
}

/* The job has failed: take the op out of the lists, since it may lie on its caller's stack. */
static void engine_give_up(struct shm_state *shm, struct dist_work *op)
{
    engine_lock(shm);
    while (op->claimed) {
        engine_unlock(shm);
        sched_yield();
        engine_lock(shm);
    }
    if (!atomic_load(&op->done)) {
        if (op->p2p)
            p2p_drop(shm, op);
        else
            collective_drop(shm, op);
        engine_done(shm, op, backend_failed(shm->world, &op->why));
    }
    engine_unlock(shm);
}

/* Changed by whoever has the lock, so without a locked instruction. The progress thread, which reads it without, sees it no later than
 * what it is woken for. It stays counted while somebody waits who may be through at once: to count it anew takes longer than such a wait. Only for
 * a collective, whose every arrival would notify it, and for a sleep (engine_sleep) it is not. */
static void engine_count(struct shm_state *shm, int change)
{
    int drivers = atomic_load_explicit(&shm->drivers, memory_order_relaxed) + change;
    atomic_store_explicit(&shm->drivers, drivers, memory_order_relaxed);
    if (drivers == 0)
        progress_takes_over(shm, true);
    else if (shm->groups)
        progress_listen(shm, false);
}

void engine_count_waiter(struct shm_state *shm, int change)
{
    engine_lock(shm);
    engine_count(shm, change);
    engine_unlock(shm);
}

/* False: the job has failed before it was fulfilled. */
static bool engine_wait_for(struct awaited *awaited)
{
    struct shm_state *shm = awaited->shm;
    struct backoff backoff = { 0 };
    bool counted = false;
    for (;;) {
        engine_lock(shm);
        bool over = engine_is_fulfilled(awaited), moved = false;
        if (!over) {
            if (!counted)
                engine_count(shm, +1);
            counted = true;
            moved = engine_progress(shm, false);
            over = moved && engine_is_fulfilled(awaited);
        }
        bool ends = over || (!moved && world_failed(shm->world));
        enum whereabouts where = ends || moved ? SOMEWHERE : barrier_where(awaited->op);
        if (ends && counted)
            engine_count(shm, -1);
        engine_unlock(shm);
        if (ends)
            return over;
        if (moved) {
            backoff.rounds = 0;
            continue;
        }
        if (atomic_load_explicit(&shm->home, memory_order_relaxed) >= 0)
            cores_here(shm);
        if (!backoff_pass(&backoff, where))
            engine_sleep(shm, awaited->g ? NULL : awaited->op, awaited->deadline > 0, engine_news, awaited);
    }
}

int engine_wait(struct shm_state *shm, struct dist_work *op)
{
    struct awaited awaited = { shm, op, NULL, 0 };
    if (!engine_wait_for(&awaited))
        engine_give_up(shm, op);
    return op->status;
}

void shm_hold(void *state, bool held)
{
    engine_count_waiter(state, held ? +1 : -1);
}

bool engine_await_group(struct shm_state *shm, struct shm_group *g, struct dist_work *op, double deadline)
{
    struct awaited awaited = { shm, op, g, deadline };
    return engine_wait_for(&awaited);
}
