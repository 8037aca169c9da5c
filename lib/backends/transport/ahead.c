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
    room->ahead = room->transport->forget ? calloc((size_t)size, sizeof *room->ahead) : NULL;
    return room->ahead || !room->transport->forget;
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
    if (!room->ahead)
        return;
    message->seq = room->ahead[peer].sent++;
    if (offers_are(message))
        message->tag = ahead_tag(message->seq, &message->claim);
}

/* ---- the receiver --------------------------------------------------------------------------------------- */

/* Nothing goes on ahead from this rank any more. */
static void ahead_free(struct transport_room *room, struct ahead *from)
{
    from->op = NULL;
    room->begun--;
}

void ahead_begin(struct transport_room *room, struct dist_work *op, size_t bytes)
{
    int peer = op->peer;
    if (!room->ahead || peer == DIST_ANY_SOURCE || peer == room->rank || near_has(room, peer) ||
        wire_inside(room, peer, bytes) == bytes)
        return;
    struct ahead *from = &room->ahead[peer];
    bool is_first = match_find(&room->posted, match_key(peer, op->group->id, op->tag)) == &op->match;
    if (!is_first || from->op || room->posted_any > 0 || from->vain == VAIN_MOST)
        return;
    struct claim claim = claim_of(op);
    from->op = op;
    from->tag = ahead_tag(from->heard, &claim);
    from->request = room->transport->recv(op->out.data, bytes, peer, from->tag);
    room->begun++;
    if (from->request == 0)
        wire_broken(room);
}

/* What this receive has begun; NULL: nothing. */
static struct ahead *ahead_of(struct transport_room *room, const struct dist_work *op)
{
    struct ahead *from = room->begun > 0 && op->peer != DIST_ANY_SOURCE ? &room->ahead[op->peer] : NULL;
    return from && from->op == op ? from : NULL;
}

void ahead_take_back(struct transport_room *room, const struct dist_work *op)
{
    struct ahead *from = ahead_of(room, op);
    if (!from)
        return;
    room->transport->forget(from->request);
    from->vain++;
    ahead_free(room, from);
}

/* Its data are looked for. True: they have come. */
static bool ahead_look(struct transport_room *room, struct ahead *from)
{
    struct dist_work *op = from->op;
    if (!op || wire_test(room, &from->request) <= 0)
        return false;
    ahead_free(room, from);
    from->heard++;
    wire_heard(room);
    match_remove(&room->posted, &op->match);
    op->from = op->peer;
    transport_done(op, DIST_OK);
    return true;
}

bool ahead_progress(struct transport_room *room)
{
    bool moved = false;
    for (int peer = 0, open = room->begun; open > 0 && !room->failed; peer++) {
        open -= room->ahead[peer].op != NULL;
        moved |= ahead_look(room, &room->ahead[peer]);
    }
    return moved;
}

void ahead_settle(struct transport_room *room, int from)
{
    if (room->begun > 0)
        ahead_look(room, &room->ahead[from]);
}

bool ahead_is_late(struct transport_room *room, int from, const struct wire *message)
{
    if (message->seq == room->ahead[from].heard) {
        room->ahead[from].heard++;
        return false;
    }
    wire_count(room, from); /* as if it was taken now: its sender counts that */
    wire_announce(room, from);
    return true;
}

transport_request ahead_meet(struct transport_room *room, const struct dist_work *op,
                             const struct wire *message)
{
    struct ahead *from = ahead_of(room, op);
    if (from && from->tag == message->tag) {
        ahead_free(room, from);
        return from->request;
    }
    ahead_take_back(room, op);
    return 0;
}
