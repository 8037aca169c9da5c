/*
 * poll.c: a rank that asks dist_is_completed again and again, while all others wait.
 *
 * It may make another call in the next moment, so it is not stuck, and nothing is decided. But if nothing in the world has changed for
 * some seconds, in which it did little but ask, it is told once where it stands, and who waits for whom. What changes, shows in
 * the event counts: whoever brings news to a rank that sleeps counts up there.
 */
#define _GNU_SOURCE
#include "diagnose.h"

#include <stdlib.h>
#include <time.h>

#define LONG 5000000000 /* ns */
#define LOOK_EVERY 64   /* asks */
#define IDLE_ASK 50000 /* ns of processor time: who needs more from one ask to the next computes in between */

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

bool poll_ask(struct polling *polling, const struct world *world, int rank, bool first)
{
    polling->asks = first ? 1 : polling->asks + 1;
    if (polling->told || (!first && polling->asks % LOOK_EVERY != 0))
        return false;
    int64_t now = launch_clock_ns(), worked = poll_worked();
    uint64_t eventcounts = poll_counts_of(world, rank);
    if (first || eventcounts != polling->eventcounts) {
        *polling = (struct polling){ .asks = 1, .since = now, .worked = worked, .eventcounts = eventcounts };
        return false;
    }
    return now - polling->since >= LONG && (worked - polling->worked) / polling->asks < IDLE_ASK;
}

static void poll_explain(struct diagnosis *d, const struct polling *polling, int rank)
{
    int left = 0;
    for (int peer = 0; peer < d->size; peer++)
        left += peer != rank && has_left(&d->views[peer]);
    d->polls = true;
    say(d, "rank %d has been polling for %.0f s (%s), and %s", rank,
        (double)(launch_clock_ns() - polling->since) / 1e9,
        place_of(d, rank, d->views[rank].call & 0xffff).text,
        left == 0             ? "all other ranks wait"
        : left == d->size - 1 ? "all other ranks have left the job"
                              : "all other ranks wait or have left the job");
    advise(d, LESSON_NOT_MET,
           left == d->size - 1 ? "ask no more: what nobody has sent by now will not come"
                               : "make the call for which the others wait, or wait with dist_wait or "
                                 "dist_wait_any: a deadlock is told then");
}

void poll_tell(struct polling *polling, const struct world *world, int rank)
{
    struct diagnosis d;
    if (world->header->size < 2 || !diagnose_others_stuck(world, rank))
        return;
    bool open = diagnosis_open(&d, world);
    if (open)
        read_views(world, d.views);
    if (open && diagnose_others_stuck(world, rank)) {
        polling->told = true;
        find_cycle(&d);
        poll_explain(&d, polling, rank);
        report_text(&d);
    }
    free(d.views);
}
