/* channel_take.c: the receiver's steps: lib/backends/shm/recvs.c, and what of channel.c it calls. */
#include "channel.h"

static struct op *here(struct turn *t)
{
    return &t->me->ops[t->me->at];
}

/* ---- along the receives ----------------------------------------------------------------- */

/* The end of a walk along the channel: what was taken is acknowledged. */
static void end_run(struct turn *t)
{
    t->me->at = 0;
    t->me->pc = t->me->taken != t->me->acked && t->step->fault != BATCH_FORGOTTEN ? AT_ACK : AT_REST;
}

/* p2p_progress: a long copy that waits comes last; else look into the slot, if a receive is open. */
static void visit(struct turn *t)
{
    bool open = false;
    for (t->me->at = 0; t->me->at < t->me->count; t->me->at++) {
        open |= here(t)->way == OPEN;
        if (here(t)->way == COPYING && t->me->taken == t->me->acked) {
            t->me->verdict = VERDICT_DONE;
            t->me->pc = AT_STAMP;
            if (t->step->fault != STAMP_FIRST)
                read_tensor(t, here(t));
            return;
        }
    }
    if (!open) {
        say(t->step, "rank %d: has no open receive", t->rank);
        end_run(t);
        return;
    }
    t->me->at = t->me->place = 0;
    order_load(t->order, t->rank, WORD_SEQ(t->peer, 0), t->step->fault != SEQ_READ_RELAXED);
    say(t->step, "rank %d: reads the slot's seq: %d, has taken %d", t->rank, t->shared->seq[t->peer][0],
        t->me->taken);
    if (t->shared->seq[t->peer][0] == t->me->taken + 1)
        t->me->pc = AT_READ;
    else if (t->shared->ring[t->peer])
        t->me->pc = AT_LOOK_RING;
    else
        end_run(t);
}

static void look_ring(struct turn *t)
{
    uint8_t place = (uint8_t)(1 + (t->me->taken + 1) % CELLS);
    order_load(t->order, t->rank, WORD_SEQ(t->peer, place), t->step->fault != SEQ_READ_RELAXED);
    say(t->step, "rank %d: reads the cell's seq: %d", t->rank, t->shared->seq[t->peer][place]);
    if (t->shared->seq[t->peer][place] != t->me->taken + 1) {
        end_run(t);
        return;
    }
    t->me->place = place;
    t->me->pc = AT_READ;
}

static void read_envelope(struct turn *t)
{
    uint8_t place = t->me->place;
    say(t->step, "rank %d: reads the envelope", t->rank);
    note_broken(t, order_read(t->order, t->rank, PLACE_ENVELOPE(t->peer, place)),
                "an envelope is read while it may be written");
    t->me->envelope.message = t->shared->head[t->peer][place];
    t->me->envelope.ticket = t->shared->ticket[t->peer][place];
    t->me->envelope.text = t->shared->text[t->peer][place];
    t->me->pc = AT_MATCH;
}

/* After the copy, or without one. */
static void settle(struct turn *t)
{
    uint8_t place = t->me->place;
    bool first = t->step->fault == VERDICT_AFTER_ACK;
    t->me->taken++;
    if (!place || t->step->fault == LAST_VERDICT)
        t->me->slot_verdict = t->me->verdict;
    if (place && t->me->verdict != VERDICT_DONE && !first)
        t->me->pc = AT_CELL_VERDICT;
    else
        t->me->pc =
            !place || t->me->taken - t->me->acked >= BATCH || (first && t->me->verdict != VERDICT_DONE)
                ? AT_ACK
                : AT_RECV;
    if (t->me->pc == AT_RECV)
        t->me->verdict = VERDICT_NONE;
}

/* recvs_drain: the message's receive, or the unexpected. */
static void place(struct turn *t)
{
    struct copy envelope = t->me->envelope;
    struct call sent = call_of(t, t->peer, envelope.message);
    t->me->envelope = (struct copy){ 0 };
    t->me->moved = 1;
    t->me->verdict = VERDICT_BY_TICKET;
    for (t->me->at = 0; t->me->at < t->me->count; t->me->at++)
        if (here(t)->way == OPEN && call_of(t, t->rank, t->me->at).tag == sent.tag)
            break;
    say(t->step, "rank %d: message %d finds %s", t->rank, envelope.message,
        t->me->at < t->me->count ? "its receive" : "no receive: it is unexpected");
    if (t->me->at == t->me->count) {
        t->me->unexpected[t->me->unexpected_count++] = envelope;
        settle(t);
        return;
    }
    match(t, here(t), envelope);
    here(t)->way = COPYING;
    if (call_of(t, t->rank, t->me->at).misfit)
        refuse(t, here(t));
    else if (sent.size != LONG)
        t->me->verdict = VERDICT_DONE;
    if (t->me->verdict == VERDICT_DONE && sent.size == SHORT)
        got(t, here(t), envelope.text);
    else if (t->me->verdict == VERDICT_DONE && t->step->fault == ACK_FIRST) {
        t->me->taken++;
        t->me->slot_verdict = t->me->place ? t->me->slot_verdict : VERDICT_DONE;
        t->me->pc = AT_ACK;
        return;
    } else if (t->me->verdict == VERDICT_DONE) {
        t->me->pc = AT_COPY;
        return;
    }
    if (t->me->verdict != VERDICT_BY_TICKET)
        finish(here(t));
    settle(t);
}

static void write_cell_verdict(struct turn *t)
{
    uint8_t place = t->me->place;
    say(t->step, "rank %d: writes the verdict into the cell", t->rank);
    note_broken(t, order_write(t->order, t->rank, PLACE_VERDICT(t->peer, place)),
                "a verdict is written while it may be read");
    t->shared->cell_verdict[t->peer][place] = t->me->verdict;
    t->me->verdict = VERDICT_NONE;
    t->me->pc = t->me->taken - t->me->acked >= BATCH ? AT_ACK : AT_RECV;
}

/* channel_acknowledge. */
static void write_ack(struct turn *t)
{
    bool late = t->step->fault == ACK_FIRST && t->me->verdict == VERDICT_DONE && t->me->at < t->me->count &&
                here(t)->way == COPYING;
    say(t->step, "rank %d: writes ack %d, and notifies", t->rank, t->me->taken);
    order_store(t->order, t->rank, WORD_ACK(t->rank), t->step->fault != ACK_RELAXED);
    t->shared->ack[t->rank] = t->me->acked = t->me->taken;
    t->shared->verdict[t->rank] = t->me->slot_verdict;
    if (t->step->fault != NO_NOTIFY)
        t->state->ranks[t->peer].notified = 1;
    t->me->moved = 1;
    if (late) {
        t->me->pc = AT_COPY;
        return;
    }
    t->me->pc = AT_RECV;
    if (t->step->fault == VERDICT_AFTER_ACK && t->me->place && t->me->verdict > VERDICT_DONE)
        t->me->pc = AT_CELL_VERDICT;
    else
        t->me->verdict = VERDICT_NONE;
}

static void copy_from_channel(struct turn *t)
{
    read_tensor(t, here(t));
    finish(here(t));
    if (t->step->fault == ACK_FIRST) {
        t->me->verdict = VERDICT_NONE;
        t->me->pc = AT_RECV;
    } else {
        settle(t);
    }
}

void recv_step(struct turn *t)
{
    static void (*const steps[])(struct turn *) = { visit,     look_ring,         read_envelope,
                                                    place,     copy_from_channel, write_cell_verdict,
                                                    write_ack, copy_aside,        stamp };
    steps[t->me->pc - AT_RECV](t);
}
