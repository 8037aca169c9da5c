/* letters_post.c: the sender's steps: lib/backends/shm/sends.c, and lane_post, lane_is_free and lane_verdict. */
#include "letters.h"

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

/* lane_is_free: one load of ack. */
static bool lane_is_held(struct turn *t)
{
    order_load(t->order, t->rank, WORD_ACK(t->peer), t->step->fault != ACK_READ_RELAXED);
    bool is_free = t->shared->ack[t->peer] == t->shared->seq[t->rank];
    say(t->step, "rank %d: send %d reads ack: %d of %d letters", t->rank, t->me->at, t->shared->ack[t->peer],
        t->shared->seq[t->rank]);
    if (t->step->fault == VERDICT_UNCOUNTED && here(t)->way == POSTED)
        return false;
    if (!is_free && t->step->fault != HELD_FORGOTTEN)
        t->me->held = 1;
    return !is_free;
}

static void take_ticket(struct turn *t)
{
    uint8_t ticket = 0;
    while (!(t->me->free_tickets >> ticket & 1))
        ticket++;
    t->me->free_tickets &= (uint8_t) ~(1 << ticket);
    here(t)->ticket = ticket;
    t->me->pc = t->step->fault == TICKET_CLEARED_LATE ? AT_HEAD : AT_CLEAR;
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
        return;
    }
    if (here(t)->way == QUEUED && t->me->free_tickets == 0)
        t->me->held = 1;
    bool asks = !(t->step->fault == NEVER_ASKS && here(t)->way == QUEUED);
    if (asks && (t->me->held || lane_is_held(t))) {
        say(t->step, "rank %d: send %d finds the lane in use", t->rank, t->me->at);
        next(t);
    } else if (here(t)->way == POSTED) {
        t->me->pc = AT_VERDICT;
    } else {
        take_ticket(t);
    }
}

static void read_verdict(struct turn *t)
{
    enum verdict verdict = t->shared->verdict[t->peer];
    order_load(t->order, t->rank, WORD_ACK(t->peer), t->step->fault != ACK_READ_RELAXED);
    say(t->step, "rank %d: send %d reads the verdict: %s", t->rank, t->me->at,
        verdict == VERDICT_PARKED ? "parked" : "over");
    if (verdict == VERDICT_PARKED && t->step->fault != PARKED_IS_DONE)
        here(t)->way = PARKED;
    else
        end_send(t, verdict);
    if (verdict == VERDICT_PARKED && t->step->fault == TICKET_FREED_EARLY)
        t->me->free_tickets |= (uint8_t)(1 << here(t)->ticket);
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
        t->me->pc = t->step->fault == SEQ_FIRST ? AT_SEQ : AT_HEAD;
}

static void write_head(struct turn *t)
{
    say(t->step, "rank %d: writes the head of letter %d", t->rank, t->me->at);
    note_broken(t, order_write(t->order, t->rank, PLACE_HEAD(t->rank)),
                "a letter is written while it may be read");
    t->shared->head[t->rank] = t->me->at;
    t->shared->ticket[t->rank] = here(t)->ticket;
    t->me->pc = AT_TEXT;
}

static void write_text(struct turn *t)
{
    say(t->step, "rank %d: writes the text of letter %d", t->rank, t->me->at);
    note_broken(t, order_write(t->order, t->rank, PLACE_TEXT(t->rank)),
                "a letter is written while it may be read");
    t->shared->text[t->rank] = t->shared->tensor[t->rank][t->me->at]; /* of a far one, this is the offset */
    t->me->pc = AT_SEQ;
    if (t->step->fault == SEQ_FIRST)
        next(t);
}

static void write_seq(struct turn *t)
{
    say(t->step, "rank %d: writes seq %d for letter %d, and rings", t->rank, t->shared->seq[t->rank] + 1,
        t->me->at);
    order_store(t->order, t->rank, WORD_SEQ(t->rank), t->step->fault != SEQ_RELAXED);
    t->shared->seq[t->rank]++;
    t->state->ranks[t->peer].rung = 1;
    here(t)->way = POSTED;
    t->me->moved = 1;
    if (t->step->fault != POST_NOT_HELD) /* its verdict must be read before a later letter covers it up */
        t->me->held = 1;
    if (t->step->fault == SEQ_FIRST)
        t->me->pc = AT_HEAD;
    else if (t->step->fault == TICKET_CLEARED_LATE)
        t->me->pc = AT_CLEAR;
    else
        next(t);
}

void send_step(struct turn *t)
{
    switch (t->me->pc) {
    case AT_SEND:
        visit(t);
        break;
    case AT_CLEAR:
        clear_ticket(t);
        break;
    case AT_HEAD:
        write_head(t);
        break;
    case AT_TEXT:
        write_text(t);
        break;
    case AT_SEQ:
        write_seq(t);
        break;
    default:
        read_verdict(t);
    }
}
