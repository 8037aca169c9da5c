/*
 * wants.c: short messages that need no answer.
 *
 * A send is over when its message was taken, and mostly learns that from an answer. But in an exchange each rank posts its receive, and then
 * sends: so its own message can say what it waits for, and to the message that this is nothing need be answered.
 *
 *   rank A    irecv, then isend    MESSAGE, wants 7  --->   <---  MESSAGE 7, wants 4    rank B
 *             its send is over, since B wanted it                 its send is over, too
 *
 * Which message? Both count the short and the long ones from B to A. A says: behind so many of either, that with this group, tag, type and count.
 * It says so once, of a receive which stands alone: no other is posted that names B, and none from anybody; and it has looked among the unexpected
 * messages. So the very next message of B, if it is that one, meets this receive, and agrees with it.
 *
 * Who knows what? A message carries its numbers. B compares it with what A has said; A, when the message has come, with what it has said: the
 * same words, said once, so that both come to the same verdict, whichever was under way first. (tests/model/wants.c)
 *
 * Ranks of one machine answer through memory (near.c), and a message that was copied aside has nobody who waits.
 */
#include "wants.h"

#include <stdlib.h>

#define NO_WANT UINT8_MAX
#define IS_SHORT (UINT64_C(1) << 32) /* beside the number of a send's message that may be wanted */

bool wants_open(struct transport_state *state, int size)
{
    state->wants = calloc((size_t)size, sizeof *state->wants);
    for (int peer = 0; state->wants && peer < size; peer++)
        state->wants[peer].said.type = state->wants[peer].heard_of.type = NO_WANT;
    return state->wants;
}

static bool wants_reach(const struct transport_state *state, int peer)
{
    return peer != state->rank && !near_has(state, peer);
}

/* Is the message with these numbers the next one behind what the want counts? */
static bool wants_next(const struct want *want, uint32_t number, uint32_t longs)
{
    return want->type != NO_WANT && number == want->shorts + 1 && longs == want->longs;
}

static bool wants_agree(const struct want *want, const struct dist_work *op)
{
    return want->tag == op->tag && want->group == (uint16_t)op->group->id &&
           want->type == (uint8_t)op->type && want->count == op->in.count;
}

/* ---- the sender ------------------------------------------------------------------------------------------ */

static void wants_say(struct wants *wants, struct want *want)
{
    const struct dist_work *op = wants->alone;
    *want = (struct want){ .type = NO_WANT };
    if (!op || wants->said.type != NO_WANT)
        return;
    *want = wants->said = (struct want){ .shorts = wants->heard,
                                         .longs = wants->heard_long,
                                         .tag = op->tag,
                                         .group = (uint16_t)op->group->id,
                                         .type = (uint8_t)op->type,
                                         .count = op->out.count };
}

bool wants_name(struct transport_state *state, struct dist_work *op, struct wire *message, bool is_long)
{
    struct wants *wants = &state->wants[op->peer];
    message->want.type = NO_WANT;
    if (!wants_reach(state, op->peer))
        return false;
    wants->sent += !is_long;
    message->number = wants->sent;
    message->longs = wants->sent_long;
    wants->sent_long += is_long;
    op->match.number = is_long || message->aside ? 0 : IS_SHORT | message->number;
    op->match.key = message->longs;
    bool wanted = op->match.number && wants_next(&wants->heard_of, message->number, message->longs) &&
                  wants_agree(&wants->heard_of, op);
    if (is_long)
        return false;
    wants->heard_of.type = NO_WANT; /* it was for this one, or none */
    wants_say(wants, &message->want);
    return wanted;
}

/* The message that this want is for may have left before. The last ones first: mostly it is that. */
static void wants_look(struct transport_state *state, int to, const struct want *want)
{
    struct dist_work *op = state->sends.last;
    while (op && (op->peer != to || op->match.number != (IS_SHORT | (uint32_t)(want->shorts + 1))))
        op = op->before;
    if (!op || !wants_next(want, (uint32_t)op->match.number, (uint32_t)op->match.key) ||
        !wants_agree(want, op))
        return;
    queue_remove(&state->sends, op);
    transport_done(op, DIST_OK);
}

/* ---- the receiver ---------------------------------------------------------------------------------------- */

void wants_count_long(struct transport_state *state, int from)
{
    state->wants[from].heard_long++;
}

void wants_hear(struct transport_state *state, int from, const struct wire *message, bool is_long)
{
    struct wants *wants = &state->wants[from];
    if (!wants_reach(state, from))
        return;
    wants->heard += !is_long;
    wants->heard_long += is_long;
    if (message->want.type == NO_WANT)
        return;
    if (message->want.shorts == wants->sent)
        wants->heard_of = message->want;
    else
        wants_look(state, from, &message->want);
}

void wants_post(struct transport_state *state, const struct dist_work *op, size_t bytes)
{
    if (op->peer == DIST_ANY_SOURCE)
        return;
    struct wants *wants = &state->wants[op->peer];
    bool is_short = wire_inside(state, op->peer, bytes) == bytes;
    if (wants->receives++ > 0 || state->posted_any > 0 || !is_short)
        return;
    wants->alone = op;
    wants->said.type = NO_WANT;
}

bool wants_unpost(struct transport_state *state, const struct dist_work *op, const struct wire *message)
{
    if (op->peer == DIST_ANY_SOURCE)
        return false;
    struct wants *wants = &state->wants[op->peer];
    wants->receives--;
    if (wants->alone != op)
        return false;
    wants->alone = NULL;
    return message && !message->aside && wants_next(&wants->said, message->number, message->longs);
}
