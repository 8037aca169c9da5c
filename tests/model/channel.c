/*
 * channel.c: the model of the channel between two ranks: lib/backends/shm/{channel,sends,recvs}.c.
 *
 * Here are the scenarios, the faults, and the ranks' programs; channel.h describes the state.
 */
#include "channel.h"
#include "models.h"

static const struct scenario scenarios[] = {
    { "two messages each way, short and far", 2 },
    { "tags that force parking, three messages and one back", 2 },
    { "two of one tag unexpected, far", 2 },
    { "long copies, of an unexpected message and from the channel", 2 },
    { "a receive that does not fit, from the channel and from the unexpected", 2 },
    { "one ticket for three sends", 2 },
    { "more messages than the channel holds", 2 },
    { "one refused in the slot, others behind it", 2 },
    { "one refused in a cell, which is then used again", 2 },
    { 0 }
};

static const struct fault faults[] = {
    { "seq is written before the envelope", 0 },
    { "a cell is used again before its message is known to be taken", 6 },
    { "a cell is used again before its verdict was read, since ack is read once more", 8 },
    { "the slot is written before its message is known to be taken", 6 },
    { "nobody says that the ring is in use", 0 },
    { "the verdict on the last message stays in a cell that is used again", 8 },
    { "the verdict is written into the cell after ack", 8 },
    { "ack tells the verdict on the last message, not on the slot's", 7 },
    { "a run that is shorter than a batch is not acknowledged", 0 },
    { "ack is written before the copy", 0 },
    { "the ticket is stamped before the copy", 1 },
    { "a send is over when its message is unexpected", 1 },
    { "the verdict is read without looking whether ack counts this message", 0 },
    { "the ticket is freed when the message is unexpected", 5 },
    { "the ticket is cleared after the message is posted", 3 },
    { "unexpected messages are taken last come, first served", 2 },
    { "a new receive does not look among the unexpected messages", 1 },
    { "the peer is not notified of an ack", 0 },
    { "seq is written relaxed", 0 },
    { "seq is read relaxed", 0 },
    { "ack is written relaxed", 0 },
    { "ack is read relaxed", 0 },
    { "the ticket is stamped relaxed", 1 },
    { "the ticket is read relaxed", 1 },
    { 0 }
};

/* Each scenario's two programs. s: send, r: receive, x: a receive that does not fit; then the tag, and the size: short,
 * far, long. w: wait for the operation with that number. */
static const char *const programs[][2] = {
    { "s1f s1s r1f r1s w0  w1  w2  w3 ", "s1f r1f r1s s1s w1  w0  w3  w2 " },
    { "s1f s2f s1s r1s w3  w0  w1  w2 ", "s1s r2f w1  r1f w2  r1s w3  w0 " },
    { "s1f s1f s2s w2  w1  w0 ", "r2s w0  r1f r1f w2  w1 " },
    { "s1l s2l r1l w0  w1  w2 ", "s1l r2l w1  r1l w0  w2 " },
    { "s1f s1f s2s w0  w2  w1 ", "x1f r2s w0  w1  x1f w2 " },
    { "s1l s2l s2s w2  w1  w0 ", "r2l r1l r2s w0  w1  w2 " },
    { "s1f s1s s1f s1s w0  w3  w1  w2 ", "r1f r1s r1f r1s w3  w0  w1  w2 " },
    { "s1f s1s s1f w0  w1  w2 ", "x1f r1s r1f w0  w1  w2 " },
    { "s1f s1s s1f s1s w0  w1  w2  w3 ", "r1f x1s r1f r1s w0  w1  w2  w3 " },
};

static struct call call_at(int scenario, int rank, int line)
{
    const char *word = programs[scenario][rank] + 4 * line;
    if (line > 0 && word[-1] == 0)
        return (struct call){ .what = END };
    return (struct call){ .what = word[0] == 'w'   ? WAIT
                                  : word[0] == 's' ? SEND
                                                   : RECV,
                          .tag = (uint8_t)(word[1] - '0'),
                          .size = word[2] == 'l'   ? LONG
                                  : word[2] == 'f' ? FAR
                                                   : SHORT,
                          .misfit = word[0] == 'x' };
}

struct call call_of(const struct turn *t, int rank, int op)
{
    return call_at(t->step->scenario, rank, t->state->ranks[rank].ops[op].call);
}

void note_broken(struct turn *t, bool good, const char *promise)
{
    if (!good && !t->step->broken)
        t->step->broken = promise;
}

static struct order order_in(struct state *s)
{
    return (struct order){ s->knows, sizeof s->knows / sizeof *s->knows, 2, 1 };
}

static void channel_begin(struct step *step)
{
    struct state *s = step->state;
    order_begin(order_in(s));
    for (int rank = 0; rank < 2; rank++) {
        s->ranks[rank].free_tickets = step->scenario == 5 ? 1 : (1 << ROW) - 1;
        for (uint8_t i = 0; i < OPS; i++)
            s->shared.tensor[rank][i] = i;
    }
}

/* ---- the program ------------------------------------------------------------------------ */

static void post(struct turn *t, struct call call)
{
    uint8_t op = t->me->count++;
    t->me->ops[op] = (struct op){ .call = t->me->line++, .way = call.what == SEND ? QUEUED : OPEN };
    say(t->step, "rank %d: posts %s %d, tag %d", t->rank, call.what == SEND ? "send" : "receive", op,
        call.tag);
    if (call.what == RECV)
        take_unexpected(t, op);
}

/* A wait: walk until the operation is over. */
static void wait(struct turn *t, uint8_t op)
{
    if (t->me->ops[op].way != FINISHED) {
        say(t->step, "rank %d: waits for operation %d, looks around", t->rank, op);
        t->me->pc = AT_SEND;
        t->me->at = t->me->looked = t->me->held = t->me->moved = t->me->notified = 0;
        return;
    }
    say(t->step, "rank %d: operation %d is over", t->rank, op);
    if (call_of(t, t->rank, op).what == SEND)
        t->me->pc = AT_OVERWRITE;
    else
        t->me->line++;
}

static bool program_step(struct turn *t)
{
    struct call call = call_at(t->step->scenario, t->rank, t->me->line);
    if (call.what == END)
        return false;
    if (call.what == WAIT)
        wait(t, call.tag);
    else
        post(t, call);
    return true;
}

/* The program may do with a tensor what it likes as soon as its send is over. */
static void overwrite(struct turn *t)
{
    uint8_t op = call_at(t->step->scenario, t->rank, t->me->line++).tag;
    say(t->step, "rank %d: overwrites the tensor of send %d", t->rank, op);
    t->shared->tensor[t->rank][op] = NONE;
    note_broken(t, order_write(t->order, t->rank, PLACE_TENSOR(t->rank, op)),
                "a tensor is written while the peer may still read it");
    t->me->pc = AT_PROGRAM;
}

/* The walk is over: another one, back to the program, or sleep. */
static bool rest(struct turn *t)
{
    uint8_t op = call_at(t->step->scenario, t->rank, t->me->line).tag;
    bool over = t->me->ops[op].way == FINISHED;
    if (!over && !t->me->moved && !t->me->notified)
        return false; /* asleep */
    say(t->step, "rank %d: the walk is over%s", t->rank, !over && !t->me->moved ? ", it was notified" : "");
    t->me->pc = AT_PROGRAM;
    t->me->at = t->me->looked = t->me->held = t->me->moved = 0;
    return true;
}

static bool channel_move(struct step *step, int rank)
{
    struct state *s = step->state;
    struct turn turn = { step, s, &s->ranks[rank], &s->shared, order_in(s), rank, 1 - rank };
    if (turn.me->pc == AT_PROGRAM)
        return program_step(&turn);
    if (turn.me->pc == AT_REST)
        return rest(&turn);
    if (turn.me->pc == AT_OVERWRITE)
        overwrite(&turn);
    else if (turn.me->pc < AT_RECV)
        send_step(&turn);
    else
        recv_step(&turn);
    return true;
}

static const char *channel_end(struct step *step)
{
    const struct state *s = step->state;
    for (int rank = 0; rank < 2; rank++) {
        if (s->ranks[rank].pc != AT_PROGRAM)
            return "a completion is lost: a rank sleeps for ever";
        uint8_t took = s->ranks[rank].got | s->ranks[rank].refused;
        for (int op = 0; op < s->ranks[1 - rank].count; op++)
            if (call_at(step->scenario, 1 - rank, s->ranks[1 - rank].ops[op].call).what == SEND &&
                !(took >> op & 1))
                return "a message was never delivered";
    }
    return NULL;
}

const struct model model_channel = {
    .name = "channel",
    .promise = "each message arrives once, whole and in order; a send is over only when its data was taken",
    .bytes = sizeof(struct state),
    .scenarios = scenarios,
    .faults = faults,
    .begin = channel_begin,
    .move = channel_move,
    .end = channel_end,
};
