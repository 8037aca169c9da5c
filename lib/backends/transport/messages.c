/*
 * messages.c: sends and receives.
 *
 *   sender    MESSAGE, with few data in it    --->                                   receiver: has it been asked for?
 *                                             <---  TAKEN, REFUSED
 *             KNOWN                           --->  of refused long data: only now the transport may say that they are received
 *
 * To a message that the receiver has said to want nothing need be answered (wants.c).
 *
 * Long data travel beside the message, and are their own answer (offers.c); or without one, if their receive has begun before (ahead.c). Of
 * very many at once the last ones are asked for: BEGIN.
 *
 * On one machine the receiver copies long data itself, from where they lie in the world, and answers TAKEN.
 */
#include "wants.h"
#include "../../devices/host.h"

#include <stdlib.h>
#include <string.h>

static size_t messages_bytes_of(const struct dist_work *op)
{
    return (size_t)(op->sends ? op->in.count : op->out.count) * dtype_size(op->type);
}

/* ---- the receiver ---------------------------------------------------------------------------------- */

static void messages_refuse(struct transport_state *state, struct dist_work *op, int from,
                            const struct wire *message)
{
    struct wire wire = {
        .kind = WIRE_REFUSED, .tag = message->tag, .op = message->op, .claim = claim_of(op)
    };
    claims_say_receiver(&op->why, from, &message->claim, &wire.claim);
    transport_done(op, DIST_ERR_MISMATCH);
    wire_send(state, from, &wire, WIRE_ONE);
    state->unknown += offers_are(message);
}

static void messages_receive_long(struct transport_state *state, struct dist_work *op, int from,
                                  const struct wire *message, transport_request begun)
{
    struct wire begin = { .kind = WIRE_BEGIN, .tag = message->tag, .op = message->op };
    if (offers_are(message)) {
        offers_take(state, from, message, op, begun);
    } else {
        wire_fly(state, state->transport->recv(op->out.data, messages_bytes_of(op), from, message->tag), op);
        wire_send(state, from, &begin, WIRE_ANSWER);
    }
}

/* The transport moves the data, from tensor to tensor: they are not in the note, and do not lie in the world of this machine. */
static bool messages_is_long(const struct transport_state *state, int peer, const struct wire *message,
                             size_t bytes)
{
    return peer != state->rank && wire_inside(state, peer, bytes) != bytes &&
           !(near_has(state, peer) && message->in != NOWHERE);
}

/* A message has met its receive. known: if the two agree its sender knows already. */
static void messages_deliver(struct transport_state *state, struct dist_work *op, int from,
                             const struct wire *message, bool known)
{
    size_t bytes = messages_bytes_of(op);
    transport_request begun = ahead_meet(state, op, message);
    op->from = from;
    if (message->claim.type != op->type || message->claim.count != op->out.count) {
        messages_refuse(state, op, from, message);
    } else if (messages_is_long(state, from, message, bytes)) {
        messages_receive_long(state, op, from, message, begun);
    } else {
        const void *data = from == state->rank ? ((struct dist_work *)(uintptr_t)message->op)->in.data
                           : wire_inside(state, from, bytes) == bytes
                               ? wire_data(message)
                               : world_at(&state->self->world, message->in);
        host_copy(op->out.data, data, bytes);
        if (!known)
            answers_taken(state, from, message);
        transport_done(op, DIST_OK);
    }
}

/* ---- those that no receive has asked for ------------------------------------------------------------- */

static void messages_keep(struct transport_state *state, int from, const struct wire *message)
{
    size_t used = WIRE_ONE + wire_inside(state, from, wire_bytes(message));
    struct unexpected *unexpected = malloc(offsetof(struct unexpected, wire) + used);
    if (!unexpected) {
        transport_fail(state, DIST_ERR_MEMORY, "there is no memory left to set a message aside");
        return;
    }
    unexpected->from = from;
    memcpy(&unexpected->wire, message, used);
    match_add(&state->unexpected, &unexpected->match,
              match_key(from, message->claim.group, message->claim.root));
}

/* NULL: none. */
static struct unexpected *messages_kept_for(const struct transport_state *state, const struct dist_work *op)
{
    struct match *found = NULL;
    int first = op->peer == DIST_ANY_SOURCE ? 0 : op->peer,
        last = op->peer == DIST_ANY_SOURCE ? state->size - 1 : op->peer;
    for (int from = first; from <= last && state->unexpected.count > 0; from++)
        found = match_earlier(found, match_find(&state->unexpected, match_key(from, op->group->id, op->tag)));
    return (struct unexpected *)found;
}

void messages_forget(struct transport_state *state)
{
    for (struct match *match; (match = state->unexpected.first);) {
        match_remove(&state->unexpected, match);
        free(match);
    }
}

/* ---- a message comes, or a receive ------------------------------------------------------------------- */

static void messages_hear_message(struct transport_state *state, int from, const struct wire *message)
{
    bool is_long = messages_is_long(state, from, message, wire_bytes(message));
    if (ahead_is_late(state, from, message, is_long))
        return;
    wants_hear(state, from, message, is_long);
    if (offers_are(message))
        wire_heard(state); /* the data lie where they are, until they are taken */
    struct match *found = match_receive_for(&state->posted, state->posted_any > 0, from, message->claim.group,
                                            message->claim.root);
    if (!found) {
        messages_keep(state, from, message);
        return;
    }
    struct dist_work *op = match_receive(found);
    match_remove(&state->posted, found);
    state->posted_any -= op->peer == DIST_ANY_SOURCE;
    messages_deliver(state, op, from, message, wants_unpost(state, op, message));
}

static void messages_post_recv(struct transport_state *state, struct dist_work *op)
{
    struct unexpected *kept = messages_kept_for(state, op);
    if (!kept) {
        match_add(&state->posted, &op->match, match_key(op->peer, op->group->id, op->tag));
        size_t bytes = messages_bytes_of(op);
        wants_post(state, op, bytes);
        state->posted_any += op->peer == DIST_ANY_SOURCE;
        ahead_begin(state, op, bytes);
        return;
    }
    match_remove(&state->unexpected, &kept->match);
    messages_deliver(state, op, kept->from, &kept->wire, false);
    free(kept);
}

/* ---- the sender --------------------------------------------------------------------------------------- */

static void messages_hear_answer(struct transport_state *state, int from, const struct wire *wire)
{
    struct dist_work *op = (struct dist_work *)(uintptr_t)wire->op;
    if (wire->kind == WIRE_REFUSED) {
        struct claim mine = claim_of(op);
        claims_say_sender(&op->why, &mine, from, &wire->claim);
        op->speaker = from + 1;
        if (op->ticket) { /* the transport still reads its data */
            struct wire known = { .kind = WIRE_KNOWN, .tag = wire->tag, .claim = mine };
            wire_send(state, from, &known, WIRE_ONE);
            return;
        }
    }
    queue_remove(&state->sends, op);
    if (wire->kind == WIRE_BEGIN)
        wire_fly(state, state->transport->send(op->in.data, messages_bytes_of(op), op->peer, wire->tag), op);
    else
        transport_done(op, wire->kind == WIRE_REFUSED ? DIST_ERR_MISMATCH : DIST_OK);
}

void messages_hear(struct transport_state *state, int from, const struct wire *wire)
{
    if (wire->kind == WIRE_MESSAGE) {
        messages_hear_message(state, from, wire);
    } else if (wire->kind == WIRE_KNOWN) {
        state->unknown--;
        offers_take(state, from, wire, NULL, 0);
    } else {
        messages_hear_answer(state, from, wire);
    }
}

static void messages_post_send(struct transport_state *state, struct dist_work *op)
{
    struct wire wire = { .kind = WIRE_MESSAGE,
                         .aside = op->step == STEP_ASIDE,
                         .site = op->site,
                         .op = (uint64_t)(uintptr_t)op,
                         .claim = claim_of(op) };
    wire.in = world_offset(&state->self->world, op->in.data);
    size_t bytes = messages_bytes_of(op), inside = wire_inside(state, op->peer, bytes);
    bool is_long = messages_is_long(state, op->peer, &wire, bytes),
         offered = is_long && offers_place(state, op);
    wire.tag = offered ? op->ticket : 1 + state->tags++ % (RINGS_FIRST_TAG - 1);
    ahead_name(state, op->peer, &wire, is_long);
    if (offered)
        wire_count(state, op->peer); /* the data */
    bool wanted = wants_name(state, op, &wire, is_long);
    if (!wanted)
        queue_add(&state->sends, op);
    if (offered && offers_set_out(state, op, bytes, wire.tag))
        return;
    answers_see_message(state, op->peer);
    wire_send_message(state, op->peer, &wire, inside ? op->in.data : "", inside);
    if (wanted)
        transport_done(op, DIST_OK);
}

/* DIST_BUFFERING=eager: a copy goes the way of a send that nobody waits for; the send is over. */
static void messages_post_copy(struct transport_state *state, struct dist_work *op)
{
    struct dist_work *copy = malloc(sizeof *copy);
    size_t bytes = messages_bytes_of(op);
    void *aside = copy ? malloc(bytes + 1) : NULL;
    if (!aside) {
        free(copy);
        why_say(&op->why, "there is no memory left to copy the message aside");
        transport_done(op, DIST_ERR_MEMORY);
        return;
    }
    work_copy_asked(copy, op);
    memcpy(aside, bytes ? op->in.data : "", bytes);
    copy->aside = copy->in.data = aside;
    copy->step = STEP_ASIDE;
    atomic_fetch_add(&op->group->untaken, 1);
    messages_post_send(state, copy);
    if (op->peer != state->rank && wire_inside(state, op->peer, bytes) != bytes)
        transport_thread_start(
            state); /* it goes on while the program computes; without a thread at its next call */
    transport_done(op, DIST_OK);
}

int transport_message(void *own, struct dist_work *op)
{
    struct transport_state *state = own;
    bool aside = op->sends && state->eager_bytes > 0 && messages_bytes_of(op) <= state->eager_bytes;
    return transport_start(state, op,
                           !op->sends ? messages_post_recv
                           : aside    ? messages_post_copy
                                      : messages_post_send);
}
