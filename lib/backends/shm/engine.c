/*
 * engine.c: drives the open operations of one rank.
 *
 * Sends that wait for their lane, receives that wait for a letter and asynchronous collectives that wait for a
 * barrier are all in lists; engine_progress moves each as far as it can. Three kinds of callers:
 *   - a thread that posts something: drives lightly, it wants to go on;
 *   - a thread that waits: drives everything until its own operation is done;
 *   - the helper (helper.c): drives while nobody waits.
 * Nobody polls for ever: a waiter spins and yields a little, then sleeps on slot.bell.
 */
#include "shm.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#define SECOND_TEST 2    /* a thread of ours asks twice before it sleeps until it is rung */
#define TESTS_TO_URGE 16 /* a program that asks this often whether an operation is done is waiting for it */
#define NAP 100          /* ms after which a sleeper looks whether the job still stands */

bool engine_progress(struct shm_room *room, bool light)
{
    bool moved = sends_progress(room);
    moved |= recvs_progress(room, light);
    for (struct shm_group *g = room->groups, *next; g; g = next) {
        next = g->next;
        if (collective_progress(room, g, light))
            return true; /* the list may have changed while unlocked */
    }
    return moved;
}

/* ---- starting and finishing -------------------------------------------------- */

int engine_start(struct shm_room *room, struct dist_work *op)
{
    if (op->async) {
        /* The op may be over, and freed, after the first look: not to be touched any more. */
        int status = DIST_OK;
        if (helper_start(room)) {
            helper_takes_over(room);
        } else {
            snprintf(op->why, sizeof op->why, "the system gives no thread for operations in the background");
            status = DIST_ERR_SYSTEM;
        }
        engine_unlock(room);
        return status;
    }
    if (!room->threaded && atomic_load_explicit(&op->done, memory_order_relaxed))
        return op->status;
    engine_unlock(room);
    return shm_wait(room, op);
}

void engine_done(struct shm_room *room, struct dist_work *op, int status)
{
    op->status = status;
    room->open--;
    if (!room->threaded) {
        atomic_store_explicit(&op->done, 1, memory_order_relaxed);
        return;
    }
    atomic_store(&op->done, 1);
    bell_ring(&slot_of(room, room->rank)->bell);
}

/* Ring the helpers of those whom a send or a receive waits for: they may be computing, with the other half open. */
static void urge_peers(struct shm_room *room, const struct dist_work *op)
{
    atomic_thread_fence(memory_order_seq_cst); /* a watched letter was posted with less */
    for (int i = 0; i < op->group->size; i++) {
        int peer = op->group->ranks[i];
        if (peer != room->rank && (op->peer == peer || op->peer == DIST_ANY_SOURCE))
            bell_ring(&slot_of(room, peer)->helper);
    }
}

bool shm_test(void *state, struct dist_work *op)
{
    struct shm_room *room = state;
    if (!atomic_load_explicit(&op->done, memory_order_acquire)) {
        engine_lock(room);
        engine_progress(room, true);
        helper_nudge(room);
        engine_unlock(room);
        if (op->p2p && (++op->phase == SECOND_TEST || op->phase % TESTS_TO_URGE == 0))
            urge_peers(room, op);
    }
    return atomic_load_explicit(&op->done, memory_order_acquire);
}

/* ---- waiting ------------------------------------------------------------------ */

struct hope {
    struct shm_room *room;
    struct dist_work *op;
};

static bool news(void *argument)
{
    struct hope *hope = argument;
    engine_lock(hope->room);
    bool moved = engine_progress(hope->room, false);
    engine_unlock(hope->room);
    return moved || atomic_load(&hope->op->done) || world_failed(hope->room->world);
}

/* The job has failed: take the op out of the lists, since it may lie on its caller's stack. */
static void give_up(struct shm_room *room, struct dist_work *op)
{
    engine_lock(room);
    while (op->claimed) {
        engine_unlock(room);
        sched_yield();
        engine_lock(room);
    }
    if (!atomic_load(&op->done)) {
        if (op->p2p)
            letters_drop(room, op);
        else
            collective_drop(room, op);
        int status = backend_failed(room->world, op);
        engine_done(room, op, status);
    }
    engine_unlock(room);
}

static void sleep_on_bell(struct shm_room *room, const struct dist_work *op, bool (*look)(void *),
                          void *argument)
{
    struct rank_slot *slot = slot_of(room, room->rank);
    notes_write(room, op, false);
    engine_lock(room);
    for (const struct dist_work *send = op ? NULL : room->sends; send; send = send->next)
        urge_peers(room, send); /* leaving: all that is still to be taken */
    engine_unlock(room);
    if (op && op->p2p)
        urge_peers(room, op);
    atomic_store(&slot->sleep.bell, world_offset(room->world, &slot->bell));
    atomic_store(&slot->sleep.timed, 0);
    bell_sleep(&slot->bell, look, argument, NAP, &slot->sleep);
}

static void sleep_or_give_up(struct shm_room *room, struct dist_work *op)
{
    struct hope hope = { room, op };
    if (world_failed(room->world)) {
        give_up(room, op);
        return;
    }
    sleep_on_bell(room, op, news, &hope);
    launch_look_around(room->self);
}

static void drive(struct shm_room *room, int change)
{
    engine_lock(room);
    room->drivers += change;
    if (room->drivers > 0)
        helper_rests(room);
    else
        helper_takes_over(room);
    engine_unlock(room);
}

int shm_wait(void *state, struct dist_work *op)
{
    struct shm_room *room = state;
    struct patience patience = { 0 };
    drive(room, +1);
    while (!atomic_load_explicit(&op->done, memory_order_acquire)) {
        engine_lock(room);
        bool moved = engine_progress(room, false);
        engine_unlock(room);
        if (moved)
            patience.rounds = 0;
        else if (!patience_spin(&patience) && !atomic_load(&op->done))
            sleep_or_give_up(room, op);
    }
    drive(room, -1);
    return op->status;
}

static bool flushed(void *argument)
{
    struct shm_room *room = argument;
    engine_lock(room);
    while (engine_progress(room, false))
        ;
    for (struct dist_work *op = room->sends, *next; op; op = next) {
        next = op->next;
        if (letters_hopeless(room, op))
            break; /* the list has changed */
    }
    bool empty = !room->sends && !room->copies && !room->groups;
    engine_unlock(room);
    return empty || world_failed(room->world);
}

void engine_flush(struct shm_room *room)
{
    drive(room, +1);
    while (!flushed(room)) {
        sleep_on_bell(room, NULL, flushed, room);
        launch_look_around(room->self);
    }
    drive(room, -1);
}
