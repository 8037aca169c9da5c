/*
 * offers.c: long data to another machine set out with their message, and need not be asked for (messages.c).
 *
 *   sender    data, by the transport             --->
 *             MESSAGE, with the tag of the data  --->   receiver: has it been asked for? Then, or as soon as it is,
 *                                                                 the transport's receive
 *
 * If their receive had begun before, they need no MESSAGE (ahead.c).
 *
 * The transport moves the data only when their receive has begun, and says to the sender when it has: every transport asks once for long
 * data, and with a question of ours there would be two. Data count as a note, which their receiver counts as heard with MESSAGE: an offer that
 * nobody has taken is nothing under way, its sender may sleep, and be found in a deadlock. So the receiver counts a note to the
 * sender, as if it sent one, before it begins to receive; and the sender counts it as heard when its data have left.
 * (tests/model/offers.c)
 *
 * Each offer of a rank that is open has a tag of its own, so its data come to no receive but the one which its message has met. There are few:
 * a transport keeps something of each. With all in use a message waits for BEGIN. Data that are refused, since type or count differ, are
 * received into no tensor, since until then the transport reads the sender's; and not before that rank has heard of it (KNOWN), or its send
 * would be over as if it were taken.
 */
#include "state.h"

/* ---- the sender ---------------------------------------------------------------------------------------- */

bool offers_place(struct transport_state *state, struct dist_work *op)
{
    struct offer *places = state->offers.places;
    int place = 0;
    while (place < OFFERS_MOST && (places[place].op || places[place].request))
        place++;
    if (place == OFFERS_MOST)
        return false;
    state->offers.count++;
    places[place].op = op;
    op->ticket = OFFERS_FIRST_TAG + (uint32_t)place;
    return true;
}

static struct offer *offers_find(struct transport_state *state, const struct dist_work *op)
{
    return &state->offers.places[op->ticket - OFFERS_FIRST_TAG];
}

bool offers_set_out(struct transport_state *state, struct dist_work *op, size_t bytes, uint64_t tag)
{
    struct offer *offer = offers_find(state, op);
    int meets = 0;
    offer->request = state->transport->offer(op->in.data, bytes, op->peer, tag, &meets);
    if (meets)
        wire_count(state, state->rank); /* its own end, as it would count the taking of an announced one */
    if (offer->request == 0)
        wire_broken(state);
    return meets || state->failed;
}

void offers_forget(struct transport_state *state, const struct dist_work *op)
{
    if (!op->ticket)
        return;
    offers_find(state, op)->op = NULL;
    state->offers.count--;
}

static void offers_taken(struct transport_state *state, struct offer *offer)
{
    struct dist_work *op = offer->op;
    *offer = (struct offer){ 0 };
    state->offers.count--;
    wire_heard(state);
    queue_remove(&state->sends, op);
    transport_done(op, op->speaker ? DIST_ERR_MISMATCH : DIST_OK);
}

bool offers_progress(struct transport_state *state)
{
    bool moved = false;
    int open = state->offers.count;
    for (struct offer *at = state->offers.places; open > 0 && !state->failed; at++) {
        if (!at->op)
            continue;
        open--;
        int done = wire_test(state, &at->request);
        if (done > 0)
            offers_taken(state, at);
        moved |= done != 0;
    }
    return moved;
}

/* ---- the receiver ------------------------------------------------------------------------------------ */

/* Counted before the transport can tell the sender. */
void offers_take(struct transport_state *state, int from, const struct wire *message, struct dist_work *op,
                 transport_request begun)
{
    size_t bytes = wire_bytes(message);
    wire_count(state, from);
    if (op)
        wire_fly(state, begun ? begun : state->transport->recv(op->out.data, bytes, from, message->tag), op);
    else
        wire_swallow(state, from, bytes, message->tag);
    wire_announce(state, from);
}
