/*
 * ahead.c: a receive of long data begins before their message has come (offers.c), where the transport can forget it again.
 *
 * Gloo sends nothing before it has heard that the receive has begun. To begin it when the message has come would be too late by the way
 * there and back. So a receive begins at once, under a tag that only one message can have: which long one from its rank to this it is, as
 * both of them count, how many short ones of its group and tag there were before, and all in which it must be equal to its receive, mixed
 * to 63 bits. If the next one has that tag its data come at once, and if they leave at once nothing needs to announce them. If it has
 * another, nobody will ever send under this one, and the receive is taken back. (A short one meets such a receive only to be refused. But
 * its note may leave after the data of a long one behind it, and whoever goes on after the error sends once more what the receive asked for.)
 *
 * Only the first receive that is posted for a group and a tag begins ahead, of each rank one: else the message could be another's. What
 * comes over one connection comes in order; so data are looked for before a message of the same rank meets a receive. Data without a note
 * are counted as one. A note that its data have overtaken is late, and says nothing new. (tests/model/ahead.c)
 */
#include "wants.h"

#include <stdlib.h>

#define VAIN_MOST 256 /* of one rank: the transport keeps their tags */

bool ahead_open(struct transport_state *state, int size)
{
    state->ahead = state->transport->forget ? calloc((size_t)size, sizeof *state->ahead) : NULL;
    return state->ahead || !state->transport->forget;
}

static uint64_t ahead_mix(uint64_t mixed, uint64_t next)
{
    mixed = (mixed ^ next) * UINT64_C(0x9e3779b97f4a7c15);
    return mixed ^ mixed >> 29;
}

/* Where short messages of its group and tag are counted. */
static int ahead_kind(const struct claim *claim)
{
    return (int)(ahead_mix(0, match_key(0, claim->group, claim->root)) % AHEAD_KINDS);
}

/* Of a long message, behind so many others, and so many short ones of each kind. */
static uint64_t ahead_tag(uint32_t number, const uint32_t *shorts, const struct claim *claim)
{
    uint64_t mixed = ahead_mix(number, (uint64_t)claim->count);
    mixed = ahead_mix(mixed, match_key(claim->type, claim->group, claim->root));
    mixed = ahead_mix(mixed, shorts[ahead_kind(claim)]);
    return ahead_mix(mixed, number) | TRANSPORT_AHEAD;
}

void ahead_name(struct transport_state *state, int peer, struct wire *message, bool is_long)
{
    if (!state->ahead)
        return;
    if (!is_long) {
        state->ahead[peer].short_sent[ahead_kind(&message->claim)]++;
        return;
    }
    message->seq = state->ahead[peer].sent++;
    if (offers_are(message))
        message->tag = ahead_tag(message->seq, state->ahead[peer].short_sent, &message->claim);
}

/* ---- the receiver --------------------------------------------------------------------------------------- */

/* Nothing goes on ahead from this rank any more. */
static void ahead_free(struct transport_state *state, struct ahead *from)
{
    from->op = NULL;
    state->begun--;
}

void ahead_begin(struct transport_state *state, struct dist_work *op, size_t bytes)
{
    int peer = op->peer;
    if (!state->ahead || peer == DIST_ANY_SOURCE || peer == state->rank || near_has(state, peer) ||
        wire_inside(state, peer, bytes) == bytes)
        return;
    struct ahead *from = &state->ahead[peer];
    bool is_first = match_find(&state->posted, match_key(peer, op->group->id, op->tag)) == &op->match;
    if (!is_first || from->op || state->posted_any > 0 || from->vain == VAIN_MOST)
        return;
    struct claim claim = claim_of(op);
    from->op = op;
    from->tag = ahead_tag(from->heard, from->short_heard, &claim);
    from->request = state->transport->recv(op->out.data, bytes, peer, from->tag);
    state->begun++;
    if (from->request == 0)
        wire_broken(state);
}

/* What this receive has begun; NULL: nothing. */
static struct ahead *ahead_of(struct transport_state *state, const struct dist_work *op)
{
    struct ahead *from = state->begun > 0 && op->peer != DIST_ANY_SOURCE ? &state->ahead[op->peer] : NULL;
    return from && from->op == op ? from : NULL;
}

void ahead_take_back(struct transport_state *state, const struct dist_work *op)
{
    struct ahead *from = ahead_of(state, op);
    if (!from)
        return;
    state->transport->forget(from->request);
    from->vain++;
    ahead_free(state, from);
}

/* Its data are looked for. True: they have come. */
static bool ahead_look(struct transport_state *state, struct ahead *from)
{
    struct dist_work *op = from->op;
    if (!op || wire_test(state, &from->request) <= 0)
        return false;
    ahead_free(state, from);
    from->heard++;
    wire_heard(state);
    match_remove(&state->posted, &op->match);
    wants_count_long(state, op->peer);
    wants_unpost(state, op, NULL);
    op->from = op->peer;
    transport_done(op, DIST_OK);
    return true;
}

bool ahead_progress(struct transport_state *state)
{
    bool moved = false;
    for (int peer = 0, open = state->begun; open > 0 && !state->failed; peer++) {
        open -= state->ahead[peer].op != NULL;
        moved |= ahead_look(state, &state->ahead[peer]);
    }
    return moved;
}

bool ahead_is_late(struct transport_state *state, int from, const struct wire *message, bool is_long)
{
    if (!state->ahead)
        return false;
    if (state->begun > 0)
        ahead_look(state, &state->ahead[from]);
    if (!is_long) {
        state->ahead[from].short_heard[ahead_kind(&message->claim)]++;
        return false;
    }
    if (message->seq == state->ahead[from].heard) {
        state->ahead[from].heard++;
        return false;
    }
    wire_count(state, from); /* as if it was taken now: its sender counts that */
    wire_announce(state, from);
    return true;
}

transport_request ahead_meet(struct transport_state *state, const struct dist_work *op,
                             const struct wire *message)
{
    struct ahead *from = ahead_of(state, op);
    if (from && from->tag == message->tag) {
        ahead_free(state, from);
        return from->request;
    }
    ahead_take_back(state, op);
    return 0;
}
