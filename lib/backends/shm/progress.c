/*
 * progress.c: the progress thread: it drives a rank's operations while the program computes.
 *
 * It starts with the first asynchronous operation. It sleeps on slot.progress, and is counted among that event count's
 * sleepers (progress_listens) only while there is something for it to do and no waiter sleeps: a peer pays for a wake-up only
 * if nobody is looking, or not for long. Whoever leaves the library with operations open has the progress thread counted, and then takes a last
 * light look; by eventcount.h's argument no news falls between the two. The model in tests/model/ walks through every
 * interleaving of a waiter, a computing rank and its progress thread.
 */
#define _GNU_SOURCE
#include "p2p.h"

#include <time.h>

#define TICK_NS 200000 /* between two looks of one that looks by itself */
#define NAP 1000       /* ms after which it looks whether the backend is closed */

/* Is there something that light driving leaves undone? */
static bool progress_work_waits(const struct shm_state *shm)
{
    if (shm->copies.first)
        return true;
    for (struct shm_group *g = shm->groups; g; g = g->next)
        if (collective_ready(g))
            return true;
    return false;
}

void progress_listen(struct shm_state *shm, bool listen)
{
    if (shm->progress_listens == listen)
        return;
    struct eventcount *eventcount = &rank_slot_of(shm, shm->rank)->progress;
    shm->progress_listens = listen;
    if (listen)
        atomic_store(&eventcount->sleepers, 1);
    else
        atomic_store_explicit(&eventcount->sleepers, 0, memory_order_release);
    eventcount_fence(); /* the last look comes behind that: its loads are acquire, which elsewhere may overtake the addition */
}

/* Who takes a message looks for SEQ_HURRY after it has written ack, but its look may come before that has reached memory: then it has
 * seen no bit, and notifies nobody. So after the bit was set give memory the moment that eventcount.h speaks of, and look again. (Elsewhere than
 * on x86 the fence in channel_acknowledge has no such moment, and this waits in vain.) */
static void progress_look_again(struct shm_state *shm)
{
    shm->hurried = false;
    engine_step_out(shm);
    nanosleep(&(struct timespec){ .tv_nsec = SETTLE_NS }, NULL);
    engine_lock_as_guest(shm);
}

/*
 * In a burst of short operations each arrival of a peer would wake the thread, for what its rank, which calls again in a moment, does anyway. So
 * who is woken twice within a tick, while its rank goes in and out, is no longer counted: it looks by itself once a tick, until for a whole tick
 * its rank has not left the library. Nobody may take that rank for asleep meanwhile: the naps write no note. True: it is counted again,
 * and must look once more.
 */
static bool progress_ticks(struct shm_state *shm, bool hasty)
{
    if (!shm->ticks && hasty && shm->left) {
        shm->ticks = true;
        progress_listen(shm, false);
    } else if (shm->ticks && !shm->left) {
        shm->ticks = false;
        if (shm->drivers == 0 && progress_has_work(shm)) {
            progress_listen(shm, true);
            return true;
        }
    }
    shm->left = false;
    return false;
}

/* Nothing moves: unlocked, until it is woken, or its tick is over. True: it was woken twice within a tick. */
static bool progress_doze(struct shm_state *shm, uint32_t seen)
{
    struct eventcount *eventcount = &rank_slot_of(shm, shm->rank)->progress;
    int64_t before, most = shm->ticks ? TICK_NS : NAP * 1000000;
    struct sleep_note *note = shm->ticks ? NULL : &notes_of(shm)->progress_sleep;
    engine_step_out(shm);
    do { /* who drives advances the event count, if it leaves something behind */
        before = shm->woken;
        eventcount_doze(eventcount, seen, most, note);
        seen = atomic_load(&eventcount->count);
        shm->woken = launch_clock_ns();
    } while (shm->woken - before >= TICK_NS && note && atomic_load(&shm->drivers) > 0);
    engine_lock_as_guest(shm);
    return shm->woken - before < TICK_NS;
}

static void progress_main(void *argument)
{
    struct shm_state *shm = argument;
    bool hasty = false;
    engine_lock_as_guest(shm);
    while (!shm->stop) {
        if (shm->hurried && shm->drivers == 0)
            progress_look_again(shm);
        uint32_t seen = atomic_load(&rank_slot_of(shm, shm->rank)->progress.count);
        bool moved = shm->drivers == 0 && (shm->open > 0 || shm->owes) && engine_progress(shm, false);
        if (!progress_has_work(shm))
            progress_listen(shm, false);
        if (!moved && !progress_ticks(shm, hasty))
            hasty = progress_doze(shm, seen);
    }
    engine_step_out(shm);
}

bool progress_start(struct shm_state *shm)
{
    return worker_start_progress(&shm->progress, shm->self, progress_main, shm);
}

/* Wake the progress thread if there is something that only it, or a waiter, would do. Where another thread of the rank waits, that one:
 * it may sleep, and nobody else notifies it of what this thread has found. */
void progress_advance(struct shm_state *shm)
{
    if (shm->drivers == 0 && (shm->hurried || progress_work_waits(shm)))
        eventcount_advance(&rank_slot_of(shm, shm->rank)->progress);
    else if (shm->drivers > 0 && progress_work_waits(shm))
        eventcount_notify(&rank_slot_of(shm, shm->rank)->eventcount);
}

/* It need not be woken for what a light look can do for a collective. Where it stayed counted during a wait, what woke it then was left to the
 * waiter: so that one looks, once memory has `drivers`: a thread that is woken for what this look misses must find that nobody drives. */
void progress_take_over(struct shm_state *shm, bool waited)
{
    if (shm->drivers == 0 && (waited || shm->groups || !(shm->progress_listens || shm->ticks))) {
        if (waited && shm->progress_listens)
            atomic_thread_fence(memory_order_seq_cst);
        progress_listen(shm, !shm->ticks);
        while (engine_progress(shm, true))
            ;
    }
    progress_advance(shm);
}

void progress_stop(struct shm_state *shm)
{
    if (!shm->progress.runs)
        return;
    engine_lock(shm);
    shm->stop = true;
    progress_listen(shm, true);
    eventcount_advance(&rank_slot_of(shm, shm->rank)->progress);
    engine_unlock(shm);
    worker_join(&shm->progress);
    progress_listen(shm, false);
}
