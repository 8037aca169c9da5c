/* drivers_walk.c: what threads do under the engine's lock (engine_progress, engine_done), and notifying. */
#include "drivers.h"

bool lock(struct turn *t, uint8_t next)
{
    if (t->mine->lock)
        return false;
    t->mine->lock = (uint8_t)(t->number + 1);
    t->me->pc = next;
    return true;
}

void unlock(struct turn *t)
{
    t->mine->lock = 0;
}

/* ---- event counts ------------------------------------------------------------------------------- */

void notify(struct turn *t, int eventcount, uint8_t back)
{
    t->me->eventcount = (uint8_t)eventcount;
    t->me->notify_back = back;
    t->me->pc = NOTIFY_LOOK;
}

static void ring_step(struct turn *t)
{
    struct eventcount *eventcount = &t->s->eventcounts[t->me->eventcount];
    struct thread *sleeper = &t->s->threads[t->me->eventcount];
    if (t->me->pc == NOTIFY_LOOK) {
        say(t->step, "rank %d%s reads `sleepers` of rank %d%s: %d", t->rank, t->number % 2 ? "'s helper" : "",
            t->me->eventcount / 2, t->me->eventcount % 2 ? "'s helper" : "", eventcount->sleepers);
        t->me->pc = eventcount->sleepers ? NOTIFY_COUNT : t->me->notify_back;
    } else if (t->me->pc == NOTIFY_COUNT) {
        tell(t, "counts up `count`");
        eventcount->count++;
        t->me->pc = NOTIFY_WAKE;
    } else {
        tell(t, sleeper->pc == ASLEEP ? "wakes the sleeper" : "wakes nobody, since nobody sleeps");
        if (sleeper->pc == ASLEEP)
            sleeper->pc = t->me->eventcount % 2 ? HELP_LOCK : UNCOUNT;
        t->me->pc = t->me->notify_back;
    }
    if (t->me->pc == t->me->notify_back)
        t->me->eventcount = t->me->notify_back = 0;
}

void count_helper(struct turn *t, bool listens)
{
    struct eventcount *eventcount = &t->s->eventcounts[2 * t->rank + 1];
    eventcount->sleepers = (uint8_t)(eventcount->sleepers + listens - t->mine->listens);
    t->mine->listens = listens;
}

bool doze(struct turn *t, uint8_t awake, uint8_t asleep)
{
    bool sleeps = t->s->eventcounts[t->number].count == t->me->seen;
    tell(t, sleeps ? "goes to sleep" : "is not let to sleep, since `count` has changed");
    t->me->pc = sleeps ? asleep : awake;
    t->me->seen = t->me->moved = t->me->light = 0;
    return !sleeps;
}

/* ---- along the open operations -------------------------------------------------------------- */

void walk(struct turn *t, bool light, uint8_t back)
{
    t->me->light = light;
    t->me->moved = 0;
    t->me->walk_back = back;
    t->me->pc = WALK_ACK;
}

/* engine_done: whoever of the rank waits for it is told. */
static void done(struct turn *t, uint8_t *count, uint8_t back)
{
    (*count)++;
    t->me->moved = 1;
    if (t->step->fault == DONE_UNTOLD && t->number % 2)
        t->me->pc = back;
    else
        notify(t, 2 * t->rank, back);
}

/* The first send that is not over: is it now, by the peer's ack, or stamp? If a place is free, post the next. */
static void walk_ack(struct turn *t)
{
    int over = t->long_out ? t->other->stamps : t->other->ack;
    bool place_free = t->mine->seq - t->other->ack < t->places;
    if (t->mine->sends_done < over) {
        tell(t, "sees that its send is done");
        done(t, &t->mine->sends_done, WALK_ACK);
    } else if (place_free && t->mine->seq < t->mine->sends) {
        tell(t, "sees that a place is free");
        t->me->pc = WALK_POST;
    } else {
        tell(t, "sees nothing new for its sends");
        t->me->pc = WALK_RECV;
    }
}

static void walk_post(struct turn *t)
{
    tell(t, "posts a message");
    t->mine->seq++;
    t->me->moved = 1;
    notify(t, 2 * (1 - t->rank), t->long_out && t->step->fault != LONG_UNTOLD ? WALK_POST_NOTIFY : WALK_RECV);
}

static void walk_recv(struct turn *t)
{
    bool takes = t->mine->taken < t->mine->recvs && t->mine->taken < t->other->seq;
    if (t->mine->copies && !t->me->light) {
        tell(t, "begins a long copy, and lets go of the lock");
        t->mine->copies--;
        unlock(t);
        t->me->pc = WALK_COPY;
        return;
    }
    tell(t, takes ? "sees a message" : "sees no message");
    t->me->pc = takes ? WALK_TAKE : WALK_END;
}

static void walk_take(struct turn *t)
{
    tell(t, "takes the message, and writes ack");
    t->mine->ack = ++t->mine->taken;
    t->mine->copies = (uint8_t)(t->mine->copies + t->long_in);
    t->me->moved = 1;
    notify(t, 2 * (1 - t->rank), WALK_TAKEN);
}

static void walk_end(struct turn *t)
{
    if (t->mine->taken != t->mine->ack && t->step->fault != PUT_OFF_LEFT) {
        tell(t, "writes the ack that was put off");
        t->mine->ack = t->mine->taken;
        notify(t, 2 * (1 - t->rank), WALK_END);
        return;
    }
    tell(t, "has been along all operations");
    t->me->pc = t->me->walk_back;
    t->me->walk_back = t->me->light = 0;
}

static bool copied(struct turn *t)
{
    if (!lock(t, WALK_STAMP))
        return false;
    tell(t, "has copied, and takes the lock again");
    return true;
}

static void walk_stamp(struct turn *t)
{
    tell(t, "stamps the ticket");
    t->mine->stamps++;
    notify(t, 2 * (1 - t->rank), WALK_STAMPED);
}

/* The receive is over; or a long message was only taken, and its copy waits. */
static void walk_received(struct turn *t, bool over)
{
    tell(t, over ? "is done with the receive" : "puts the copy into its queue");
    t->me->pc = WALK_END;
    if (over)
        done(t, &t->mine->recvs_done, WALK_END);
}

bool walk_step(struct turn *t)
{
    static void (*const steps[])(struct turn *) = {
        [WALK_ACK] = walk_ack,   [WALK_POST] = walk_post,   [WALK_RECV] = walk_recv,
        [WALK_TAKE] = walk_take, [WALK_STAMP] = walk_stamp, [WALK_END] = walk_end,
    };
    uint8_t pc = t->me->pc;
    if (pc == WALK_COPY)
        return copied(t);
    if (pc == WALK_POST_NOTIFY)
        notify(t, 2 * (1 - t->rank) + 1, WALK_RECV);
    else if (pc == WALK_TAKEN || pc == WALK_STAMPED)
        walk_received(t, pc == WALK_STAMPED || !t->long_in);
    else if (pc >= NOTIFY_LOOK)
        ring_step(t);
    else
        steps[pc](t);
    return true;
}
