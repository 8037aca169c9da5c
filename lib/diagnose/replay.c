/*
 * replay.c: did this run only end because its messages were short enough to be buffered?
 *
 * The ranks' lists of calls (log.h) are gone through once more, with a send that is over only when its receive was
 * posted. Nothing is guessed: a receive from anybody has the sender that it really had. Each rank moves on as far as it
 * can; the order in which the ranks are taken does not matter, since a call that can end can still end later. Where
 * none can move and not all are at their end, the run was lucky.
 */
#define _GNU_SOURCE
#include "replay.h"

#include <stdlib.h>
#include <unistd.h>

#define NOBODY UINT32_MAX

static int compare(const void *left, const void *right)
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

/* All entries but the waits, sorted. False: a receive whose sender is not known makes it all guesswork. */
static bool collect(struct replay *replay)
{
    for (int rank = 0; rank < replay->size; rank++)
        for (uint32_t i = 0; i < replay->counts[rank]; i++) {
            const struct log_entry *e = entry_of(replay, rank, i);
            struct key *key = &replay->keys[replay->key_count];
            if (e->kind == LOG_WAIT)
                continue;
            if (e->kind == LOG_RECV && e->peer < 0)
                return false;
            *key = (struct key){ -1, -1, e->group, e->number, 0, (uint32_t)rank, i };
            if (e->kind != LOG_COLLECTIVE) {
                key->src = e->kind == LOG_SEND ? rank : e->peer;
                key->dst = e->kind == LOG_SEND ? e->peer : rank;
                key->tag = (uint32_t)e->tag;
                key->receives = e->kind == LOG_RECV;
            }
            replay->key_count++;
        }
    qsort(replay->keys, replay->key_count, sizeof *replay->keys, compare);
    return true;
}

/* Messages of one pair, group and tag do not overtake: the n-th send belongs to the n-th receive. */
static void pair(struct replay *replay, size_t begin, size_t end)
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

static void pair_all(struct replay *replay)
{
    for (size_t begin = 0, end; begin < replay->key_count; begin = end) {
        end = begin + 1;
        while (end < replay->key_count && key_same(&replay->keys[begin], &replay->keys[end]))
            end++;
        pair(replay, begin, end);
    }
}

static bool is_over(const struct replay *replay, int rank, uint32_t entry)
{
    const struct log_entry *e = entry_of(replay, rank, entry);
    uint32_t partner = replay->partner[rank][entry];
    if (e->kind == LOG_WAIT)
        return is_over(replay, rank, e->number - 1);
    if (e->kind == LOG_COLLECTIVE)
        return replay->arrived[partner] >= e->size;
    return partner == NOBODY || partner <= replay->at[e->peer];
}

static void arrive(struct replay *replay, int rank)
{
    uint32_t at = replay->at[rank];
    if (at < replay->counts[rank] && entry_of(replay, rank, at)->kind == LOG_COLLECTIVE)
        replay->arrived[replay->partner[rank][at]]++;
}

static bool move_on(struct replay *replay, int rank)
{
    uint32_t from = replay->at[rank];
    while (replay->at[rank] < replay->counts[rank]) {
        uint32_t at = replay->at[rank];
        if (entry_of(replay, rank, at)->blocks && !is_over(replay, rank, at))
            break;
        replay->at[rank]++;
        arrive(replay, rank);
    }
    return replay->at[rank] != from;
}

/* True: all come to their end. */
static bool run_again(struct replay *replay)
{
    bool moved = true, ended = true;
    for (int rank = 0; rank < replay->size; rank++)
        arrive(replay, rank);
    while (moved) {
        moved = false;
        for (int rank = 0; rank < replay->size; rank++)
            moved |= move_on(replay, rank);
    }
    for (int rank = 0; rank < replay->size; rank++)
        ended &= replay->at[rank] == replay->counts[rank];
    return ended;
}

/* Room for all of it in one piece of work. False: no rank keeps a list, or there is no memory. */
static bool prepare(struct replay *replay, const struct world *world)
{
    size_t total = 0, size = (size_t)replay->size;
    replay->logs = calloc(size, sizeof *replay->logs);
    replay->counts = calloc(size, sizeof *replay->counts);
    replay->at = calloc(size, sizeof *replay->at);
    replay->partner = calloc(size, sizeof *replay->partner);
    if (!replay->logs || !replay->counts || !replay->at || !replay->partner)
        return false;
    for (size_t rank = 0; rank < size; rank++) {
        if (!(replay->logs[rank] = log_of(world, (int)rank)))
            return false;
        replay->counts[rank] = atomic_load(&replay->logs[rank]->count);
        if (replay->counts[rank] > LOG_ROOM) {
            dprintf(STDERR_FILENO,
                    "note: rank %d made more than %d calls, too many to see whether it depends on\n"
                    "  buffered messages.\n",
                    (int)rank, LOG_ROOM);
            return false;
        }
        replay->partner[rank] = calloc((size_t)replay->counts[rank] + 1, sizeof **replay->partner);
        if (!replay->partner[rank])
            return false;
        total += replay->counts[rank];
    }
    replay->keys = calloc(total + 1, sizeof *replay->keys);
    replay->arrived = calloc(total + 1, sizeof *replay->arrived);
    return replay->keys && replay->arrived;
}

void replay_check(const struct world *world)
{
    struct replay replay = { .size = world->header->size };
    if (log_of(world, 0) && prepare(&replay, world) && collect(&replay)) {
        pair_all(&replay);
        if (!run_again(&replay))
            luck_tell(world, &replay);
    }
    for (int rank = 0; replay.partner && rank < replay.size; rank++)
        free(replay.partner[rank]);
    free(replay.logs);
    free(replay.counts);
    free(replay.at);
    free(replay.partner);
    free(replay.keys);
    free(replay.arrived);
}
