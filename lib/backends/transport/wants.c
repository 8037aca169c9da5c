/*
 * wants.c: long data for a receive that was posted before its message came: they need not be asked for any more (messages.c).
 *
 *   receiver  posts the transport's receive, and sends WANT, with its tag
 *   sender    its first message of this group and tag that waits for an answer, or else the next one, is what the receive is for: it is
 *             announced as always, but its data set out without a BEGIN
 *
 * A message goes to the receive of its group and tag that was posted first. Both ranks find the same pairs since notes stay in order: when
 * a WANT is heard, so are the answers to all that the receiver had heard of when it sent it. Only, all receives before this one must
 * have sent a WANT too: one behind another that has not sends none, nor does any while one from DIST_ANY_SOURCE is posted. If type or
 * count differ no data set out, and the message is refused. (tests/model/early.c)
 *
 * What is posted early is not under way before its message has come: who has nothing else may sleep, and be found in a deadlock.
 */
#include "wants.h"

#include <stdlib.h>

/* What another rank wants. */
struct want {
    struct match match; /* first */
    uint32_t type, tag;
    int64_t count;
};

/* ---- the receiver ------------------------------------------------------------------------------------ */

static uint64_t key_of(const struct dist_work *op)
{
    return match_key(op->peer, op->group->id, op->tag);
}

static int free_place(const struct wants *wants)
{
    int place = 0;
    while (place < WANTS_MOST && wants->early[place])
        place++;
    return place;
}

/* Of receives with this key: of those that stand in a line, only the first ones have sent a want. */
static bool is_behind_another(const struct transport_room *room, uint64_t key)
{
    const struct match *at = match_find(&room->posted, key);
    while (at && (at->key != key || match_receive(at)->ticket))
        at = at->chain;
    return at;
}

void wants_tell(struct transport_room *room, struct dist_work *op)
{
    struct wants *wants = &room->wants;
    size_t bytes = (size_t)op->out.count * dtype_size(op->type);
    int place = free_place(wants);
    if (bytes == 0 || room->posted_any || op->peer == DIST_ANY_SOURCE || op->peer == room->rank ||
        near_has(room, op->peer) || wire_inside(room, op->peer, bytes) || place == WANTS_MOST ||
        is_behind_another(room, key_of(op)))
        return;
    struct wire wire = { .kind = WIRE_WANT, .tag = WANTS_FIRST_TAG + (uint32_t)place, .claim = claim_of(op) };
    wants->early[place] = room->transport->recv(op->out.data, bytes, op->peer, (int)wire.tag);
    op->ticket = wire.tag;
    wire_send(room, op->peer, &wire, WIRE_ONE);
}

transport_request wants_early(const struct transport_room *room, const struct dist_work *op)
{
    return room->wants.early[op->ticket - WANTS_FIRST_TAG];
}

void wants_landed(struct transport_room *room, const struct dist_work *op)
{
    if (op->ticket)
        room->wants.early[op->ticket - WANTS_FIRST_TAG] = 0;
}

/* Its place stays taken: the tag may be in use with the transport. */
void wants_drop(struct transport_room *room, struct dist_work *op)
{
    if (op->ticket)
        room->transport->cancel(wants_early(room, op));
    op->ticket = 0;
}

/* ---- the sender ---------------------------------------------------------------------------------------- */

static bool fits(const struct want *want, const struct dist_work *op)
{
    return want->type == op->type && want->count == op->in.count;
}

/* The first that waits for an answer. What a want has claimed waits for its refusal. */
static struct dist_work **find_sent(struct transport_room *room, uint64_t key)
{
    struct dist_work **at = &room->sends.first;
    while (*at && ((*at)->claimed || key_of(*at) != key))
        at = &(*at)->next;
    return at;
}

static void set_out(struct transport_room *room, struct dist_work *op, uint32_t tag)
{
    op->phase = tag;
    queue_add(&room->begun, op);
}

void wants_hear(struct transport_room *room, int from, const struct wire *wire)
{
    struct want want = { .type = wire->claim.type, .tag = wire->tag, .count = wire->claim.count };
    uint64_t key = match_key(from, wire->claim.group, wire->claim.root);
    struct dist_work **sent = find_sent(room, key);
    struct want *held = *sent ? NULL : malloc(sizeof *held);
    if (*sent && fits(&want, *sent)) {
        set_out(room, queue_take(&room->sends, sent), want.tag);
    } else if (*sent) {
        (*sent)->claimed = true;
    } else if (held) {
        *held = want;
        match_add(&room->wants.held, &held->match, key);
    } else {
        transport_fail(room, DIST_ERR_MEMORY, "there is no memory left for a message");
    }
}

void wants_post(struct transport_room *room, struct dist_work *op)
{
    struct match *found = match_find(&room->wants.held, key_of(op));
    struct want *want = (struct want *)found;
    op->claimed = want;
    if (want && fits(want, op))
        set_out(room, op, want->tag);
    else
        queue_add(&room->sends, op);
    if (want)
        match_remove(&room->wants.held, found);
    free(want);
}

void wants_close(struct transport_room *room)
{
    for (struct match *match; (match = room->wants.held.first);) {
        match_remove(&room->wants.held, match);
        free(match);
    }
    match_close(&room->wants.held);
}
