/* channel_match.c: a message has found its receive: lib/backends/shm/{recvs,unexpected}.c, and ticket_stamp. */
#include "channel.h"

static struct op *here(struct turn *t)
{
    return &t->me->ops[t->me->at];
}

/* The message found its receive: is it the next of its tag, and has it not been here before? */
void match(struct turn *t, struct op *op, struct copy envelope)
{
    uint8_t tag = call_of(t, t->peer, envelope.message).tag;
    for (int i = 0; i < envelope.message; i++)
        if (call_of(t, t->peer, i).what == SEND && call_of(t, t->peer, i).tag == tag)
            note_broken(t, t->me->matched >> i & 1, "a message overtakes one of the same tag");
    note_broken(t, !(t->me->matched >> envelope.message & 1), "a message is delivered twice");
    t->me->matched |= (uint8_t)(1 << envelope.message);
    op->message = envelope.message;
    op->with = envelope.ticket;
}

void got(struct turn *t, struct op *op, uint8_t text)
{
    note_broken(t, text == op->message, "a receive gets other data than was sent");
    t->me->got |= (uint8_t)(1 << op->message);
}

void refuse(struct turn *t, const struct op *op)
{
    t->me->refused |= (uint8_t)(1 << op->message);
    t->me->verdict = VERDICT_REFUSED;
}

void read_tensor(struct turn *t, struct op *op)
{
    say(t->step, "rank %d: receive %d copies the tensor of send %d", t->rank, t->me->at, op->message);
    note_broken(t, order_read(t->order, t->rank, PLACE_TENSOR(t->peer, op->message)),
                "a tensor is read while its owner may write it");
    got(t, op, t->shared->tensor[t->peer][op->message]);
}

void finish(struct op *op)
{
    op->way = FINISHED;
    op->message = op->with = 0;
}

/* An unexpected message has found its receive. */
static void deliver_unexpected(struct turn *t, struct copy envelope)
{
    struct op *op = here(t);
    uint8_t size = call_of(t, t->peer, envelope.message).size;
    match(t, op, envelope);
    t->me->verdict = VERDICT_DONE;
    op->way = COPYING;
    t->me->pc = size == LONG ? AT_PROGRAM : size == FAR ? AT_COPY_ASIDE : AT_STAMP;
    if (call_of(t, t->rank, t->me->at).misfit) {
        refuse(t, op);
        t->me->pc = AT_STAMP;
    } else if (size == SHORT) {
        got(t, op, envelope.text);
    } else if (size == FAR && t->step->fault == STAMP_FIRST) {
        t->me->pc = AT_STAMP;
    }
}

void take_unexpected(struct turn *t, uint8_t op)
{
    uint8_t tag = call_of(t, t->rank, op).tag, count = t->me->unexpected_count;
    t->me->at = op;
    for (uint8_t i = 0; i < count && t->step->fault != PARKED_FORGOTTEN; i++) {
        uint8_t at = t->step->fault == LAST_PARKED_FIRST ? (uint8_t)(count - 1 - i) : i;
        struct copy envelope = t->me->unexpected[at];
        if (call_of(t, t->peer, envelope.message).tag != tag)
            continue;
        for (; at + 1 < count; at++)
            t->me->unexpected[at] = t->me->unexpected[at + 1];
        t->me->unexpected[at] = (struct copy){ 0 };
        t->me->unexpected_count--;
        deliver_unexpected(t, envelope);
        return;
    }
}

/* ticket_stamp. Called from a walk, and from a receive that finds its message among the unexpected. */
void stamp(struct turn *t)
{
    struct op *op = here(t);
    bool late =
        t->step->fault == STAMP_FIRST && !(t->me->got >> op->message & 1) && t->me->verdict == VERDICT_DONE;
    say(t->step, "rank %d: stamps ticket %d of send %d, and notifies", t->rank, op->with, op->message);
    order_store(t->order, t->rank, WORD_STAMP(t->peer, op->with), t->step->fault != STAMP_RELAXED);
    t->shared->stamps[t->peer][op->with] = t->me->verdict;
    t->state->ranks[t->peer].notified = 1;
    t->me->verdict = VERDICT_NONE;
    if (late) {
        t->me->pc = AT_COPY_ASIDE;
        return;
    }
    finish(op);
    t->me->moved = 1;
    t->me->pc = AT_PROGRAM;
}

void copy_aside(struct turn *t)
{
    read_tensor(t, here(t));
    t->me->pc = AT_STAMP;
    if (t->step->fault == STAMP_FIRST) {
        finish(here(t));
        t->me->pc = AT_PROGRAM;
    }
}
