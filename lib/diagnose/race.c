/*
 * race.c: which message could another run have received, with the same calls?
 *
 * A receive from anybody has met one message. Another one, of another rank, could have come for it if the receive fits it, if no earlier
 * receive had taken it, and if nothing put the two in order: its sender did not know, when it sent, that the receive was over, nor that
 * the message that it met had been sent. Who knows of what is a vector clock: each rank counts its calls, and with every message,
 * and every collective, who gets something learns all that the other knew.
 */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

struct race {
    int rank, took, other; /* who received, from whom, and from whom it could have */
    uint32_t receive, taken, message;
    const struct log_entry *starves; /* a receive that would then wait for ever; NULL: none */
};

/* ---- clocks ------------------------------------------------------------------------------------ */

static uint32_t *race_clock_of(const struct replay *replay, int rank, uint32_t entry)
{
    return replay->clock + (replay->ranks[rank].first + entry) * (size_t)replay->size;
}

static void race_learn(const struct replay *replay, uint32_t *now, int other, uint32_t entry)
{
    const uint32_t *clock = race_clock_of(replay, other, entry);
    for (int i = 0; i < replay->size; i++)
        now[i] = clock[i] > now[i] ? clock[i] : now[i];
}

/* Does a member of this collective get something of another? */
static bool race_hears(const struct log_entry *e, int rank, int other)
{
    if (e->op.call == CALL_BROADCAST || e->op.call == CALL_SCATTER)
        return other == e->peer;
    return (e->op.call != CALL_REDUCE && e->op.call != CALL_GATHER) || rank == e->peer;
}

static void race_learn_all(const struct replay *replay, uint32_t *now, int rank, uint32_t entry)
{
    const struct log_entry *e = entry_of(replay, rank, entry);
    const struct half *first = &replay->halves[met_of(replay, rank, entry)->partner];
    const struct half *end = replay->halves + replay->half_count;
    for (const struct half *half = first; half < end && half_same_channel(half, first); half++)
        if (race_hears(e, rank, half->rank))
            race_learn(replay, now, half->rank, half->entry);
}

void races_pass(struct replay *replay, int rank)
{
    uint32_t at = replay->ranks[rank].at, entry = entry_begun(replay, rank, at);
    uint32_t *now = race_clock_of(replay, rank, at + 1);
    memcpy(now, race_clock_of(replay, rank, at), (size_t)replay->size * sizeof *now);
    now[rank] = at + 1;
    if (met_of(replay, rank, entry)->over != at)
        return;
    const struct log_entry *e = entry_of(replay, rank, entry);
    uint32_t partner = met_of(replay, rank, entry)->partner;
    if (e->op.kind == NOTE_COLLECTIVE)
        race_learn_all(replay, now, rank, entry);
    else if (partner != NOBODY && !was_buffered(replay, e))
        race_learn(replay, now, e->peer, partner);
}

/* ---- races ------------------------------------------------------------------------------------- */

static bool race_is_whole(const struct replay *replay, int rank)
{
    return atomic_load(&replay->ranks[rank].log->count) == replay->ranks[rank].count;
}

/* Where the first of the halves stands that does not come before this one. */
static size_t race_place_of(const struct replay *replay, const struct half *half)
{
    size_t low = 0, high = replay->half_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (half_compare(&replay->halves[middle], half) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Are all receives of a channel, between these places, of a rank that they name? */
static bool race_all_are_named(const struct replay *replay, int rank, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++)
        if (entry_of(replay, rank, replay->halves[i].entry)->op.peer == DIST_ANY_SOURCE)
            return false;
    return true;
}

/* Could the first message of `other` that no earlier receive has taken have come for this one? Asked for each receive and each rank:
 * where its channel begins and ends is looked up, not counted. */
static bool race_could_take(const struct replay *replay, struct race *race)
{
    const struct half *halves = replay->halves;
    const struct log_entry *e = entry_of(replay, race->rank, race->receive);
    struct half half = { race->other, race->rank, e->op.group, (uint32_t)e->op.tag, false, -1, 0, 0 };
    size_t begin = race_place_of(replay, &half);
    half.receives = true;
    size_t receives = race_place_of(replay, &half);
    half.rank = race->rank;
    half.begin = race->receive;
    size_t next = race_place_of(replay, &half);
    half.rank = INT32_MAX;
    size_t end = race_place_of(replay, &half);
    if (next - receives >= receives - begin)
        return false;
    race->message = halves[begin + (next - receives)].entry;
    const uint32_t *known = race_clock_of(replay, race->other, race->message);
    if (race->message > replay->ranks[race->other].at ||
        known[race->rank] > met_of(replay, race->rank, race->receive)->over ||
        known[race->took] > race->taken)
        return false;
    bool starves = end > receives && end - receives == receives - begin &&
                   race_is_whole(replay, race->rank) && race_is_whole(replay, race->other) &&
                   race_all_are_named(replay, race->rank, receives, end);
    race->starves = starves ? entry_of(replay, race->rank, halves[end - 1].entry) : NULL;
    return true;
}

/* The first; rather one after which somebody would wait for ever, if there is one. */
static bool race_find(const struct replay *replay, struct race *found)
{
    struct race here, *race = &here;
    bool any = false;
    for (race->rank = 0; race->rank < replay->size; race->rank++)
        for (race->receive = 0; race->receive < replay->ranks[race->rank].at; race->receive++) {
            const struct log_entry *e = entry_of(replay, race->rank, race->receive);
            race->taken = met_of(replay, race->rank, race->receive)->partner;
            race->took = e->peer;
            if (e->op.peer != DIST_ANY_SOURCE || race->taken == NOBODY)
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
    struct race race = { 0 }; /* gcc 13 does not see that a true answer has filled it */
    struct diagnosis d;
    if (diagnosis_open(&d, world) && race_find(replay, &race)) {
        const struct log_entry *message = entry_of(replay, race.other, race.message),
                               *taken = entry_of(replay, race.took, race.taken),
                               *receive = entry_of(replay, race.rank, race.receive);
        for (int rank = 0; rank < d.size; rank++)
            d.views[rank].state = RANK_LEFT;
        replay_view(message, &d.views[race.other]);
        replay_view(taken, &d.views[race.took]);
        replay_view(receive, &d.views[race.rank]);
        why_add(
            &d.sentence,
            "it was luck which message rank %d received from anybody (%s): it was rank %d's (%s), and could "
            "have been rank %d's (%s)",
            race.rank, place_of(&d, race.rank, receive->op.site).text, race.took,
            place_of(&d, race.took, taken->op.site).text, race.other,
            place_of(&d, race.other, message->op.site).text);
        if (race.starves)
            why_add(&d.sentence, "; then rank %d would have waited for that one for ever (%s)", race.rank,
                    place_of(&d, race.rank, race.starves->op.site).text);
        advise(&d, LESSON_WHICH_MESSAGE,
               race.starves ? "name the rank that is meant, or give its messages a tag of their own"
                            : "name the rank that is meant, or give its messages a tag of their own; if any "
                              "order is right, DIST_SHUFFLE=1 tries others");
        report_text(&d);
    }
    free(d.views);
}
