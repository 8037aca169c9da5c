/*
 * wanted.c: the model of messages that are wanted: lib/backends/shm/{quick,sends,recvs}.c, channel_acknowledge, and the helper's nap.
 *
 * A receive that finds its channel empty says in ack for what it is; a sender that reads so is done as soon as the message is posted, and its data
 * stand in the channel. Here are the scenarios, the faults, the ranks' programs, and the store buffer; wanted.h describes the state.
 */
#include "wanted.h"
#include "models.h"

/* Moves: the sender or its helper, the receiver, the receiver's store buffer. */
#define MOVES 3

static const struct scenario scenarios[] = { { "three messages of one kind", MOVES },
                                             { "messages of two kinds", MOVES },
                                             { "one that is unexpected, another of its kind follows", MOVES },
                                             { "one that is refused, another of its kind follows", MOVES },
                                             { "earlier receives are open, one of another size", MOVES },
                                             { "an isend behind a message that is untaken", MOVES },
                                             { "an isend behind two messages", MOVES },
                                             { "isends against irecvs, of two kinds", MOVES },
                                             { "isends, the first of them unexpected", MOVES },
                                             { "an isend that is refused, another of its kind follows",
                                               MOVES },
                                             { 0 } };

static const struct fault faults[] = {
    { "seq is written before the message", 0 },
    { "ack is written before the copy", 0 },
    { "what was wanted stays in ack when a message is taken", 0 },
    { "a want is believed though ack does not count the last message", 0 },
    { "a receive says what it wants though unexpected messages or others come before it", 2 },
    { "a want tells the tag, and not the size", 3 },
    { "a message that was refused counts as wanted, since the next receive wants one like it", 3 },
    { "the sender of an isend sets no HURRY", 5 },
    { "the helper does not nap once after HURRY was set", 5 },
    { "who takes a message looks for HURRY before ack is written", 5 },
    { "the helper does not listen", 5 },
    { "the stage is used while an unexpected message lies in it", 8 },
    { "a send ends early though its data lie in its tensor", 8 },
    { "an isend reads what is wanted, and not how many are taken", 9 },
    { "seq is written relaxed", 0 },
    { "seq is read relaxed", 0 },
    { "ack is written relaxed", 0 },
    { "ack is read relaxed", 0 },
    { 0 }
};

/* Each scenario's two programs, sender and receiver. s: send; i: isend, irecv; r: receive; o: a receive of something else from
 * anybody, which a third rank serves. Then the kind of message. */
static const char *const programs[][2] = {
    { "sa sa sa ", "ra ra ra " }, { "sa sb sa ", "ra rb ra " }, { "sb sb sa ", "oz rb rb ra " },
    { "sa sa sa ", "rA ra ra " }, { "sa sa sa ", "iA ia ra " }, { "sa ia ", "ra ra " },
    { "sa sa ia ", "ra ra ra " }, { "ia ib ia ", "ia ib ra " }, { "ib ia ia ", "ra ra rb " },
    { "ia ia ia ", "iA ra ra " },
};

static const char *line_at(const struct turn *t, int rank, int line)
{
    const char *program = programs[t->step->scenario][rank];
    for (; line > 0 && *program; line--)
        program += 3;
    return program;
}

char verb_of(const struct turn *t, int rank, int line)
{
    return line_at(t, rank, line)[0];
}

char kind_of(const struct turn *t, int rank, int line)
{
    const char *at = line_at(t, rank, line);
    return at[0] ? at[1] : 0;
}

bool same_tag(char a, char b)
{
    return (a | 32) == (b | 32);
}

void must(struct turn *t, bool good, const char *promise)
{
    if (!good && !t->step->broken)
        t->step->broken = promise;
}

void judge_early(struct turn *t, int message)
{
    uint8_t wanter = t->state->sender.wanters[message], fate = t->state->receiver.fates[message];
    if (wanter && fate)
        must(t, fate == VERDICT_DONE && t->state->receiver.takers[message] == wanter,
             "a send that ended early is not taken by the receive that wanted it");
}

/* ---- ack, and its store buffer ------------------------------------------------------------ */

void store_ack(struct turn *t, struct ack ack)
{
    struct receiver *r = &t->state->receiver;
    int at = r->buffered++;
    r->says = r->buffer[at] = ack;
    order_store(t->order, THE_RECEIVER, WORD_BUFFER + at, t->step->fault != ACK_RELAXED);
}

bool empty_ack_buffer(struct turn *t)
{
    struct state *s = t->state;
    struct receiver *r = &s->receiver;
    if (r->buffered == 0)
        return false;
    say(t->step, "receiver: ack %d reaches memory", r->buffer[0].count);
    s->ack = r->buffer[0];
    s->knows[WORD_ACK] = s->knows[WORD_BUFFER];
    for (int i = 0; i + 1 < BUFFER; i++) {
        r->buffer[i] = r->buffer[i + 1];
        s->knows[WORD_BUFFER + i] = s->knows[WORD_BUFFER + i + 1];
    }
    r->buffer[BUFFER - 1] = (struct ack){ 0 };
    s->knows[WORD_BUFFER + BUFFER - 1] = 0;
    r->buffered--;
    return true;
}

/* ---- the walk ---------------------------------------------------------------------------------- */

static struct order order_in(struct state *s)
{
    return (struct order){ s->knows, sizeof s->knows / sizeof *s->knows, 2, 1 };
}

static void wanted_begin(struct step *step)
{
    struct state *s = step->state;
    order_begin(order_in(s));
    s->knows[WORD_BUFFER] = s->knows[WORD_BUFFER + 1] = 0;
}

static bool wanted_move(struct step *step, int number)
{
    struct state *s = step->state;
    struct turn turn = { step, s, order_in(s) };
    switch (number) {
    case 0:
        return sender_step(&turn);
    case 1:
        return receiver_step(&turn);
    default:
        return empty_ack_buffer(&turn);
    }
}

static const char *wanted_end(struct step *step)
{
    struct state *s = step->state;
    struct turn turn = { step, s, order_in(s) };
    if (s->sender.pc == HELPER)
        return "the helper sleeps for ever, though its slot is free";
    if (verb_of(&turn, THE_SENDER, s->sender.line) || verb_of(&turn, THE_RECEIVER, s->receiver.line) ||
        s->receiver.open)
        return "both wait for ever";
    return NULL;
}

const struct model model_wanted = {
    .name = "wanted",
    .promise = "a send that ended early is taken by the receive that wanted it; nobody sleeps for ever",
    .bytes = sizeof(struct state),
    .scenarios = scenarios,
    .faults = faults,
    .begin = wanted_begin,
    .move = wanted_move,
    .end = wanted_end,
};
