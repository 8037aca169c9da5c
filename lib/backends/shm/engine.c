/*
 * engine.c: drives the open operations of one rank.
 *
 * Sends that wait for their receive, receives that wait for a message and asynchronous collectives that wait for a
 * barrier are all in lists; engine_progress moves each as far as it can. Three kinds of callers:
 *   - a thread that posts something: drives lightly, it wants to go on;
 *   - a thread that waits: drives everything until its own operation is done;
 *   - the helper (helper.c): drives while nobody waits.
 * Nobody polls for ever: a waiter spins and yields a little, then sleeps on slot.bell.
 */
#include "p2p.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#define SECOND_TEST 2    /* a thread of ours asks twice before it sleeps until it is rung */
#define TESTS_TO_URGE 16 /* a program that asks this often whether an operation is done is waiting for it */
#define NAP 100          /* ms after which a sleeper looks whether the job still stands */

bool engine_progress(struct shm_room *room, bool light)
{
    bool moved = p2p_progress(room, light);
    for (struct shm_group *g = room->groups, *next; g; g = next) {
        next = g->next;
        if (collective_progress(room, g, light))
            return true; /* the list may have changed while unlocked */
    }
    return moved;
}

/* ---- starting and finishing -------------------------------------------------- */

int engine_refuse(struct shm_room *room, struct dist_work *op, int status, const char *why)
{
    snprintf(op->why, sizeof op->why, "%s", why);
    room->open--;
    engine_unlock(room);
    return op->status = status;
}

int engine_enter(struct shm_room *room, struct dist_work *op, bool background)
{
    if (!op->begun_quickly) /* else the quick way has left it locked */
        engine_lock(room);
    room->open++;
    if (!background || helper_start(room))
        return DIST_OK;
    return engine_refuse(room, op, DIST_ERR_SYSTEM,
                         "the system gives no thread for operations in the background");
}

int engine_start(struct shm_room *room, struct dist_work *op)
{
    if (op->async) { /* it may be over, and freed, after the first look: not to be touched any more */
        helper_takes_over(room);
        engine_unlock(room);
        return DIST_OK;
    }
    engine_unlock(room);
    return shm_wait(room, op);
}

void engine_done(struct shm_room *room, struct dist_work *op, int status)
{
    op->status = status;
    room->open--;
    if (!engine_is_shared(room)) {
        atomic_store_explicit(&op->done, 1, memory_order_release);
        return;
    }
    atomic_store_explicit(&op->done, 1, memory_order_release);
    bell_ring_lightly(&slot_of(room, room->rank)->bell);
}

/* Ring the helpers of those whom a send or a receive waits for: they may be computing, with the other half open. */
static void engine_urge_peers(struct shm_room *room, const struct dist_work *op)
{
    bool any = op->peer == DIST_ANY_SOURCE;
    for (int i = 0; i < (any ? op->group->size : 1); i++)
        p2p_urge(room, any ? op->group->ranks[i] : op->peer);
}

/* Whoever waits for a send looks whether it is over: nobody else does so for long. */
static bool engine_is_over(struct shm_room *room, struct dist_work *op)
{
    return atomic_load(&op->done) || (op->p2p && op->sends && sends_look(room, op));
}

bool shm_test(void *state, struct dist_work *op)
{
    struct shm_room *room = state;
    if (!atomic_load_explicit(&op->done, memory_order_acquire)) {
        engine_lock(room);
        if (!engine_is_over(room, op) && engine_progress(room, true))
            engine_is_over(room, op); /* progress may have found its message parked, and the verdict there */
        helper_nudge(room);
        engine_unlock(room);
        if (op->p2p && (++op->phase == SECOND_TEST || op->phase % TESTS_TO_URGE == 0))
            engine_urge_peers(room, op);
    }
    return atomic_load_explicit(&op->done, memory_order_acquire);
}

/* ---- waiting ------------------------------------------------------------------ */

void engine_sleep(struct shm_room *room, const struct dist_work *op, bool (*look)(void *), void *argument)
{
    notes_write(room, op, false);
    engine_lock(room);
    for (const struct peer *peer = op ? NULL : room->busy; peer; peer = peer->next)
        if (peer->posted.first)
            engine_urge_peers(room, peer->posted.first);
    engine_unlock(room);
    if (op && op->p2p)
        engine_urge_peers(room, op);
    launch_sleep(room->self, &slot_of(room, room->rank)->bell, look, argument, NAP, false);
}

struct hope {
    struct shm_room *room;
    struct dist_work *op; /* is waited for; NULL: all collectives of the group in the engine are */
    struct shm_group *g;
};

/* Lock held. An op that is over may be gone: so of a group the queue is looked at. */
static bool engine_is_fulfilled(const struct hope *hope)
{
    return hope->op ? engine_is_over(hope->room, hope->op) : !hope->g->queue.first;
}

static bool engine_news(void *argument)
{
    struct hope *hope = argument;
    engine_lock(hope->room);
    bool moved = engine_is_fulfilled(hope) || engine_progress(hope->room, false);
    engine_unlock(hope->room);
    return moved || world_failed(hope->room->world);
}

/* The job has failed: take the op out of the lists, since it may lie on its caller's stack. */
static void engine_give_up(struct shm_room *room, struct dist_work *op)
{
    engine_lock(room);
    while (op->claimed) {
        engine_unlock(room);
        sched_yield();
        engine_lock(room);
    }
    if (!atomic_load(&op->done)) {
        if (op->p2p)
            p2p_drop(room, op);
        else
            collective_drop(room, op);
        int status = backend_failed(room->world, op);
        engine_done(room, op, status);
    }
    engine_unlock(room);
}

void engine_drive(struct shm_room *room, int change)
{
    engine_lock(room);
    room->drivers += change;
    if (room->drivers > 0)
        helper_rests(room);
    else
        helper_takes_over(room);
    engine_unlock(room);
}

/* False: the job has failed before it was fulfilled. */
static bool engine_wait_for(struct hope *hope)
{
    struct shm_room *room = hope->room;
    struct patience patience = { 0 };
    bool over = false;
    engine_drive(room, +1);
    for (;;) {
        engine_lock(room);
        over = engine_is_fulfilled(hope);
        bool moved = !over && engine_progress(room, false);
        engine_unlock(room);
        if (over || (!moved && world_failed(room->world)))
            break;
        if (moved)
            patience.rounds = 0;
        else if (!patience_spin(&patience))
            engine_sleep(room, hope->op, engine_news, hope);
    }
    engine_drive(room, -1);
    return over;
}

int shm_wait(void *state, struct dist_work *op)
{
    struct shm_room *room = state;
    struct hope hope = { room, op, NULL };
    if (!atomic_load_explicit(&op->done, memory_order_acquire) && !engine_wait_for(&hope))
        engine_give_up(room, op);
    return op->status;
}

void shm_hold(void *state, bool held)
{
    engine_drive(state, held ? +1 : -1);
}

bool engine_await_group(struct shm_room *room, struct shm_group *g)
{
    struct hope hope = { room, NULL, g };
    engine_lock(room);
    bool idle = engine_is_fulfilled(&hope);
    engine_unlock(room);
    return idle || engine_wait_for(&hope);
}
