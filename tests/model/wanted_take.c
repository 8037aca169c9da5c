/* wanted_take.c: the receiver: shm_quick_recv, the walk of recvs.c, and channel_take with its store buffer. */
#include "wanted.h"

#define NOBODY CALLS

static struct receiver *me(struct turn *t)
{
    return &t->state->receiver;
}

static bool message_lies_there(const struct turn *t)
{
    return t->state->seq != t->state->receiver.taken;
}

static void load_seq(struct turn *t)
{
    order_load(t->order, THE_RECEIVER, WORD_SEQ, t->step->fault != SEQ_READ_RELAXED);
}

/* ---- a receive is posted --------------------------------------------------------------------- */

/* The first unexpected message of a receive's tag; CALLS: there is none. */
static uint8_t find_unexpected(const struct turn *t, uint8_t op)
{
    uint8_t message = 0;
    while (message < CALLS && !(t->state->receiver.unexpected >> message & 1 &&
                                same_tag(kind_of(t, THE_SENDER, message), kind_of(t, THE_RECEIVER, op))))
        message++;
    return message;
}

static void ask(struct turn *t)
{
    bool first =
        (find_unexpected(t, me(t)->line) == CALLS && me(t)->open == 0) || t->step->fault == WANT_TOO_SOON;
    load_seq(t);
    say(t->step, "receiver: posts receive %d, of %c: the slot is %s", me(t)->line,
        kind_of(t, THE_RECEIVER, me(t)->line), message_lies_there(t) ? "not empty" : "empty");
    me(t)->open |= (uint8_t)(1 << me(t)->line);
    me(t)->pc = first && !message_lies_there(t) ? SAY_WANT : LOOK_UNEXPECTED;
}

static bool say_want(struct turn *t)
{
    struct ack ack = me(t)->says;
    if (me(t)->buffered == BUFFER)
        return false;
    ack.want = (uint8_t)kind_of(t, THE_RECEIVER, me(t)->line);
    ack.wanter = me(t)->line;
    say(t->step, "receiver: says that it wants %c", ack.want);
    store_ack(t, ack);
    me(t)->pc = LOOK_UNEXPECTED;
    return true;
}

/* What became of a message, and by which receive. */
static void decide(struct turn *t, uint8_t message, uint8_t op)
{
    bool agree = kind_of(t, THE_SENDER, message) == kind_of(t, THE_RECEIVER, op);
    me(t)->fates[message] = agree ? VERDICT_DONE : VERDICT_REFUSED;
    me(t)->takers[message] = (uint8_t)(op + 1);
    me(t)->open &= (uint8_t) ~(1 << op);
}

static void read_text(struct turn *t, uint8_t message)
{
    must(t, order_read(t->order, THE_RECEIVER, PLACE_TEXT), "a message is read while it may be written");
    must(t, t->state->text == message, "a message is overwritten before it was read");
}

static void next_call(struct turn *t)
{
    char verb = verb_of(t, THE_RECEIVER, me(t)->line);
    if (verb)
        me(t)->line++;
    me(t)->pc = ASK;
}

static void look_unexpected(struct turn *t)
{
    uint8_t op = me(t)->line, message = find_unexpected(t, op);
    if (message == CALLS) {
        say(t->step, "receiver: has no such message among the unexpected");
        me(t)->pc = WATCH;
        if (verb_of(t, THE_RECEIVER, op) == 'i')
            next_call(t);
        return;
    }
    say(t->step, "receiver: takes unexpected message %d, and stamps its ticket", message);
    if (me(t)->far >> message & 1)
        read_text(t, message);
    me(t)->unexpected &= (uint8_t) ~(1 << message);
    me(t)->far &= (uint8_t) ~(1 << message);
    decide(t, message, op);
    t->state->stamps[message] = me(t)->fates[message];
    order_store(t->order, THE_RECEIVER, WORD_STAMP + message, true);
    next_call(t);
}

/* ---- a message is taken ------------------------------------------------------------------------- */

/* Wait for a message; but the receive from anybody ('o') may be served by a third rank. */
static bool watch(struct turn *t)
{
    if (message_lies_there(t)) {
        load_seq(t);
        say(t->step, "receiver: there is a message");
        me(t)->pc = READ;
        return true;
    }
    if (verb_of(t, THE_RECEIVER, me(t)->line) != 'o')
        return false;
    say(t->step, "receiver: is served by somebody else");
    next_call(t);
    return true;
}

/* Who sees a message finds for it the first receive of its tag. */
static void read_head(struct turn *t)
{
    must(t, order_read(t->order, THE_RECEIVER, PLACE_HEAD), "a message is read while it may be written");
    must(t, t->state->head == me(t)->taken, "a message is overwritten before it was read");
    me(t)->message = me(t)->taken;
    char kind = kind_of(t, THE_SENDER, me(t)->message);
    me(t)->op = 0;
    while (me(t)->op < NOBODY &&
           !(me(t)->open >> me(t)->op & 1 && same_tag(kind, kind_of(t, THE_RECEIVER, me(t)->op))))
        me(t)->op++;
    say(t->step, "receiver: message %d is for %s %d", me(t)->message,
        me(t)->op == NOBODY ? "nobody, and is unexpected:" : "receive", me(t)->op);
    me(t)->pc = t->step->fault == ACK_FIRST ? WRITE_ACK : t->step->fault == HURRY_READ_FIRST ? PEEK : COPY;
}

/* Of an unexpected one only the envelope. */
static void copy(struct turn *t)
{
    say(t->step, "receiver: copies message %d", me(t)->message);
    if (t->state->by_stage && me(t)->op == NOBODY)
        me(t)->far |= (uint8_t)(1 << me(t)->message);
    else if (t->state->by_stage)
        read_text(t, me(t)->message);
    me(t)->pc = t->step->fault == ACK_FIRST ? READ_BITS : WRITE_ACK;
}

static bool write_ack(struct turn *t)
{
    uint8_t message = me(t)->message;
    if (me(t)->buffered == BUFFER)
        return false;
    if (me(t)->op == NOBODY) {
        me(t)->unexpected |= (uint8_t)(1 << message);
        me(t)->fates[message] = VERDICT_BY_TICKET;
    } else {
        decide(t, message, me(t)->op);
    }
    judge_early(t, message);
    struct ack ack = { .count = ++me(t)->taken, .verdict = me(t)->fates[message] };
    if (t->step->fault == WANT_KEPT) {
        ack.want = me(t)->says.want;
        ack.wanter = me(t)->says.wanter;
    }
    say(t->step, "receiver: writes ack %d (into its store buffer)", ack.count);
    store_ack(t, ack);
    me(t)->pc = t->step->fault == ACK_FIRST ? COPY : READ_BITS;
    return true;
}

static void taken(struct turn *t)
{
    bool still = me(t)->open >> me(t)->line & 1;
    me(t)->message = me(t)->op = me(t)->bits = 0;
    if (still || verb_of(t, THE_RECEIVER, me(t)->line) == 0)
        me(t)->pc = still ? WATCH : ASK;
    else
        next_call(t);
}

/* channel_acknowledge: does anybody wait for a place? */
static void read_bits(struct turn *t)
{
    uint8_t bits = t->step->fault == HURRY_READ_FIRST ? me(t)->bits : t->state->bits;
    say(t->step, "receiver: %s", bits & HURRY ? "others wait for a place" : "nobody waits for a place");
    if (bits & HURRY)
        me(t)->pc = NOTIFY;
    else
        taken(t);
}

static void notify(struct turn *t)
{
    bool notifies = t->state->bits & HURRY && t->state->seq == me(t)->taken && t->state->sender.listens;
    say(t->step, "receiver: %s the sender's helper", notifies ? "notifies" : "need not notify");
    t->state->sender.notified |= notifies;
    taken(t);
}

static bool call(struct turn *t)
{
    char verb = verb_of(t, THE_RECEIVER, me(t)->line);
    if (verb == 0 && me(t)->open == 0)
        return false;
    if (verb == 0 || verb == 'o') {
        say(t->step, "receiver: looks around");
        me(t)->pc = WATCH;
        return verb == 'o' || watch(t);
    }
    ask(t);
    return true;
}

bool receiver_step(struct turn *t)
{
    switch (me(t)->pc) {
    case ASK:
        return call(t);
    case SAY_WANT:
        return say_want(t);
    case LOOK_UNEXPECTED:
        look_unexpected(t);
        return true;
    case WATCH:
        return watch(t);
    case READ:
        read_head(t);
        return true;
    case COPY:
        copy(t);
        return true;
    case PEEK:
        say(t->step, "receiver: reads the bits of seq");
        me(t)->bits = t->state->bits;
        me(t)->pc = COPY;
        return true;
    case WRITE_ACK:
        return write_ack(t);
    case READ_BITS:
        read_bits(t);
        return true;
    case NOTIFY: /* a seq_cst fence comes first */
        while (empty_ack_buffer(t))
            ;
        notify(t);
        return true;
    default:
        return false;
    }
}
