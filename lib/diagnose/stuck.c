/* stuck.c: can any rank still move? diagnose.h has the argument. */
#include "diagnose.h"
#include "../launch/spread.h"

#include <stdlib.h>
#include <string.h>

/* Asleep, and nobody has notified its event count? Gives the number of the sleep, 0 if not. `own`: the caller itself, just
 * back from a nap that brought no news, counts as asleep. */
static uint32_t stuck_sound_asleep(const struct world *world, const struct sleep_note *note,
                                   const struct sleep_note *own)
{
    uint32_t epoch = atomic_load(&note->epoch);
    if ((epoch % 2 == 0 && note != own) || atomic_load(&note->timed))
        return 0;
    const struct eventcount *eventcount = world_at(world, atomic_load(&note->eventcount));
    return atomic_load(&eventcount->count) == atomic_load(&note->seen) ? epoch : 0;
}

/* The same for a thread that may not exist: then it keeps nobody awake. */
static bool stuck_keeps_awake(const struct world *world, const struct sleep_note *note,
                              const struct sleep_note *own, uint64_t *epochs)
{
    bool there = atomic_load(&note->epoch) != 0;
    uint32_t epoch = there ? stuck_sound_asleep(world, note, own) : 0;
    *epochs = *epochs * 31 + epoch;
    return there && epoch == 0;
}

/* A number that tells the present sleep of a rank's threads from others; 0: one of them can move. Who is `asking`, or asks as long in vain, is
 * awake itself; so may its progress thread be, which could do no more than each ask. */
static uint64_t stuck_rank_asleep(const struct world *world, int rank, int caller, int asking)
{
    const struct rank_notes *notes = world_notes(world, rank);
    const struct sleep_note *own = rank == caller ? launch_note(launch_self_if_any()) : NULL;
    bool asks = rank == asking || (asking >= 0 && poll_asks(world, rank));
    uint64_t epochs = asks ? !atomic_load(&notes->several)
                           : stuck_sound_asleep(world, &world->header->slots[rank].sleep, own);
    if (epochs == 0 || (!asks && stuck_keeps_awake(world, &notes->progress_sleep, own, &epochs)) ||
        atomic_load(&notes->threads.beyond) > 0)
        return 0;
    for (int i = 0; i < NOTE_STREAMS; i++)
        if (stuck_keeps_awake(world, &notes->streams[i], own, &epochs))
            return 0;
    for (uint32_t i = 0; i < atomic_load(&notes->threads.used); i++)
        if (stuck_keeps_awake(world, &notes->threads.notes[i], own, &epochs))
            return 0;
    return epochs ? epochs : 1;
}

bool diagnose_still_there(const struct world *world, int rank)
{
    return world_has(world, rank) && atomic_load(&world->header->slots[rank].state) < RANK_LEFT;
}

/* Do all ranks of this machine sleep? How many are there; -1: one is awake. Where the job is on one machine, these are all. Of
 * `asking` (-1: nobody) only the other threads have to. */
static int stuck_asleep(const struct world *world, int caller, int asking, uint64_t *sleeps)
{
    uint64_t first[WORLD_MAX_RANKS];
    int size = world->header->size, there = 0;
    *sleeps = 0;
    for (int rank = 0; rank < size; rank++) {
        first[rank] = 0;
        if (!diagnose_still_there(world, rank))
            continue;
        there++;
        first[rank] = stuck_rank_asleep(world, rank, caller, asking);
        *sleeps = *sleeps * 31 + first[rank];
        if (first[rank] == 0)
            return -1;
    }
    if (!diagnose_knows_threads(world))
        return -1;
    for (int rank = 0; rank < size; rank++)
        if (first[rank] != 0 && (!diagnose_still_there(world, rank) ||
                                 stuck_rank_asleep(world, rank, caller, asking) != first[rank]))
            return -1;
    return world_failed(world) ? -1 : there;
}

bool diagnose_stuck(const struct world *world, int caller)
{
    uint64_t sleeps;
    return stuck_asleep(world, caller, -1, &sleeps) > 0;
}

/* All that are still there are about to leave: no deadlock. */
static bool stuck_all_leave(const struct world *world)
{
    for (int rank = 0; rank < world->header->size; rank++)
        if (diagnose_still_there(world, rank) && !atomic_load(&world_notes(world, rank)->leaving))
            return false;
    return true;
}

bool diagnose_asleep(const struct world *world, uint64_t *sleeps, bool *leaving)
{
    *leaving = stuck_all_leave(world);
    return stuck_asleep(world, -1, -1, sleeps) >= 0;
}

bool diagnose_others_stuck(const struct world *world, int asking)
{
    uint64_t sleeps;
    return !world_is_spread(world) && stuck_asleep(world, -1, asking, &sleeps) > 0;
}

void read_views(const struct world *world, struct view *views)
{
    memset(views, 0, (size_t)world->header->size * sizeof *views);
    for (int rank = 0; rank < world->header->size; rank++) {
        const struct rank_slot *slot = &world->header->slots[rank];
        const struct rank_notes *notes = world_notes(world, rank);
        struct view *view = &views[rank];
        view->state = atomic_load(&slot->state);
        view->call = atomic_load(&slot->call);
        view->count = (int)atomic_load(&notes->open_count);
        if (view->count > 0 && notes->open[0].kind == NOTE_UNEXPECTED)
            view->count = 0; /* it waits for none of these */
        if (atomic_load(&notes->leaving) && view->count == 0)
            view->state = RANK_LEFT; /* it only waits until the others have left, too */
        if (view->state >= RANK_LEFT) {
            view->count = 0;
            continue;
        }
        memcpy(view->host_call, notes->host_call, sizeof view->host_call);
        view->host_site = notes->host_site;
        for (int i = 0; i < view->count && i < NOTE_OPS; i++)
            view->open[i] = notes->open[i];
    }
    atomic_thread_fence(memory_order_acquire); /* what comes next is the second look at the epochs */
}

/* The text first. The ranks are woken only after the file is written: a launcher that is not ours may end us then. Without memory
 * nobody can be asked what he waits for: but that no rank will ever go on is known, and must not be kept. */
static void stuck_explain(struct diagnosis *d, struct world *world)
{
    int first = -1;
    if (d->views) {
        find_cycle(d);
        find_cause(d);
        first = d->cycle_length > 0 ? d->cycle[0] : 0;
        while (!waits(&d->views[first]) && first < d->size - 1)
            first++;
    } else {
        d->error = DIST_ERR_DEADLOCK;
        why_add(&d->sentence, "no rank can go on, and the system gives no memory to find out why");
    }
    if (!world_fail_and_tell(world, first, (int)d->error, d->sentence.text))
        return;
    if (d->views)
        report_text(d);
    else
        text_say("deadlock: %s.\n", d->sentence.text);
    world_told(world);
    if (d->views)
        report_json(d, &(struct told){ .status = (int)d->error,
                                       .sentence = d->sentence.text,
                                       .advice = d->advice,
                                       .lesson = d->lesson,
                                       .rank = first });
    world_tell_over();
    world_wake(world);
}

void diagnose_explain(struct world *world)
{
    struct diagnosis d;
    if (diagnosis_open(&d, world))
        read_views(world, d.views);
    stuck_explain(&d, world);
    free(d.views);
}

/* The views are taken between two findings that all sleep, and one sleep each: so they belong together. */
void diagnose_look(struct world *world, int rank)
{
    if (rank >= 0)
        diagnose_note_threads(world, rank);
    if (!diagnose_stuck(world, rank))
        return;
    struct diagnosis d;
    bool stuck = !diagnosis_open(&d, world) || diagnose_refresh(world, rank);
    if (d.views && stuck)
        read_views(world, d.views);
    if (stuck && diagnose_stuck(world, rank))
        stuck_all_leave(world) ? world_give_up(world) : stuck_explain(&d, world);
    free(d.views);
}
