/*
 * fresh.c: everybody looks again, before anything is told.
 *
 * A rank writes its notes before it sleeps. What becomes of its other operations meanwhile shows in them only once it
 * looks again, and nobody notifies of what nobody waits for: a send that was taken long ago still stands there as
 * open, and would be taken for the cause. So all are woken, first the helpers, which bring things up to date, then
 * the ranks, which write their notes anew; again and again, until a round has changed nothing.
 */
#define _GNU_SOURCE
#include "diagnose.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 16       /* more than any run needed; what is known then has to do */
#define ROUND_LOOKS 200 /* how often to look whether all are asleep again: 0.2 s at least */

/* Since these epochs; NULL: no matter since when. */
static bool fresh_all_have_slept_anew(const struct world *world, int caller, const uint32_t *epochs)
{
    for (int rank = 0; rank < world->header->size; rank++) {
        const struct rank_slot *slot = &world->header->slots[rank];
        if (epochs && rank != caller && diagnose_still_there(world, rank) &&
            atomic_load(&slot->sleep.epoch) == epochs[rank])
            return false;
    }
    uint64_t sleeps;
    bool leaving;
    return caller < 0 ? diagnose_asleep(world, &sleeps, &leaving) : diagnose_stuck(world, caller);
}

static bool fresh_wait_until_stuck(const struct world *world, int caller, const uint32_t *epochs)
{
    for (int look = 0; look < ROUND_LOOKS && !world_failed(world); look++) {
        if (fresh_all_have_slept_anew(world, caller, epochs))
            return true;
        usleep(look < 20 ? 100 : 1000);
    }
    return false;
}

static bool fresh_wake_helpers(struct world *world, int caller)
{
    for (int rank = 0; rank < world->header->size; rank++)
        if (diagnose_still_there(world, rank) && atomic_load(&world_notes(world, rank)->progress_sleep.epoch))
            eventcount_notify_slow(&world->header->slots[rank].progress);
    return fresh_wait_until_stuck(world, caller, NULL);
}

/* Nothing is counted up: whoever is woken finds no news and sleeps again, but writes its notes before. */
static bool fresh_wake_ranks(struct world *world, int caller)
{
    uint32_t epochs[WORLD_MAX_RANKS];
    for (int rank = 0; rank < world->header->size; rank++) {
        struct rank_slot *slot = &world->header->slots[rank];
        epochs[rank] = atomic_load(&slot->sleep.epoch);
        if (rank != caller && diagnose_still_there(world, rank))
            eventcount_wake(world_at(world, atomic_load(&slot->sleep.eventcount)));
    }
    return fresh_wait_until_stuck(world, caller, epochs);
}

bool diagnose_refresh(struct world *world, int caller)
{
    size_t size = (size_t)world->header->size;
    struct view *before = calloc(size, sizeof *before), *after = calloc(size, sizeof *after);
    bool stuck = before && after, changed = true;
    if (stuck)
        read_views(world, before);
    for (int round = 0; round < ROUNDS && stuck && changed; round++) {
        stuck = fresh_wake_helpers(world, caller) && fresh_wake_ranks(world, caller);
        if (!stuck)
            break;
        read_views(world, after);
        changed = memcmp(before, after, size * sizeof *before) != 0;
        memcpy(before, after, size * sizeof *before);
    }
    free(before);
    free(after);
    return stuck;
}
