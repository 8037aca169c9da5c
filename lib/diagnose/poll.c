/* poll.c: the warning that a rank polls while all others wait. poll.h tells when. */
#define _GNU_SOURCE
#include "poll.h"
#include "diagnose.h"

#include <string.h>
#include <time.h>

#define LONG 5.0       /* s */
#define LOOK_EVERY 64  /* asks */
#define IDLE_ASK 50e-6 /* s of processor time: who needs more from one ask to the next computes in between */

static double poll_seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A number that another one follows as soon as anybody is rung for news, or leaves. */
static uint64_t poll_bells_of(const struct world *world, int but)
{
    uint64_t sum = 0;
    for (int rank = 0; rank < world->header->size; rank++) {
        const struct rank_slot *slot = &world->header->slots[rank];
        uint64_t bell = atomic_load(&slot->sleep.bell);
        if (rank == but)
            continue;
        sum = sum * 31 + atomic_load(&slot->state);
        sum = sum * 31 + atomic_load(&slot->last_call);
        sum = sum * 31 + atomic_load(&slot->bell.rings);
        sum = sum * 31 + (bell ? atomic_load(&((const struct bell *)world_at(world, bell))->rings) : 0);
    }
    return sum;
}

bool poll_ask(struct polling *polling, const struct world *world, int rank, bool first)
{
    polling->asks = first ? 1 : polling->asks + 1;
    if (polling->told || (!first && polling->asks % LOOK_EVERY != 0))
        return false;
    double now = poll_seconds_of(CLOCK_MONOTONIC), worked = poll_seconds_of(CLOCK_THREAD_CPUTIME_ID);
    uint64_t bells = poll_bells_of(world, rank);
    if (first || bells != polling->bells) {
        *polling = (struct polling){ .asks = 1, .since = now, .worked = worked, .bells = bells };
        return false;
    }
    return now - polling->since >= LONG && (worked - polling->worked) / polling->asks < IDLE_ASK;
}

static void poll_say_poll(struct diagnosis *d, const struct polling *polling, int rank)
{
    int left = 0;
    char here[80];
    for (int peer = 0; peer < d->size; peer++)
        left += peer != rank && has_left(&d->views[peer]);
    describe_place(d, rank, d->views[rank].call & 0xffff, here, sizeof here);
    say(d, "rank %d has been polling for %.0f s (%s), and ", rank,
        poll_seconds_of(CLOCK_MONOTONIC) - polling->since, here);
    say(d, "%s",
        left == 0             ? "all other ranks wait"
        : left == d->size - 1 ? "all other ranks have left the job"
                              : "all other ranks wait or have left the job");
    advise(d, LESSON_NOT_MET,
           left == d->size - 1 ? "ask no more: what nobody has sent by now will not come"
                               : "make the call for which the others wait, or wait with dist_wait or "
                                 "dist_wait_any: a deadlock is "
                                 "told then");
}

void poll_tell(struct polling *polling, const struct world *world, int rank)
{
    struct diagnosis d = { .world = world, .size = world->header->size, .class = CAUSE_POLLS };
    if (d.size < 2 || !diagnose_others_stuck(world, rank))
        return;
    if (diagnosis_open(&d)) {
        read_views(world, d.views);
        if (diagnose_others_stuck(world, rank)) {
            polling->told = true;
            find_cycle(&d);
            poll_say_poll(&d, polling, rank);
            report_text(&d);
        }
    }
    diagnosis_close(&d);
}
