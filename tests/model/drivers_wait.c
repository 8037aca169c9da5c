/* drivers_wait.c: a rank's own thread: it posts, tests and waits, and hands over to its helper. */
#include "drivers.h"

void tell(struct turn *t, const char *what)
{
    say(t->step, "rank %d%s %s", t->rank, t->number % 2 ? "'s helper" : "", what);
}

/* ---- the program ------------------------------------------------------------------------ */

static bool read_line(struct turn *t)
{
    enum call call = t->lines[t->mine->line];
    if (call == END)
        return false;
    t->mine->line++;
    t->me->pc = call == TEST ? TEST_LOCK : call == SEND || call == RECV ? POST_LOCK : ENTER_LOCK;
    return true;
}

static bool is_over(const struct turn *t)
{
    if (t->lines[t->mine->line - 1] == WAIT_SEND)
        return t->mine->sends_done > 0;
    if (t->lines[t->mine->line - 1] == WAIT_SENDS)
        return t->mine->sends_done == t->mine->sends;
    return t->mine->recvs_done == t->mine->recvs;
}

/* A receive whose message is there takes it at once. While another one is there, which is taken soon, the ack may be put off. */
static void post_recv(struct turn *t)
{
    struct rank *mine = t->mine;
    mine->recvs++;
    if (mine->recvs > mine->recvs_done + 1 || t->other->seq == mine->taken || t->long_in)
        return;
    mine->recvs_done++;
    mine->taken++;
    if (t->other->seq > mine->taken) {
        tell(t, "takes the message at once, and puts off its ack");
        return;
    }
    tell(t, "takes the message at once, and writes ack");
    mine->ack = mine->taken;
    notify(t, 2 * (1 - t->rank), LISTEN);
}

static bool post(struct turn *t)
{
    if (!lock(t, LISTEN))
        return false;
    bool sends = t->lines[t->mine->line - 1] == SEND;
    tell(t, sends ? "takes the lock, and posts a send" : "takes the lock, and posts a receive");
    if (sends)
        t->mine->sends++;
    else
        post_recv(t);
    return true;
}

/* drive(+1), or drive(-1): the lock is held for a moment; leaving may hand over. */
static bool drive(struct turn *t, int change)
{
    if (!lock(t, change > 0 ? WAIT_DONE : LISTEN))
        return false;
    tell(t, change > 0 ? "begins to wait, and to drive" : "ends its wait");
    t->mine->drivers = (uint8_t)(t->mine->drivers + change);
    t->mine->urged = 0;
    t->mine->waited = change < 0 && t->step->fault != LEFT_UNSEEN;
    if (change > 0 || t->step->fault == NO_HANDOVER) {
        unlock(t);
        t->me->pc = change > 0 ? WAIT_DONE : OUT;
    }
    return true;
}

/* ---- handing over: progress_takes_over ------------------------------------------------------ */

static void listen(struct turn *t)
{
    if (!has_work(t) || t->mine->drivers > 0 || !t->has_helper) {
        tell(t, "has nothing to hand over");
        t->mine->waited = 0;
        t->me->pc = UNLOCK;
        return;
    }
    tell(t, t->me->pc == LISTEN && t->step->fault == LISTENS_LATE ? "(the helper is not counted yet)"
            : t->mine->ticks ? "need not count its helper, which looks by itself"
                             : "counts its helper among the sleepers");
    t->mine->left = t->may_tick;
    bool counted = t->mine->listens || t->mine->ticks, waited = t->mine->waited;
    t->mine->waited = 0;
    if (!counted && !(t->me->pc == LISTEN && t->step->fault == LISTENS_LATE))
        count_helper(t, true);
    if (t->me->pc == LISTEN && (!counted || waited))
        walk(t, true, LIGHT_LOOKED);
    else
        t->me->pc = ADVANCE;
}

static void light_looked(struct turn *t)
{
    tell(t, t->me->moved ? "looks lightly again" : "has looked lightly, in vain");
    if (t->me->moved)
        walk(t, true, LIGHT_LOOKED);
    else
        t->me->pc = t->step->fault == LISTENS_LATE ? LATE_LISTEN : ADVANCE;
}

static void advance(struct turn *t)
{
    int eventcount = 2 * t->rank + 1;
    bool needed = t->mine->copies && t->step->fault != NO_ADVANCE;
    tell(t, needed ? "advances the event count of its helper" : "need not notify its helper");
    t->me->pc = UNLOCK;
    if (!needed)
        return;
    t->s->eventcounts[eventcount].count += t->step->fault != ADVANCE_UNCOUNTED;
    if (t->s->threads[eventcount].pc == ASLEEP)
        t->s->threads[eventcount].pc = HELP_LOCK;
}

/* ---- waiting: shm_wait and eventcount_sleep ------------------------------------------------------ */

/* engine_sleep: while its own thread sleeps, which is notified of all news, its helper need not be. */
static bool unlisten(struct turn *t)
{
    if (!lock(t, URGE))
        return false;
    tell(t, t->mine->listens ? "takes its helper off the sleepers" : "will sleep: its helper is not counted");
    count_helper(t, false);
    unlock(t);
    return true;
}

static void urge(struct turn *t)
{
    bool urges = t->step->fault != NEVER_URGES && !(t->step->fault == URGES_ONCE && t->mine->urged);
    tell(t, "is through with its back-off");
    t->mine->urged = t->step->fault == URGES_ONCE;
    if (urges)
        notify(t, 2 * (1 - t->rank) + 1, COUNT);
    else
        t->me->pc = COUNT;
}

static void wait_step(struct turn *t)
{
    struct eventcount *eventcount = &t->s->eventcounts[t->number];
    switch (t->me->pc) {
    case WAIT_DONE:
        tell(t, is_over(t) ? "finds it done" : "finds it not done");
        t->me->pc = is_over(t) ? LEAVE_LOCK : WAIT_LOCK;
        break;
    case WAIT_LOOKED:
    case LAST_LOOKED:
        tell(t, t->me->moved ? "lets go of the lock, something moved" : "lets go of the lock, nothing moved");
        unlock(t);
        t->me->pc = t->me->pc == WAIT_LOOKED ? (t->me->moved || is_over(t) ? WAIT_DONE : UNLISTEN_LOCK)
                                             : (t->me->moved || is_over(t) ? UNCOUNT : DOZE);
        break;
    case URGE:
        urge(t);
        break;
    case COUNT:
        tell(t, "adds itself to the sleepers");
        eventcount->sleepers++;
        t->me->pc = SEEN;
        break;
    case SEEN:
        tell(t, "reads `count`");
        t->me->seen = eventcount->count;
        t->me->pc = LAST_LOCK;
        break;
    default: /* UNCOUNT */
        tell(t, "takes itself off the sleepers");
        eventcount->sleepers--;
        t->me->seen = 0;
        t->me->pc = WAIT_DONE;
    }
}

static bool look(struct turn *t, bool light, uint8_t back)
{
    if (!lock(t, back))
        return false;
    tell(t, "takes the lock and looks");
    walk(t, light, back);
    return true;
}

bool own_step(struct turn *t)
{
    switch (t->me->pc) {
    case START:
    case OUT:
        return read_line(t);
    case POST_LOCK:
        return post(t);
    case TEST_LOCK:
        return look(t, true, ADVANCE);
    case ENTER_LOCK:
        return drive(t, +1);
    case LEAVE_LOCK:
        return drive(t, -1);
    case WAIT_LOCK:
        return look(t, false, WAIT_LOOKED);
    case UNLISTEN_LOCK:
        return unlisten(t);
    case LAST_LOCK:
        return look(t, false, LAST_LOOKED);
    case DOZE:
        doze(t, UNCOUNT, ASLEEP);
        return true;
    case LISTEN:
    case LATE_LISTEN:
        listen(t);
        return true;
    case LIGHT_LOOKED:
        light_looked(t);
        return true;
    case ADVANCE:
        advance(t);
        return true;
    case UNLOCK:
        tell(t, "lets go of the lock");
        unlock(t);
        t->me->pc = OUT;
        return true;
    default:
        wait_step(t);
        return true;
    }
}
