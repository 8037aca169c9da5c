/* wanted_post.c: the sender: shm_quick_send, and the long way of sends.c where all messages are taken; wanted_wait.c has the rest. */
#include "wanted.h"

static struct sender *me(struct turn *t)
{
    return &t->state->sender;
}

bool slot_free(const struct turn *t)
{
    return t->state->ack.count == t->state->seq;
}

void load_ack(struct turn *t, const char *why)
{
    order_load(t->order, THE_SENDER, WORD_ACK, t->step->fault != ACK_READ_RELAXED);
    say(t->step, "sender: %s: ack counts %d of %d, wants %c", why, t->state->ack.count, t->state->seq,
        t->state->ack.want ? t->state->ack.want : '-');
}

bool is_wanted(const struct turn *t)
{
    char kind = kind_of(t, THE_SENDER, t->state->sender.line), want = (char)t->state->ack.want;
    return t->step->fault == WANT_WITHOUT_SIZE ? want && same_tag(want, kind) : want == kind;
}

static void next_call(struct turn *t)
{
    me(t)->line++;
    me(t)->pc = CALL;
    me(t)->early = me(t)->watches = 0;
}

static void end_early(struct turn *t, uint8_t wanter)
{
    uint8_t message = me(t)->line;
    must(t, t->state->by_stage, "a send is over, and its data lie where the program may overwrite them");
    me(t)->wanters[message] = (uint8_t)(wanter + 1);
    judge_early(t, message);
    next_call(t);
}

/* All messages are taken. Is the one in the stage, too, or set aside, and not yet copied from there? */
static void look_at_stage(struct turn *t)
{
    uint8_t message = (uint8_t)(me(t)->staged - 1);
    if (me(t)->staged == 0)
        return;
    if (t->state->stamps[message] != VERDICT_NONE)
        order_load(t->order, THE_SENDER, WORD_STAMP + message, true);
    else if (message + 1 != t->state->seq || t->state->ack.verdict == VERDICT_BY_TICKET)
        return;
    me(t)->staged = 0;
}

static bool has_stage(const struct turn *t)
{
    return t->state->sender.staged == 0 || t->step->fault == STAGE_LENT;
}

void begin_message(struct turn *t)
{
    look_at_stage(t);
    if (!has_stage(t) && t->step->fault != EARLY_WITHOUT_STAGE)
        me(t)->early = 0;
    me(t)->pc = t->step->fault == SEQ_FIRST ? POST : WRITE;
}

/* shm_quick_send, or dist_isend. */
static bool call(struct turn *t)
{
    char verb = verb_of(t, THE_SENDER, me(t)->line);
    if (verb == 0)
        return false;
    if (verb == 'i') {
        say(t->step, "sender: posts an isend");
        me(t)->pc = LOOK_FREE;
        return true;
    }
    load_ack(t, "is about to send");
    me(t)->watches = slot_free(t);
    me(t)->pc = QUEUED;
    bool believes = slot_free(t) || t->step->fault == WANT_UNCOUNTED;
    if (believes && is_wanted(t))
        me(t)->early = (uint8_t)(t->state->ack.wanter + 1);
    if (slot_free(t) || me(t)->early)
        begin_message(t);
    return true;
}

static void write_message(struct turn *t)
{
    bool by_stage = has_stage(t);
    say(t->step, "sender: writes message %d%s", me(t)->line, by_stage ? "" : ", its data stay in the tensor");
    bool ordered = order_write(t->order, THE_SENDER, PLACE_HEAD);
    if (by_stage) {
        ordered &= order_write(t->order, THE_SENDER, PLACE_TEXT);
        t->state->text = me(t)->line;
        me(t)->staged = (uint8_t)(me(t)->line + 1);
    }
    must(t, ordered, "a message is written while it may be read");
    t->state->head = me(t)->line;
    t->state->by_stage = by_stage;
}

/* After the message was written and posted. */
static void posted(struct turn *t)
{
    if (me(t)->early)
        end_early(t, (uint8_t)(me(t)->early - 1));
    else if (verb_of(t, THE_SENDER, me(t)->line) == 'i')
        me(t)->pc = LOOK_ONCE;
    else
        me(t)->pc = LOOK;
}

static void post(struct turn *t)
{
    say(t->step, "sender: writes seq %d", t->state->seq + 1);
    order_store(t->order, THE_SENDER, WORD_SEQ, t->step->fault != SEQ_RELAXED);
    t->state->seq++;
    t->state->bits = 0;
}

/* The end of a send whose message was taken, or was told by its ticket. */
static void end_send(struct turn *t, uint8_t verdict)
{
    must(t, verdict == t->state->receiver.fates[me(t)->line],
         "a send is over before its message was taken, or otherwise than it was");
    next_call(t);
}

/* quick.c's look; who gives it up only looks less often. */
static bool look(struct turn *t)
{
    bool taken = slot_free(t), wanted = me(t)->watches && t->state->by_stage && is_wanted(t);
    uint8_t verdict = t->state->ack.verdict;
    if (!taken && !wanted)
        return false;
    load_ack(t, "looks at its message");
    if (wanted && (!taken || t->step->fault == TAKEN_IS_WANTED))
        end_early(t, t->state->ack.wanter);
    else if (verdict == VERDICT_BY_TICKET)
        me(t)->pc = STAMP;
    else
        end_send(t, verdict);
    return true;
}

/* An isend's, as soon as it is posted; a later one would be the same. */
static void look_once(struct turn *t)
{
    bool wanted = (t->state->by_stage || t->step->fault == EARLY_WITHOUT_STAGE) && is_wanted(t);
    load_ack(t, "looks whether its isend is wanted");
    if (wanted && (!slot_free(t) || t->step->fault == ISEND_UNCOUNTED))
        end_early(t, t->state->ack.wanter);
    else
        next_call(t);
}

static bool look_at_stamp(struct turn *t)
{
    uint8_t verdict = t->state->stamps[me(t)->line];
    if (verdict == VERDICT_NONE)
        return false;
    say(t->step, "sender: its ticket is stamped");
    end_send(t, verdict);
    return true;
}

bool sender_step(struct turn *t)
{
    bool seq_first = t->step->fault == SEQ_FIRST;
    switch (me(t)->pc) {
    case CALL:
        return call(t);
    case WRITE:
        write_message(t);
        me(t)->pc = POST;
        if (seq_first)
            posted(t);
        return true;
    case POST:
        post(t);
        me(t)->pc = WRITE;
        if (!seq_first)
            posted(t);
        return true;
    case LOOK:
        return look(t);
    case LOOK_ONCE:
        look_once(t);
        return true;
    case STAMP:
        return look_at_stamp(t);
    default:
        return long_way(t);
    }
}
