/*
 * slips.c: two ranks of one machine show each other their cards, in the world's memory.
 *
 *   channel(a, b)    half 0: cards that a shows to b        half 1: cards that b shows to a
 *
 * In channel(a, b) meet what a sends to b and what b receives from a, and, for a < b, the collectives of both: the n-th
 * card of one half with the n-th of the other. Each half is written by one rank only. `shown` counts its cards, `read` the
 * cards of the other half that it has read. A card may be written over once the other side has read it:
 * other.read == shown; and may be read once other.shown > read. Both counters are stored (seq_cst) after what they announce,
 * and the peer's bell is rung after that.
 */
#include "room.h"

#include <stdio.h>

#define NAP 100 /* ms after which a sleeper looks whether the job still stands */

struct half {
    alignas(WORLD_LINE) _Atomic uint32_t shown;
    _Atomic uint32_t read;
    struct card card;
};

struct channel {
    struct half halves[2];
};

/* What rank 0 lays down for the others. */
struct desk {
    alignas(WORLD_LINE) _Atomic uint32_t written;
    ncclUniqueId id;
};

_Static_assert(sizeof(struct card) == 64, "a card is short");

/* The room's part of the world's memory: the desk, then a channel for each two ranks, in both orders. */
static struct desk *desk_of(const struct nccl_room *room)
{
    return world_at(&room->self->world, room->self->world.header->room_offset);
}

static struct half *half_of(const struct nccl_room *room, const struct meeting *m, bool mine)
{
    int from = m->first ? room->rank : m->peer, to = m->first ? m->peer : room->rank;
    struct channel *channels = (struct channel *)(desk_of(room) + 1);
    return &channels[(size_t)from * (size_t)room->size + (size_t)to].halves[m->first == mine ? 0 : 1];
}

static void ring(const struct nccl_room *room, int rank)
{
    rank_ring(&room->self->world.header->slots[rank]);
}

/* ---- meeting ---------------------------------------------------------------------------------- */

static bool show(struct nccl_room *room, struct meeting *m)
{
    struct half *mine = half_of(room, m, true), *theirs = half_of(room, m, false);
    uint32_t shown = atomic_load(&mine->shown);
    if (atomic_load(&theirs->read) != shown)
        return false;
    mine->card = m->mine;
    atomic_store(&mine->shown, shown + 1);
    ring(room, m->peer);
    return m->shown = true;
}

static bool meet(struct nccl_room *room, struct meeting *m)
{
    struct half *mine = half_of(room, m, true), *theirs = half_of(room, m, false);
    uint32_t read = atomic_load(&mine->read);
    if (atomic_load(&theirs->shown) == read)
        return false;
    m->theirs = theirs->card;
    atomic_store(&mine->read, read + 1);
    ring(room, m->peer);
    return m->met = true;
}

struct round {
    struct nccl_room *room;
    struct meeting *meetings;
    int count;
};

/* Move all on as far as they go; in a channel each waits for the one before. True: something moved. */
static bool walk(void *argument)
{
    const struct round *round = argument;
    bool unshown[2][WORLD_MAX_RANKS] = { { false } }, unmet[2][WORLD_MAX_RANKS] = { { false } },
         moved = false;
    for (int i = 0; i < round->count; i++) {
        struct meeting *m = &round->meetings[i];
        if (!m->shown && !unshown[m->first][m->peer])
            moved |= show(round->room, m);
        unshown[m->first][m->peer] |= !m->shown;
        if (!m->met && m->shown && !unmet[m->first][m->peer])
            moved |= meet(round->room, m);
        unmet[m->first][m->peer] |= !m->met;
    }
    return moved || world_failed(&round->room->self->world);
}

static bool all_met(const struct round *round)
{
    for (int i = 0; i < round->count; i++)
        if (!round->meetings[i].met)
            return false;
    return true;
}

/* ---- sleeping, with a note for the watcher ------------------------------------------------------- */

static void note_op(struct nccl_room *room, const struct dist_work *op, struct note_op *note)
{
    struct nccl_group *g = op->group->room;
    *note = (struct note_op){ .kind = !op->p2p    ? NOTE_COLLECTIVE
                                      : op->sends ? NOTE_SEND
                                                  : NOTE_RECV,
                              .type = (uint8_t)op->type,
                              .arrived = 1,
                              .call = (uint8_t)op->call,
                              .group = (uint16_t)op->group->id,
                              .size = (uint16_t)op->group->size,
                              .site = op->site,
                              .peer = op->p2p || !has_root(op) ? op->peer : op->group->ranks[op->peer],
                              .tag = op->tag,
                              .seq = g->seq,
                              .stream = op->gpu ? op->stream : 0,
                              .count = op->p2p ? (op->sends ? op->in.count : op->out.count) : op->block,
                              .members = g->members ? world_offset(&room->self->world, g->members) : 0 };
}

static void pin(const struct round *round)
{
    struct rank_notes *notes = round->room->notes;
    const struct dist_work *last = NULL;
    uint32_t count = 0;
    atomic_store(&notes->open_count, 0);
    for (int i = 0; i < round->count && count < NOTE_OPS; i++) {
        const struct meeting *m = &round->meetings[i];
        if (!m->met && m->op != last)
            note_op(round->room, last = m->op, &notes->open[count++]);
    }
    atomic_store(&notes->open_count, count);
}

static void rest(struct nccl_room *room, bool timed, bool (*look)(void *), void *argument)
{
    struct rank_slot *slot = room->slot;
    atomic_store(&slot->sleep.bell, world_offset(&room->self->world, &slot->bell));
    atomic_store(&slot->sleep.timed, timed);
    bell_sleep(&slot->bell, look, argument, NAP, &slot->sleep);
    launch_look_around(room->self);
}

int slips_meet(struct nccl_room *room, struct meeting *meetings, int count, double deadline)
{
    struct round round = { room, meetings, count };
    struct patience patience = { 0 };
    int status = DIST_OK;
    if (count > 0 && !meetings->op->p2p)
        ((struct nccl_group *)meetings->op->group->room)->seq++;
    while (!all_met(&round) && status == DIST_OK) {
        if (walk(&round) && !world_failed(&room->self->world))
            patience.rounds = 0;
        else if (world_failed(&room->self->world))
            status = DIST_ERR_PEER_LOST;
        else if (deadline > 0 && dist_time() > deadline)
            status = DIST_ERR_TIMEOUT;
        else if (!patience_spin(&patience)) {
            pin(&round);
            rest(room, deadline > 0, walk, &round);
        }
    }
    atomic_store(&room->notes->open_count, 0);
    return status;
}

/* ---- where is rank 0? -------------------------------------------------------------------------------- */

static bool id_is_there(void *argument)
{
    struct nccl_room *room = argument;
    return atomic_load(&desk_of(room)->written) != 0 || world_failed(&room->self->world);
}

int slips_share_id(struct nccl_room *room, ncclUniqueId *id, double seconds, char *why, size_t why_size)
{
    struct desk *desk = desk_of(room);
    double deadline = dist_time() + seconds;
    size_t bytes = sizeof *desk + (size_t)room->size * (size_t)room->size * sizeof(struct channel);
    if (bytes > room->self->world.header->room_bytes) {
        snprintf(why, why_size, "the world has too little room for %d ranks", room->size);
        return DIST_ERR_SYSTEM; /* world_room_bytes and this room have come apart */
    }
    if (room->rank == 0) {
        desk->id = *id;
        atomic_store(&desk->written, 1);
        for (int i = 1; i < room->size; i++)
            ring(room, i);
    }
    while (!id_is_there(room) && dist_time() < deadline)
        rest(room, true, id_is_there, room);
    if (world_failed(&room->self->world))
        return nccl_job_failed(room, why, why_size);
    if (!atomic_load(&desk->written)) {
        snprintf(why, why_size, "rank 0 has not come within %g s (DIST_INIT_TIMEOUT=SECONDS waits longer)",
                 seconds);
        return DIST_ERR_TIMEOUT;
    }
    *id = desk->id;
    return DIST_OK;
}
