/*
 * race.c: which message could another run have received, with the same calls?
 *
 * A receive from anybody has met one message. Another one, of another rank, could have come for it if the receive fits it, if no earlier
 * receive had taken it, and if nothing put the two in order: its sender did not know, when it sent, that the receive was over, nor that
 * the message that it met had been sent. Who knows of what is a vector clock: each rank counts its calls, and with every message,
 * and every collective, who gets something learns all that the other knew.
 */
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>

struct race {
    int rank, took, other; /* who received, from whom, and from whom it could have */
    uint32_t receive, taken, message;
    const struct log_entry *starves; /* a receive that would then wait for ever; NULL: none */
};

bool races_open(struct replay *replay)
{
    size_t size = (size_t)replay->size;
    replay->clock = calloc(size, sizeof *replay->clock);
    replay->over = calloc(size, sizeof *replay->over);
    replay->now = calloc(size * size, sizeof *replay->now);
    if (!replay->clock || !replay->over || !replay->now)
        return false;
    for (size_t rank = 0; rank < size; rank++) {
        size_t count = (size_t)replay->counts[rank] + 1;
        replay->clock[rank] = calloc(count * size, sizeof **replay->clock);
        replay->over[rank] = malloc(count * sizeof **replay->over);
        if (!replay->clock[rank] || !replay->over[rank])
            return false;
        for (size_t i = 0; i < count; i++)
            replay->over[rank][i] = NOBODY;
    }
    return true;
}

void races_close(struct replay *replay)
{
    for (int rank = 0; rank < replay->size; rank++) {
        free(replay->clock ? replay->clock[rank] : NULL);
        free(replay->over ? replay->over[rank] : NULL);
    }
    free(replay->clock);
    free(replay->over);
    free(replay->now);
}

/* ---- clocks ------------------------------------------------------------------------------------ */

static uint32_t *race_now_of(const struct replay *replay, int rank)
{
    return replay->now + (size_t)rank * (size_t)replay->size;
}

void races_arrive(struct replay *replay, int rank)
{
    uint32_t *clock = clock_of(replay, rank, replay->at[rank]), *now = race_now_of(replay, rank);
    for (int i = 0; i < replay->size; i++)
        clock[i] = now[i];
}

static void race_learn(const struct replay *replay, int rank, int other, uint32_t entry)
{
    uint32_t *now = race_now_of(replay, rank), *clock = clock_of(replay, other, entry);
    for (int i = 0; i < replay->size; i++)
        now[i] = clock[i] > now[i] ? clock[i] : now[i];
}

/* Does a member of this collective get something of another? */
static bool race_hears(const struct log_entry *e, int rank, int other)
{
    if (e->call == CALL_BROADCAST || e->call == CALL_SCATTER)
        return other == e->peer;
    return (e->call != CALL_REDUCE && e->call != CALL_GATHER) || rank == e->peer;
}

static void race_learn_all(const struct replay *replay, int rank, uint32_t entry)
{
    const struct log_entry *e = entry_of(replay, rank, entry);
    size_t first = replay->partner[rank][entry];
    for (size_t i = first; i < replay->key_count && key_same(&replay->keys[i], &replay->keys[first]); i++)
        if (race_hears(e, rank, (int)replay->keys[i].rank))
            race_learn(replay, rank, (int)replay->keys[i].rank, replay->keys[i].entry);
}

void races_pass(struct replay *replay, int rank)
{
    uint32_t at = replay->at[rank];
    const struct log_entry *e = entry_of(replay, rank, at);
    uint32_t entry = e->kind == LOG_WAIT ? e->number - 1 : at;
    race_now_of(replay, rank)[rank] = at + 1;
    if ((e->kind != LOG_WAIT && !e->blocks) || replay->over[rank][entry] != NOBODY)
        return;
    replay->over[rank][entry] = at;
    e = entry_of(replay, rank, entry);
    uint32_t partner = replay->partner[rank][entry];
    if (e->kind == LOG_COLLECTIVE)
        race_learn_all(replay, rank, entry);
    else if (partner != NOBODY && !was_buffered(replay, e))
        race_learn(replay, rank, e->peer, partner);
}

/* ---- races ------------------------------------------------------------------------------------- */

static bool race_is_whole(const struct replay *replay, int rank)
{
    return atomic_load(&replay->logs[rank]->count) == replay->counts[rank];
}

/* Could the first message of `other` that no earlier receive has taken have come for this one? */
static bool race_could_take(const struct replay *replay, struct race *race)
{
    const struct log_entry *e = entry_of(replay, race->rank, race->receive);
    struct key key = { race->other, race->rank, e->group, (uint32_t)e->tag, 0, 0, 0 };
    size_t begin, end = replay_find(replay, &key, &begin), receives = begin;
    bool named = race_is_whole(replay, race->rank) && race_is_whole(replay, race->other);
    while (receives < end && !replay->keys[receives].receives)
        receives++;
    size_t sends = receives - begin, next = receives;
    while (next < end && replay->keys[next].entry < race->receive)
        next++;
    if (next - receives >= sends)
        return false;
    race->message = replay->keys[begin + (next - receives)].entry;
    for (size_t i = receives; i < end; i++)
        named &= !entry_of(replay, race->rank, replay->keys[i].entry)->any;
    race->starves =
        named && end - receives == sends ? entry_of(replay, race->rank, replay->keys[end - 1].entry) : NULL;
    const uint32_t *known = clock_of(replay, race->other, race->message);
    return race->message <= replay->at[race->other] &&
           known[race->rank] <= replay->over[race->rank][race->receive] && known[race->took] <= race->taken;
}

/* The first; rather one after which somebody would wait for ever, if there is one. */
static bool race_find_race(const struct replay *replay, struct race *found)
{
    struct race here, *race = &here;
    bool any = false;
    for (race->rank = 0; race->rank < replay->size; race->rank++)
        for (race->receive = 0; race->receive < replay->at[race->rank]; race->receive++) {
            const struct log_entry *e = entry_of(replay, race->rank, race->receive);
            race->taken = replay->partner[race->rank][race->receive];
            race->took = e->peer;
            if (e->kind != LOG_RECV || !e->any || race->taken == NOBODY)
                continue;
            for (race->other = 0; race->other < replay->size; race->other++)
                if (race->other != race->took && race_could_take(replay, race) && (!any || race->starves)) {
                    *found = *race;
                    any = true;
                    if (found->starves)
                        return true;
                }
        }
    return any;
}

void races_tell(const struct world *world, const struct replay *replay)
{
    struct race race = { 0 };
    struct diagnosis d = { .world = world, .size = replay->size, .class = CAUSE_LUCK };
    d.views = calloc((size_t)d.size, sizeof *d.views);
    if (d.views && race_find_race(replay, &race)) {
        for (int rank = 0; rank < d.size; rank++)
            d.views[rank].state = RANK_LEFT;
        replay_view(entry_of(replay, race.other, race.message), &d.views[race.other]);
        replay_view(entry_of(replay, race.took, race.taken), &d.views[race.took]);
        replay_view(entry_of(replay, race.rank, race.receive), &d.views[race.rank]);
        explain_race(&d, race.rank, race.took, race.other, race.starves ? race.starves->site : 0);
        report_text(&d);
    }
    free(d.views);
}
