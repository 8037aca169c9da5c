/*
 * replay.c: did this run only end because its messages were short enough to be buffered? Or as it did because one message was
 * quicker than another (race.c)?
 *
 * The ranks' lists of calls (log.h) are gone through once more, with a send that is over only when its receive was
 * posted. Nothing is guessed: a receive from anybody has the sender that it really had. Each rank moves on as far as it
 * can; the order in which the ranks are taken does not matter, since a call that can end can still end later. Where
 * none can move, and some wait for each other, the run was lucky. Of a rank that made more calls than its list holds nobody
 * knows what it does behind its end: it is nobody's cause.
 */
#include "replay.h"

#include <stdlib.h>

static int replay_compare(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    if (a->dst != b->dst)
        return a->dst < b->dst ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    if (a->receives != b->receives)
        return a->receives < b->receives ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->entry < b->entry ? -1 : a->entry > b->entry;
}

/* All entries but the waits, sorted. A receive from anybody that never met a message is nobody's other half. */
static void replay_collect(struct replay *replay)
{
    for (int rank = 0; rank < replay->size; rank++)
        for (uint32_t i = 0; i < replay->counts[rank]; i++) {
            const struct log_entry *e = entry_of(replay, rank, i);
            struct key *key = &replay->keys[replay->key_count];
            if (e->kind == LOG_WAIT)
                continue;
            replay->partner[rank][i] = NOBODY;
            if (e->kind == LOG_RECV && e->peer < 0)
                continue;
            *key = (struct key){ -1, -1, e->group, e->number, 0, (uint32_t)rank, i };
            if (e->kind != LOG_COLLECTIVE) {
                key->src = e->kind == LOG_SEND ? rank : e->peer;
                key->dst = e->kind == LOG_SEND ? e->peer : rank;
                key->tag = (uint32_t)e->tag;
                key->receives = e->kind == LOG_RECV;
            }
            replay->key_count++;
        }
    qsort(replay->keys, replay->key_count, sizeof *replay->keys, replay_compare);
}

size_t replay_find(const struct replay *replay, const struct key *key, size_t *begin)
{
    size_t low = 0, high = replay->key_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (replay_compare(&replay->keys[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (*begin = low; low < replay->key_count && key_same(&replay->keys[low], key);)
        low++;
    return low;
}

/* Messages of one pair, group and tag do not overtake: the n-th send belongs to the n-th receive. */
static void replay_pair(struct replay *replay, size_t begin, size_t end)
{
    size_t receives = begin;
    while (receives < end && !replay->keys[receives].receives)
        receives++;
    for (size_t i = begin; i < end; i++) {
        const struct key *key = &replay->keys[i];
        size_t other = key->receives ? begin + (i - receives) : receives + (i - begin);
        bool paired = key->receives ? other < receives : other < end;
        uint32_t partner = paired ? replay->keys[other].entry : NOBODY;
        replay->partner[key->rank][key->entry] = key->src < 0 ? (uint32_t)begin : partner;
    }
}

static void replay_pair_all(struct replay *replay)
{
    for (size_t begin = 0, end; begin < replay->key_count; begin = end) {
        end = begin + 1;
        while (end < replay->key_count && key_same(&replay->keys[begin], &replay->keys[end]))
            end++;
        replay_pair(replay, begin, end);
    }
}

static bool replay_is_over(const struct replay *replay, int rank, uint32_t entry)
{
    const struct log_entry *e = entry_of(replay, rank, entry);
    uint32_t partner = replay->partner[rank][entry];
    if (replay->clock && was_buffered(replay, e))
        return true;
    if (e->kind == LOG_WAIT)
        return replay_is_over(replay, rank, e->number - 1);
    if (e->kind == LOG_COLLECTIVE)
        return replay->arrived[partner] >= e->size;
    return partner == NOBODY || partner <= replay->at[e->peer];
}

static void replay_arrive(struct replay *replay, int rank)
{
    uint32_t at = replay->at[rank];
    if (at < replay->counts[rank] && entry_of(replay, rank, at)->kind == LOG_COLLECTIVE)
        replay->arrived[replay->partner[rank][at]]++;
    if (replay->clock && at < replay->counts[rank])
        races_arrive(replay, rank);
}

static bool replay_move_on(struct replay *replay, int rank)
{
    uint32_t from = replay->at[rank];
    while (replay->at[rank] < replay->counts[rank]) {
        uint32_t at = replay->at[rank];
        const struct log_entry *e = entry_of(replay, rank, at);
        if ((e->blocks || (replay->clock && e->kind == LOG_WAIT)) && !replay_is_over(replay, rank, at))
            break;
        if (replay->clock)
            races_pass(replay, rank);
        replay->at[rank]++;
        replay_arrive(replay, rank);
    }
    return replay->at[rank] != from;
}

/* True: all come to their end. */
static bool replay_run_again(struct replay *replay)
{
    bool moved = true, ended = true;
    for (int rank = 0; rank < replay->size; rank++)
        replay_arrive(replay, rank);
    while (moved) {
        moved = false;
        for (int rank = 0; rank < replay->size; rank++)
            moved |= replay_move_on(replay, rank);
    }
    for (int rank = 0; rank < replay->size; rank++)
        ended &= replay->at[rank] == replay->counts[rank];
    return ended;
}

/* The calls of several threads stand in one list, and none waits for another's. */
uint64_t replay_bytes(const struct world *world, int rank)
{
    const struct call_log *log = log_of(world, rank);
    if (!log || atomic_load(&world_notes(world, rank)->several))
        return 0;
    uint32_t count = atomic_load(&log->count);
    return offsetof(struct call_log, entries) +
           (count < LOG_ROOM ? count : LOG_ROOM) * sizeof(struct log_entry);
}

/* Room for all of it in one piece of work. False: no rank keeps a list, or there is no memory. */
static bool replay_prepare(struct replay *replay, const struct world *world, bool races)
{
    size_t total = 0, size = (size_t)replay->size;
    uint64_t most = races ? RACES_ROOM / (size * size) : LOG_ROOM;
    replay->logs = calloc(size, sizeof *replay->logs);
    replay->counts = calloc(size, sizeof *replay->counts);
    replay->at = calloc(size, sizeof *replay->at);
    replay->partner = calloc(size, sizeof *replay->partner);
    if (!replay->logs || !replay->counts || !replay->at || !replay->partner)
        return false;
    for (size_t rank = 0; rank < size; rank++) {
        if (!(replay->logs[rank] = log_of(world, (int)rank)) || replay_bytes(world, (int)rank) == 0)
            return false;
        uint32_t count = atomic_load(&replay->logs[rank]->count);
        count = count > LOG_ROOM ? LOG_ROOM : count;
        replay->counts[rank] = count > most ? (uint32_t)most : count;
        replay->partner[rank] = calloc((size_t)replay->counts[rank] + 1, sizeof **replay->partner);
        if (!replay->partner[rank])
            return false;
        total += replay->counts[rank];
    }
    replay->keys = calloc(total + 1, sizeof *replay->keys);
    replay->arrived = calloc(total + 1, sizeof *replay->arrived);
    return replay->keys && replay->arrived && (!races || races_open(replay));
}

static void replay_again(const struct world *world, uint64_t buffered, bool races)
{
    struct replay replay = { .size = world->header->size, .buffered = buffered };
    if (replay_prepare(&replay, world, races)) {
        replay_collect(&replay);
        replay_pair_all(&replay);
        bool ended = replay_run_again(&replay);
        if (races)
            races_tell(world, &replay);
        else if (!ended)
            luck_tell(world, &replay);
    }
    races_close(&replay);
    for (int rank = 0; replay.partner && rank < replay.size; rank++)
        free(replay.partner[rank]);
    free(replay.logs);
    free(replay.counts);
    free(replay.at);
    free(replay.partner);
    free(replay.keys);
    free(replay.arrived);
}

void replay_check(const struct world *world)
{
    size_t buffered = 0;
    char why[SETTING_WHY];
    if (!log_of(world, 0))
        return;
    if (launch_read_buffering(&buffered, why, sizeof why) == DIST_OK && buffered > 0)
        replay_again(world, buffered, false);
    if (setting_is("DIST_CHECK", "1"))
        replay_again(world, buffered, true);
}
