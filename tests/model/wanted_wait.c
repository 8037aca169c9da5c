/* wanted_wait.c: the sender behind an untaken message: it sets HURRY and waits, or leaves that to its helper; settle. */
#include "wanted.h"

static struct sender *me(struct turn *t)
{
    return &t->state->sender;
}

static void set_hurry(struct turn *t)
{
    if (t->step->fault == NO_HURRY) {
        say(t->step, "sender: (sets no bit)");
        return;
    }
    say(t->step, "sender: sets HURRY");
    order_store(t->order, THE_SENDER, WORD_SEQ, true);
    t->state->bits |= HURRY;
}

/* The helper naps once after HURRY was set: by then what was on its way has reached memory. */
static void settle(struct turn *t)
{
    me(t)->pc = LISTEN;
    if (t->step->fault == NO_SETTLE) {
        say(t->step, "sender: (does not settle)");
        return;
    }
    while (empty_ack_buffer(t))
        ;
    say(t->step, "sender: settles: the receiver's stores reach memory");
}

/* An isend that finds all messages taken. */
static void begin_wanted(struct turn *t)
{
    if (is_wanted(t))
        me(t)->early = (uint8_t)(t->state->ack.wanter + 1);
    begin_message(t);
}

/* An isend that waits for a place: the helper listens, then a last look; the same look is all that the helper does. */
static void last_look(struct turn *t)
{
    load_ack(t, me(t)->listens ? "looks once more before it computes" : "looks");
    me(t)->pc = HELPER;
    if (slot_free(t))
        begin_wanted(t);
}

static bool helper(struct turn *t)
{
    if (!me(t)->notified)
        return false;
    say(t->step, "sender's helper: wakes up");
    me(t)->notified = 0;
    me(t)->pc = LAST_LOOK;
    return true;
}

/* A blocking send behind an untaken message, and the first steps of an isend. */
bool long_way(struct turn *t)
{
    switch (me(t)->pc) {
    case QUEUED:
        set_hurry(t);
        me(t)->pc = WAIT_FREE;
        return true;
    case WAIT_FREE:
        if (!slot_free(t))
            return false;
        load_ack(t, "finds its slot free");
        begin_message(t);
        return true;
    case LOOK_FREE:
        load_ack(t, "looks for untaken messages");
        me(t)->pc = SET_HURRY;
        if (slot_free(t))
            begin_wanted(t);
        return true;
    case SET_HURRY:
        set_hurry(t);
        me(t)->pc = SETTLE;
        return true;
    case SETTLE:
        settle(t);
        return true;
    case LISTEN:
        say(t->step, "sender: its helper listens from now on");
        me(t)->listens = t->step->fault != NOBODY_LISTENS;
        me(t)->pc = LAST_LOOK;
        return true;
    case LAST_LOOK:
        last_look(t);
        return true;
    default:
        return helper(t);
    }
}
