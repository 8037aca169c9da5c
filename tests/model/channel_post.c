/* channel_post.c: the sender's steps: lib/backends/shm/sends.c, and what of channel.h it calls. */
#include "channel.h"

static struct op *here(struct turn *t)
{
    return &t->me->ops[t->me->at];
}

static void next(struct turn *t)
{
    t->me->at++;
    t->me->pc = AT_SEND;
}

static void end_send(struct turn *t, enum verdict verdict)
{
    int bit = 1 << t->me->at;
    const struct rank *peer = &t->state->ranks[t->peer];
    note_broken(t, !(verdict == VERDICT_REFUSED) || peer->refused & bit, "a send is refused that was not");
    note_broken(t, verdict == VERDICT_REFUSED || peer->got & bit, "a send is over before its data was taken");
    if (here(t)->ticket != NONE)
        t->me->free_tickets |= (uint8_t)(1 << here(t)->ticket);
    here(t)->way = FINISHED;
    here(t)->ticket = 0;
}

/* channel_look: one load of ack. */
static void read_ack(struct turn *t)
{
    order_load(t->order, t->rank, WORD_ACK(t->peer), t->step->fault != ACK_READ_RELAXED);
    t->me->known = t->shared->ack[t->peer];
    t->me->told = t->shared->verdict[t->peer];
    t->me->looked = 1;
    say(t->step, "rank %d: reads ack: %d of %d messages", t->rank, t->me->known, t->me->sent);
}

/* Is there a place for one more? */
static bool is_full(struct turn *t)
{
    int most = t->step->fault == CELL_TOO_SOON ? CELLS + 1 : CELLS;
    return t->me->sent - t->me->known >= most;
}

/* The slot, if all are taken; else the next cell. */
static uint8_t next_place(struct turn *t)
{
    bool all = t->me->known == t->me->sent || t->step->fault == SLOT_TOO_SOON;
    return all ? 0 : (uint8_t)(1 + (t->me->sent + 1) % CELLS);
}

static void take_ticket(struct turn *t)
{
    uint8_t ticket = 0;
    while (!(t->me->free_tickets >> ticket & 1))
        ticket++;
    t->me->free_tickets &= (uint8_t) ~(1 << ticket);
    here(t)->ticket = ticket;
    here(t)->place = next_place(t);
    t->me->pc = t->step->fault == TICKET_CLEARED_LATE ? AT_WRITE : AT_CLEAR;
}

static void look_at_ticket(struct turn *t)
{
    uint8_t ticket = here(t)->ticket;
    uint8_t verdict = t->shared->stamps[t->rank][ticket];
    order_load(t->order, t->rank, WORD_STAMP(t->rank, ticket), t->step->fault != STAMP_READ_RELAXED);
    say(t->step, "rank %d: send %d reads ticket %d: %s", t->rank, t->me->at, ticket,
        verdict ? "stamped" : "nothing");
    if (verdict != VERDICT_NONE) {
        end_send(t, verdict);
        t->me->moved = 1;
    }
    next(t);
}

/* Come to the next send that is not over; past the last, turn to the receives. */
static void visit(struct turn *t)
{
    if (!t->me->looked) {
        read_ack(t);
        return;
    }
    while (t->me->at < t->me->count && !(here(t)->way >= QUEUED && here(t)->way <= PARKED))
        t->me->at++;
    if (t->me->at == t->me->count) {
        say(t->step, "rank %d: turns to its receives", t->rank);
        t->me->pc = AT_RECV;
        t->me->at = t->me->held = 0;
        return;
    }
    if (here(t)->way == PARKED) {
        look_at_ticket(t);
    } else if (here(t)->way == POSTED) {
        bool counted = here(t)->number <= t->me->known || t->step->fault == VERDICT_UNCOUNTED;
        say(t->step, "rank %d: send %d is %staken", t->rank, t->me->at, counted ? "" : "not ");
        if (counted)
            t->me->pc = AT_VERDICT;
        else
            next(t);
    } else if (t->step->fault == CELL_UNSETTLED && t->me->looked == 1) {
        read_ack(t);
        t->me->looked = 2;
    } else if (t->me->held || t->me->free_tickets == 0 || is_full(t)) {
        say(t->step, "rank %d: send %d has to wait", t->rank, t->me->at);
        t->me->held = 1;
        next(t);
    } else {
        take_ticket(t);
    }
}

static void read_verdict(struct turn *t)
{
    uint8_t place = here(t)->place;
    enum verdict verdict = place ? t->shared->cell_verdict[t->rank][place] : t->me->told;
    if (place)
        note_broken(t, order_read(t->order, t->rank, PLACE_VERDICT(t->rank, place)),
                    "a verdict is read while it may be written");
    say(t->step, "rank %d: send %d reads the verdict: %s", t->rank, t->me->at,
        verdict == VERDICT_BY_TICKET ? "unexpected" : "over");
    if (verdict == VERDICT_BY_TICKET && t->step->fault != PARKED_IS_DONE)
        here(t)->way = PARKED;
    else
        end_send(t, verdict);
    if (verdict == VERDICT_BY_TICKET && t->step->fault == TICKET_FREED_EARLY)
        t->me->free_tickets |= (uint8_t)(1 << here(t)->ticket);
    here(t)->number = here(t)->place = 0;
    t->me->moved = 1;
    next(t);
}

static void clear_ticket(struct turn *t)
{
    say(t->step, "rank %d: clears ticket %d", t->rank, here(t)->ticket);
    order_store(t->order, t->rank, WORD_STAMP(t->rank, here(t)->ticket), false);
    t->shared->stamps[t->rank][here(t)->ticket] = VERDICT_NONE;
    if (t->step->fault == TICKET_CLEARED_LATE)
        next(t);
    else
        t->me->pc = t->step->fault == SEQ_FIRST ? AT_SEQ : AT_WRITE;
}

static void write_envelope(struct turn *t)
{
    uint8_t place = here(t)->place;
    say(t->step, "rank %d: writes envelope %d into place %d", t->rank, t->me->at, place);
    note_broken(t, order_write(t->order, t->rank, PLACE_ENVELOPE(t->rank, place)),
                "an envelope is written while it may be read");
    t->shared->head[t->rank][place] = t->me->at;
    t->shared->ticket[t->rank][place] = here(t)->ticket;
    t->shared->text[t->rank][place] =
        t->shared->tensor[t->rank][t->me->at]; /* of a far one, this is the offset */
    if (place && t->step->fault != VERDICT_KEPT) {
        note_broken(t, order_write(t->order, t->rank, PLACE_VERDICT(t->rank, place)),
                    "a verdict is cleared while it may be written");
        t->shared->cell_verdict[t->rank][place] = VERDICT_DONE;
    } else if (place && t->shared->cell_verdict[t->rank][place] == VERDICT_NONE) {
        t->shared->cell_verdict[t->rank][place] = VERDICT_DONE;
    }
    t->me->pc = AT_SEQ;
    if (t->step->fault == SEQ_FIRST)
        next(t);
}

static void write_seq(struct turn *t)
{
    uint8_t place = here(t)->place;
    here(t)->number = ++t->me->sent;
    say(t->step, "rank %d: writes seq %d for envelope %d, and notifies", t->rank, t->me->sent, t->me->at);
    order_store(t->order, t->rank, WORD_SEQ(t->rank, place), t->step->fault != SEQ_RELAXED);
    t->shared->seq[t->rank][place] = t->me->sent;
    if (place && t->step->fault != RING_UNSAID)
        t->shared->ring[t->rank] =
            1; /* said after it: who sees that sees this; before: it is looked for again */
    t->state->ranks[t->peer].notified = 1;
    here(t)->way = POSTED;
    t->me->moved = 1;
    if (t->step->fault == SEQ_FIRST)
        t->me->pc = AT_WRITE;
    else if (t->step->fault == TICKET_CLEARED_LATE)
        t->me->pc = AT_CLEAR;
    else
        next(t);
}

void send_step(struct turn *t)
{
    static void (*const steps[])(struct turn *) = { visit, clear_ticket, write_envelope, write_seq,
                                                    read_verdict };
    steps[t->me->pc - AT_SEND](t);
}
