/*
 * helper.c: the thread that drives a rank's operations while the program computes.
 *
 * It starts with the first asynchronous operation. It sleeps on slot.helper, and is counted among that bell's
 * sleepers (helper_listens) only while there are open operations and no waiter: a peer pays for a wake-up only
 * if nobody is looking. Whoever leaves the library with operations open raises the count, and then takes a last
 * light look; by bell.h's argument no news falls between the two. The model in tests/model/ walks through every
 * interleaving of a waiter, a computing rank and its helper.
 */
#define _GNU_SOURCE
#include "p2p.h"

#include <time.h>

#define NAP 1000 /* ms after which it looks whether the room is closed */

/* Is there something that light driving leaves undone? */
static bool helper_work_waits(const struct shm_room *room)
{
    if (room->copies.first || room->hurried)
        return true;
    for (struct shm_group *g = room->groups; g; g = g->next)
        if (collective_ready(g))
            return true;
    return false;
}

static void helper_listen(struct shm_room *room, bool listen)
{
    if (room->helper_listens == listen)
        return;
    struct bell *bell = &slot_of(room, room->rank)->helper;
    room->helper_listens = listen;
    if (listen)
        atomic_fetch_add(&bell->sleepers, 1);
    else
        atomic_fetch_sub(&bell->sleepers, 1);
}

/* Who takes a message looks for SEQ_HURRY after it has written ack, but its look may come before that has reached memory: then it has
 * seen no bit, and rings nobody. So after the bit was set give memory the moment that bell.h speaks of, and look again. (Elsewhere than
 * on x86 the fence in channel_acknowledge has no such moment, and this waits in vain.) */
static void helper_settle(struct shm_room *room)
{
    room->hurried = false;
    engine_unlock(room);
    nanosleep(&(struct timespec){ .tv_nsec = SETTLE_NS }, NULL);
    engine_lock(room);
}

static void helper_main(void *argument)
{
    struct shm_room *room = argument;
    struct bell *bell = &slot_of(room, room->rank)->helper;
    struct sleep_note *note = &notes_of(room)->helper_sleep;
    engine_lock(room);
    while (!room->stop) {
        if (room->hurried && room->drivers == 0)
            helper_settle(room);
        uint32_t seen = atomic_load(&bell->rings);
        bool moved = room->drivers == 0 && room->open > 0 && engine_progress(room, false);
        if (room->open == 0)
            helper_listen(room, false);
        if (moved)
            continue;
        engine_unlock(room);
        bell_doze(bell, seen, NAP, note);
        engine_lock(room);
    }
    engine_unlock(room);
}

bool helper_start(struct shm_room *room)
{
    if (room->helper.runs)
        return true;
    if (!atomic_load_explicit(&room->lock.taken, memory_order_relaxed)) {
        atomic_store(&room->self->alone.over, 1); /* from here on the lock is real; we are its holder */
        lock_take(&room->lock);
        solitude_leave(&room->self->alone);
    }
    room->helper = (struct worker){ .self = room->self,
                                    .name = "dist progress",
                                    .work = helper_main,
                                    .argument = room,
                                    .note = &notes_of(room)->helper_sleep,
                                    .bell = &slot_of(room, room->rank)->helper };
    return worker_start(&room->helper);
}

/* Wake the helper if there is something that only it, or a waiter, would do. */
void helper_nudge(struct shm_room *room)
{
    if (helper_work_waits(room))
        bell_strike(&slot_of(room, room->rank)->helper);
}

/* Lock held: somebody waits now, and drives; peers need not wake the helper. */
void helper_rests(struct shm_room *room)
{
    helper_listen(room, false);
}

/* Lock held, about to leave the library with operations open: let the helper take over. */
void helper_takes_over(struct shm_room *room)
{
    if (room->open == 0 || room->drivers > 0 || !room->helper.runs)
        return;
    if (!room->helper_listens) {
        helper_listen(room, true);
        while (engine_progress(room, true))
            ;
    }
    helper_nudge(room);
}

void helper_stop(struct shm_room *room)
{
    if (!room->helper.runs)
        return;
    engine_lock(room);
    room->stop = true;
    helper_listen(room, true);
    bell_strike(&slot_of(room, room->rank)->helper);
    engine_unlock(room);
    worker_join(&room->helper);
    helper_listen(room, false);
}
