/* letters_take.c: the receiver's steps: lib/backends/shm/recvs.c, and lane_peek, lane_take and ticket_stamp. */
#include "letters.h"

static struct op *here(struct turn *t)
{
    return &t->me->ops[t->me->at];
}

/* The message found its receive: is it the next of its tag, and has it not been here before? */
static void match(struct turn *t, struct op *op, struct copy letter)
{
    uint8_t tag = call_of(t, t->peer, letter.message).tag;
    for (int i = 0; i < letter.message; i++)
        if (call_of(t, t->peer, i).what == SEND && call_of(t, t->peer, i).tag == tag)
            note_broken(t, t->me->matched >> i & 1, "a letter overtakes one of the same tag");
    note_broken(t, !(t->me->matched >> letter.message & 1), "a letter is delivered twice");
    t->me->matched |= (uint8_t)(1 << letter.message);
    op->message = letter.message;
    op->with = letter.ticket;
}

static void got(struct turn *t, struct op *op, uint8_t text)
{
    note_broken(t, text == op->message, "a receive gets other data than was sent");
    t->me->got |= (uint8_t)(1 << op->message);
}

static void refuse(struct turn *t, const struct op *op)
{
    t->me->refused |= (uint8_t)(1 << op->message);
    t->me->verdict = VERDICT_REFUSED;
}

static void read_tensor(struct turn *t, struct op *op)
{
    say(t->step, "rank %d: receive %d copies the tensor of send %d", t->rank, t->me->at, op->message);
    note_broken(t, order_read(t->order, t->rank, PLACE_TENSOR(t->peer, op->message)),
                "a tensor is read while its owner may write it");
    got(t, op, t->shared->tensor[t->peer][op->message]);
}

static void finish(struct op *op)
{
    op->way = FINISHED;
    op->message = op->with = 0;
}

/* A parked letter has found its receive. */
static void deliver_parked(struct turn *t, struct copy letter)
{
    struct op *op = here(t);
    uint8_t size = call_of(t, t->peer, letter.message).size;
    match(t, op, letter);
    t->me->verdict = VERDICT_DONE;
    op->way = COPYING;
    t->me->pc = size == LONG ? AT_PROGRAM : size == FAR ? AT_COPY_ASIDE : AT_STAMP;
    if (call_of(t, t->rank, t->me->at).misfit) {
        refuse(t, op);
        t->me->pc = AT_STAMP;
    } else if (size == SHORT) {
        got(t, op, letter.text);
    } else if (size == FAR && t->step->fault == STAMP_FIRST) {
        t->me->pc = AT_STAMP;
    }
}

void take_parked(struct turn *t, uint8_t op)
{
    uint8_t tag = call_of(t, t->rank, op).tag, count = t->me->parked_count;
    t->me->at = op;
    for (uint8_t i = 0; i < count && t->step->fault != PARKED_FORGOTTEN; i++) {
        uint8_t at = t->step->fault == LAST_PARKED_FIRST ? (uint8_t)(count - 1 - i) : i;
        struct copy letter = t->me->parked[at];
        if (call_of(t, t->peer, letter.message).tag != tag)
            continue;
        for (; at + 1 < count; at++)
            t->me->parked[at] = t->me->parked[at + 1];
        t->me->parked[at] = (struct copy){ 0 };
        t->me->parked_count--;
        deliver_parked(t, letter);
        return;
    }
}

/* ---- along the receives ----------------------------------------------------------------- */

/* recvs_progress: a long copy that waits comes first; else look into the lane, if a receive is open. */
static void visit(struct turn *t)
{
    bool open = false;
    for (t->me->at = 0; t->me->at < t->me->count; t->me->at++) {
        open |= here(t)->way == OPEN;
        if (here(t)->way == COPYING) {
            t->me->verdict = VERDICT_DONE;
            t->me->pc = AT_STAMP;
            if (t->step->fault != STAMP_FIRST)
                read_tensor(t, here(t));
            return;
        }
    }
    t->me->at = 0;
    t->me->pc = AT_REST;
    if (!open) {
        say(t->step, "rank %d: has no open receive", t->rank);
        return;
    }
    order_load(t->order, t->rank, WORD_SEQ(t->peer), t->step->fault != SEQ_READ_RELAXED);
    say(t->step, "rank %d: reads seq: %d, has taken %d", t->rank, t->shared->seq[t->peer],
        t->shared->ack[t->rank]);
    if (t->shared->seq[t->peer] != t->shared->ack[t->rank])
        t->me->pc = AT_READ_HEAD;
}

static void read_head(struct turn *t)
{
    say(t->step, "rank %d: reads the head of the letter", t->rank);
    note_broken(t, order_read(t->order, t->rank, PLACE_HEAD(t->peer)),
                "a letter is read while it may be written");
    t->me->letter.message = t->shared->head[t->peer];
    t->me->letter.ticket = t->shared->ticket[t->peer];
    t->me->pc = AT_READ_TEXT;
}

static void read_text(struct turn *t)
{
    say(t->step, "rank %d: reads the text of the letter", t->rank);
    note_broken(t, order_read(t->order, t->rank, PLACE_TEXT(t->peer)),
                "a letter is read while it may be written");
    t->me->letter.text = t->shared->text[t->peer];
    t->me->pc = AT_MATCH;
}

/* empty_lane: the letter's receive, or the parked. */
static void place(struct turn *t)
{
    struct copy letter = t->me->letter;
    struct call sent = call_of(t, t->peer, letter.message);
    t->me->pc = AT_ACK;
    t->me->verdict = VERDICT_PARKED;
    for (t->me->at = 0; t->me->at < t->me->count; t->me->at++)
        if (here(t)->way == OPEN && call_of(t, t->rank, t->me->at).tag == sent.tag)
            break;
    say(t->step, "rank %d: letter %d finds %s", t->rank, letter.message,
        t->me->at < t->me->count ? "its receive" : "no receive: it is parked");
    if (t->me->at == t->me->count) {
        t->me->parked[t->me->parked_count++] = letter;
        return;
    }
    match(t, here(t), letter);
    here(t)->way = COPYING;
    if (call_of(t, t->rank, t->me->at).misfit)
        refuse(t, here(t));
    else if (sent.size != LONG)
        t->me->verdict = VERDICT_DONE;
    if (t->me->verdict == VERDICT_DONE && sent.size == SHORT)
        got(t, here(t), letter.text);
    else if (t->me->verdict == VERDICT_DONE && t->step->fault != ACK_FIRST)
        t->me->pc = AT_COPY;
}

/* lane_take. */
static void write_ack(struct turn *t)
{
    bool late = t->step->fault == ACK_FIRST && t->me->verdict == VERDICT_DONE &&
                call_of(t, t->peer, t->me->letter.message).size == FAR;
    say(t->step, "rank %d: writes ack %d, and rings", t->rank, t->shared->ack[t->rank] + 1);
    order_store(t->order, t->rank, WORD_ACK(t->rank), t->step->fault != ACK_RELAXED);
    t->shared->ack[t->rank]++;
    t->shared->verdict[t->rank] = t->me->verdict;
    if (t->step->fault != NO_RING)
        t->state->ranks[t->peer].rung = 1;
    if (t->me->verdict != VERDICT_PARKED && !late)
        finish(here(t));
    t->me->letter = (struct copy){ 0 };
    t->me->verdict = VERDICT_NONE;
    t->me->moved = 1;
    t->me->pc = late ? AT_COPY : AT_REST;
}

static void copy_from_lane(struct turn *t)
{
    read_tensor(t, here(t));
    t->me->pc = AT_ACK;
    if (t->step->fault == ACK_FIRST) {
        finish(here(t));
        t->me->pc = AT_REST;
    }
}

/* ticket_stamp. Called from a walk, and from a receive that finds its letter parked. */
static void stamp(struct turn *t)
{
    struct op *op = here(t);
    bool late =
        t->step->fault == STAMP_FIRST && !(t->me->got >> op->message & 1) && t->me->verdict == VERDICT_DONE;
    say(t->step, "rank %d: stamps ticket %d of send %d, and rings", t->rank, op->with, op->message);
    order_store(t->order, t->rank, WORD_STAMP(t->peer, op->with), t->step->fault != STAMP_RELAXED);
    t->shared->stamps[t->peer][op->with] = t->me->verdict;
    t->state->ranks[t->peer].rung = 1;
    t->me->verdict = VERDICT_NONE;
    if (late) {
        t->me->pc = AT_COPY_ASIDE;
        return;
    }
    finish(op);
    t->me->moved = 1;
    t->me->pc = AT_PROGRAM;
}

static void copy_aside(struct turn *t)
{
    read_tensor(t, here(t));
    t->me->pc = AT_STAMP;
    if (t->step->fault == STAMP_FIRST) {
        finish(here(t));
        t->me->pc = AT_PROGRAM;
    }
}

void recv_step(struct turn *t)
{
    static void (*const steps[])(struct turn *) = { visit,          read_head, read_text,  place,
                                                    copy_from_lane, write_ack, copy_aside, stamp };
    steps[t->me->pc - AT_RECV](t);
}
