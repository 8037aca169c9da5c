/*
 * poll.c: a rank that asks dist_is_completed again and again, while all others wait, or ask, too.
 *
 * It may make another call in the next moment, so it is not stuck, and nothing is decided. But if nothing in the world has changed for
 * some seconds, in which it did little but ask, it is told once where it stands, and who waits for whom. What changes, shows in
 * the event counts: whoever brings news to a rank that sleeps counts up there.
 */
#define _GNU_SOURCE
#include "diagnose.h"

#include <stdlib.h>
#include <time.h>

#define LONG 5000000000   /* ns */
#define RECENT 1000000000 /* who asked no longer ago asks still */
#define LOOK_EVERY 64     /* asks */
#define IDLE_ASK 50000 /* ns of processor time: who needs more from one ask to the next computes in between */

/* Of this thread. */
static _Thread_local struct polling {
    uint32_t asks;        /* in vain, without another call between, since */
    int64_t since;        /* nothing has changed, */
    int64_t worked;       /* the thread had used so much of a processor then (all in ns), */
    uint64_t eventcounts; /* and the others' event counts had come to this */
    bool told;
} polling;

static int64_t poll_worked(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A number that another one follows as soon as anybody is notified of news, or leaves. */
static uint64_t poll_counts_of(const struct world *world, int but)
{
    uint64_t sum = 0;
    for (int rank = 0; rank < world->header->size; rank++) {
        const struct rank_slot *slot = &world->header->slots[rank];
        uint64_t eventcount = atomic_load(&slot->sleep.eventcount);
        if (rank == but)
            continue;
        sum = sum * 31 + atomic_load(&slot->state);
        sum = sum * 31 + atomic_load(&slot->last_call);
        sum = sum * 31 + atomic_load(&slot->eventcount.count);
        if (eventcount)
            sum = sum * 31 + atomic_load(&((const struct eventcount *)world_at(world, eventcount))->count);
    }
    return sum;
}

bool poll_ask(const struct world *world, int rank, bool first)
{
    polling.asks = first ? 1 : polling.asks + 1;
    if (!first && polling.asks % LOOK_EVERY != 0)
        return false;
    int64_t now = launch_clock_ns(), worked = poll_worked();
    uint64_t eventcounts = poll_counts_of(world, rank);
    if (first || eventcounts != polling.eventcounts) {
        polling = (struct polling){
            .asks = 1, .since = now, .worked = worked, .eventcounts = eventcounts, .told = polling.told
        };
        poll_over(world, rank);
        return false;
    }
    return now - polling.since >= LONG && (worked - polling.worked) / polling.asks < IDLE_ASK;
}

void poll_over(const struct world *world, int rank)
{
    _Atomic int64_t *polls = &world_notes(world, rank)->polls;
    if (atomic_load_explicit(polls, memory_order_relaxed) != 0)
        atomic_store(polls, 0);
}

bool poll_asks(const struct world *world, int rank)
{
    int64_t asked = atomic_load(&world_notes(world, rank)->polls);
    uint32_t call = atomic_load(&world->header->slots[rank].last_call) >> 16;
    return asked != 0 && call == CALL_IS_COMPLETED && launch_clock_ns() - asked < RECENT;
}

static void poll_explain(struct diagnosis *d, int rank)
{
    int left = 0, ask = 0;
    for (int peer = 0; peer < d->size; peer++) {
        left += peer != rank && has_left(&d->views[peer]);
        ask += peer != rank && !has_left(&d->views[peer]) && poll_asks(d->world, peer);
    }
    d->polls = true;
    why_add(&d->sentence, "rank %d has been polling for %.0f s (%s), and all other ranks %s%s", rank,
            (double)(launch_clock_ns() - polling.since) / 1e9,
            place_of(d, rank, d->views[rank].call & 0xffff).text,
            left + ask == 0       ? "wait"
            : left == d->size - 1 ? "have left the job"
            : ask == d->size - 1  ? "poll, too"
            : ask == 0            ? "wait or have left the job"
                                  : "wait, or poll, too",
            ask > 0 && left > 0 ? ", or have left the job" : "");
    advise(d, LESSON_NOT_MET,
           left == d->size - 1 ? "ask no more: what nobody has sent by now will not come"
           : ask > 0           ? "wait with dist_wait or dist_wait_any: a deadlock is told then"
                               : "make the call for which the others wait, or wait with dist_wait or "
                                 "dist_wait_any: a deadlock is told then");
}

/* Of several that ask the first tells. What it waits for each has written down before. */
static bool poll_leaves_it_to_another(const struct world *world, int rank)
{
    atomic_store(&world_notes(world, rank)->polls, launch_clock_ns());
    for (int peer = 0; peer < rank; peer++)
        if (diagnose_still_there(world, peer) && poll_asks(world, peer))
            return true;
    return false;
}

void poll_tell(const struct world *world, int rank)
{
    struct diagnosis d;
    if (world->header->size < 2 || poll_leaves_it_to_another(world, rank) || polling.told)
        return;
    /* Others may have come to ask as long meanwhile: that is known of those who are stuck. */
    if (!diagnose_others_stuck(world, rank) || poll_leaves_it_to_another(world, rank))
        return;
    bool open = diagnosis_open(&d, world);
    if (open)
        read_views(world, d.views);
    if (open && diagnose_others_stuck(world, rank) && poll_counts_of(world, rank) == polling.eventcounts) {
        polling.told = true;
        find_cycle(&d);
        poll_explain(&d, rank);
        report_text(&d);
    }
    free(d.views);
}
