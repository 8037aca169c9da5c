/*
 * replay.c: did this run only end because its messages were short enough to be buffered? Or as it did because one message was
 * quicker than another (race.c)?
 *
 * The ranks' lists of calls (log.h) are gone through once more, with a send that is over only when its receive was
 * posted. Nothing is guessed: a receive from anybody has the sender that it really had, and a look (dist_is_completed) is no wait, though a
 * program may look again and again: another one would have gone on. Each rank moves on as far as it
 * can; the order in which the ranks are taken does not matter, since a call that can end can still end later. Where
 * none can move, and some wait for each other, the run was lucky. Of a rank that made more calls than its list holds nobody
 * knows what it does behind its end: it is nobody's cause.
 */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define RACES_ROOM ((uint64_t)1 << 24) /* numbers in all vectors */

/* All entries but the waits, sorted, and where each is over. A receive from anybody that never met a message is nobody's other half. */
static void replay_collect(struct replay *replay)
{
    for (int rank = 0; rank < replay->size; rank++)
        for (uint32_t i = 0; i < replay->ranks[rank].count; i++) {
            const struct log_entry *e = entry_of(replay, rank, i);
            if (e->waits_for || e->blocks)
                met_of(replay, rank, entry_begun(replay, rank, i))->over = i;
            bool sends = e->op.kind == NOTE_SEND, message = e->op.kind != NOTE_COLLECTIVE;
            struct half half = { -1, -1, e->op.group, e->op.seq, false, rank, i, i };
            if (e->waits_for || (message && e->peer < 0))
                continue;
            if (message) {
                half.src = sends ? rank : e->peer;
                half.dst = sends ? e->peer : rank;
                half.tag = (uint32_t)e->op.tag;
                half.receives = !sends;
            }
            replay->halves[replay->half_count++] = half;
        }
    qsort(replay->halves, replay->half_count, sizeof *replay->halves, half_compare);
}

static void replay_pair_all(struct replay *replay)
{
    for (size_t begin = 0, end, receives; begin < replay->half_count; begin = end) {
        end = half_channel_end(replay->halves, replay->half_count, begin, &receives);
        for (size_t i = begin; i < end; i++) {
            const struct half *half = &replay->halves[i];
            size_t other = half->receives ? begin + (i - receives) : receives + (i - begin);
            uint32_t partner =
                other < (half->receives ? receives : end) ? replay->halves[other].entry : NOBODY;
            met_of(replay, half->rank, half->entry)->partner = half->src < 0 ? (uint32_t)begin : partner;
        }
    }
}

static bool replay_is_over(const struct replay *replay, int rank, uint32_t entry)
{
    entry = entry_begun(replay, rank, entry);
    const struct log_entry *e = entry_of(replay, rank, entry);
    uint32_t partner = met_of(replay, rank, entry)->partner;
    if (replay->clock && was_buffered(replay, e))
        return true;
    if (e->op.kind == NOTE_COLLECTIVE)
        return replay->arrived[partner] >= e->op.size;
    return partner == NOBODY || partner <= replay->ranks[e->peer].at;
}

static void replay_arrive(struct replay *replay, int rank)
{
    uint32_t at = replay->ranks[rank].at;
    if (at < replay->ranks[rank].count && entry_of(replay, rank, at)->op.kind == NOTE_COLLECTIVE)
        replay->arrived[met_of(replay, rank, at)->partner]++;
}

static bool replay_move_on(struct replay *replay, int rank)
{
    struct replayed *list = &replay->ranks[rank];
    uint32_t from = list->at;
    while (list->at < list->count) {
        const struct log_entry *e = entry_of(replay, rank, list->at);
        if ((e->blocks || (replay->clock && e->waits_for)) && !replay_is_over(replay, rank, list->at))
            break;
        if (replay->clock)
            races_pass(replay, rank);
        list->at++;
        replay_arrive(replay, rank);
    }
    return list->at != from;
}

static void replay_run_again(struct replay *replay)
{
    bool moved = true;
    for (int rank = 0; rank < replay->size; rank++)
        replay_arrive(replay, rank);
    while (moved) {
        moved = false;
        for (int rank = 0; rank < replay->size; rank++)
            moved |= replay_move_on(replay, rank);
    }
}

/* The calls of several threads stand in one list, and none waits for another's. */
uint64_t replay_bytes(const struct world *world, int rank)
{
    const struct call_log *log = log_of(world, rank);
    if (!log || atomic_load(&world_notes(world, rank)->several))
        return 0;
    return offsetof(struct call_log, entries) + log_count(log) * sizeof(struct log_entry);
}

/* Room for all of it in one piece of work. False: no rank keeps a list, or there is no memory. */
static bool replay_prepare(struct replay *replay, const struct world *world, bool races)
{
    size_t total = 0, size = (size_t)replay->size;
    uint64_t most = races ? RACES_ROOM / (size * size) : LOG_ROOM;
    if (!(replay->ranks = calloc(size, sizeof *replay->ranks)))
        return false;
    for (int rank = 0; rank < replay->size; rank++) {
        const struct call_log *log = log_of(world, rank);
        if (replay_bytes(world, rank) == 0)
            return false;
        uint32_t count = log_count(log) > most ? (uint32_t)most : log_count(log);
        replay->ranks[rank] = (struct replayed){ .log = log, .count = count, .first = total };
        total += count + 1;
    }
    replay->met = malloc(total * sizeof *replay->met);
    replay->halves = calloc(total, sizeof *replay->halves);
    replay->arrived = calloc(total, sizeof *replay->arrived);
    replay->clock = races ? calloc(total * size, sizeof *replay->clock) : NULL;
    if (!replay->met || !replay->halves || !replay->arrived || (races && !replay->clock))
        return false;
    memset(replay->met, 0xff, total * sizeof *replay->met); /* NOBODY */
    return true;
}

/* ---- the warning: who would have waited for whom ------------------------------------------------------------- */

bool replay_waits_for(const struct replay *replay, int rank, int peer)
{
    uint32_t entry = entry_begun(replay, rank, replay->ranks[rank].at);
    const struct log_entry *e = entry_of(replay, rank, entry);
    if (e->op.kind != NOTE_COLLECTIVE)
        return e->peer == peer;
    const struct half *own = &replay->halves[met_of(replay, rank, entry)->partner];
    const struct half *end = replay->halves + replay->half_count;
    for (const struct half *half = own; half < end && half_same_channel(half, own); half++)
        if (half->rank == peer)
            return half->entry > replay->ranks[peer].at;
    return false;
}

void replay_view(const struct log_entry *e, struct view *view)
{
    view->state = RANK_JOINED;
    view->count = 1;
    view->call = (uint32_t)e->op.call << 16 | e->op.site;
    view->open[0] = e->op;
}

static void replay_tell_luck(const struct world *world, const struct replay *replay)
{
    struct diagnosis d;
    if (diagnosis_open(&d, world)) {
        d.replay = replay;
        for (int rank = 0; rank < d.size; rank++) {
            const struct replayed *list = &replay->ranks[rank];
            if (list->at < list->count)
                replay_view(entry_of(replay, rank, entry_begun(replay, rank, list->at)), &d.views[rank]);
            else
                d.views[rank].state = list->count < LOG_ROOM ? RANK_LEFT : RANK_JOINED;
        }
        find_cycle(&d);
        if (d.cycle_length > 0) {
            explain_luck(&d);
            report_text(&d);
        }
    }
    free(d.views);
}

static void replay_again(const struct world *world, uint64_t buffered, bool races)
{
    struct replay replay = { .size = world->header->size, .buffered = buffered };
    if (replay_prepare(&replay, world, races)) {
        replay_collect(&replay);
        replay_pair_all(&replay);
        replay_run_again(&replay);
        if (races)
            races_tell(world, &replay);
        else
            replay_tell_luck(world, &replay);
    }
    free(replay.ranks);
    free(replay.met);
    free(replay.halves);
    free(replay.arrived);
    free(replay.clock);
}

void replay_check(const struct world *world)
{
    size_t buffered = 0;
    struct why why;
    if (launch_read_buffering(&buffered, &why) == DIST_OK && buffered > 0)
        replay_again(world, buffered, false);
    if (setting_is("DIST_CHECK", "1"))
        replay_again(world, buffered, true);
}
