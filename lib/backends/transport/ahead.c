/*
 * ahead.c: a receive of long data begins before their message has come (offers.c), where the transport can forget it again.
 *
 * Gloo sends nothing before it has heard that the receive has begun. To begin it when the message has come would be too late by the way
 * there and back. So a receive begins at once, under a tag that only one message can have: which long one from its rank to this it is, as
 * both of them count, and all in which it must be equal to its receive, mixed to 63 bits. If the next one has that tag its data come
 * at once, and if they leave at once nothing needs to announce them. If it has another, nobody will ever send under this
 * one, and the receive is taken back.
 *
 * Only the first receive that is posted for a group and a tag begins ahead, of each rank one: else the message could be another's. What
 * comes over one connection comes in order; so data are looked for before a message of the same rank meets a receive. Data without a note
 * are counted as one. A note that its data have overtaken is late, and says nothing new. (tests/model/ahead.c)
 */
#include "ahead.h"
#include "offers.h"

#include <stdlib.h>

#define VAIN_MOST 256 /* of one rank: the transport keeps their tags */

bool ahead_open(struct transport_room *room, int size)
{
    room->ahead.of = room->transport->forget ? calloc((size_t)size, sizeof *room->ahead.of) : NULL;
    return room->ahead.of || !room->transport->forget;
}

void ahead_close(struct transport_room *room)
{
    free(room->ahead.of);
}

static uint64_t ahead_mix(uint64_t mixed, uint64_t next)
{
    mixed = (mixed ^ next) * UINT64_C(0x9e3779b97f4a7c15);
    return mixed ^ mixed >> 29;
}

static uint64_t ahead_tag(uint32_t number, const struct claim *claim)
{
    uint64_t mixed = ahead_mix(number, (uint64_t)claim->count);
    mixed = ahead_mix(mixed, match_key(claim->type, claim->group, claim->root));
    return ahead_mix(mixed, number) | TRANSPORT_AHEAD;
}

void ahead_name(struct transport_room *room, int peer, struct wire *message)
{
    if (!room->ahead.of)
        return;
    message->seq = room->ahead.of[peer].sent++;
    if (offers_are(message))
        message->tag = ahead_tag(message->seq, &message->claim);
}

/* ---- the receiver --------------------------------------------------------------------------------------- */

/* A place in use: with this op, or from this rank. With neither: a free one. NULL: there is none. */
static struct ahead_place *ahead_find(struct transport_room *room, const struct dist_work *op, int from)
{
    bool free = !op && from < 0;
    for (struct ahead_place *at = room->ahead.places; at < room->ahead.places + AHEAD_MOST; at++)
        if (free ? !at->op : at->op && (at->op == op || at->op->peer == from))
            return at;
    return NULL;
}

static void ahead_free(struct transport_room *room, struct ahead_place *place)
{
    place->op = NULL;
    room->ahead.count--;
}

void ahead_begin(struct transport_room *room, struct dist_work *op)
{
    size_t bytes = (size_t)op->out.count * dtype_size(op->type);
    int peer = op->peer;
    if (!room->ahead.of || peer == DIST_ANY_SOURCE || peer == room->rank || near_has(room, peer) ||
        wire_inside(room, peer, bytes) == bytes)
        return;
    bool is_first = match_find(&room->posted, match_key(peer, op->group->id, op->tag)) == &op->match,
         may = is_first && room->posted_any == 0 && room->ahead.of[peer].vain < VAIN_MOST;
    struct ahead_place *place = may && !ahead_find(room, NULL, peer) ? ahead_find(room, NULL, -1) : NULL;
    if (!place)
        return;
    struct claim claim = claim_of(op);
    uint64_t tag = ahead_tag(room->ahead.of[peer].heard, &claim);
    *place = (struct ahead_place){ op, tag, room->transport->recv(op->out.data, bytes, peer, tag) };
    room->ahead.count++;
    if (place->request == 0)
        wire_broken(room);
}

void ahead_take_back(struct transport_room *room, const struct dist_work *op)
{
    struct ahead_place *place = room->ahead.count > 0 ? ahead_find(room, op, -1) : NULL;
    if (!place)
        return;
    room->transport->forget(place->request);
    room->ahead.of[op->peer].vain++;
    ahead_free(room, place);
}

/* Its data are looked for. True: they have come. */
static bool ahead_look(struct transport_room *room, struct ahead_place *place)
{
    struct dist_work *op = place->op;
    int done = room->transport->test(&place->request);
    if (done < 0)
        wire_broken(room);
    if (done <= 0)
        return false;
    ahead_free(room, place);
    wire_heard(room);
    room->ahead.of[op->peer].heard++;
    match_remove(&room->posted, &op->match);
    op->from = op->peer;
    transport_done(op, DIST_OK);
    return true;
}

bool ahead_progress(struct transport_room *room)
{
    bool moved = false;
    int open = room->ahead.count;
    for (struct ahead_place *at = room->ahead.places; open > 0 && !room->failed; at++) {
        if (!at->op)
            continue;
        open--;
        moved |= ahead_look(room, at);
    }
    return moved;
}

void ahead_settle(struct transport_room *room, int from)
{
    struct ahead_place *place = room->ahead.count > 0 ? ahead_find(room, NULL, from) : NULL;
    if (place)
        ahead_look(room, place);
}

bool ahead_is_late(struct transport_room *room, int from, const struct wire *message)
{
    struct ahead_peer *of = room->ahead.of ? &room->ahead.of[from] : NULL;
    if (of && message->seq == of->heard)
        of->heard++;
    else if (of) { /* as if it was taken now: its sender counts that */
        wire_count(room, from);
        wire_announce(room, from);
        return true;
    }
    return false;
}

transport_request ahead_meet(struct transport_room *room, const struct dist_work *op,
                             const struct wire *message)
{
    struct ahead_place *place = room->ahead.count > 0 ? ahead_find(room, op, -1) : NULL;
    if (place && place->tag == message->tag) {
        ahead_free(room, place);
        return place->request;
    }
    ahead_take_back(room, op);
    return 0;
}
