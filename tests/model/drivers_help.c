/* drivers_help.c: the helper: progress_main, progress_ticks. */
#include "drivers.h"

/* Its lock may be gone by then: that is one of the faults. */
static void unlisten(struct turn *t)
{
    tell(t, "is no longer counted, since there is nothing for it to do");
    count_helper(t, false);
}

/* It looked in vain, and its rank goes in and out: from now on it looks by itself. Or no longer: then it is counted, and looks once more. */
static bool ticks_begin_or_end(struct turn *t)
{
    if (!t->mine->ticks && t->may_tick && t->mine->left) {
        tell(t, "will look by itself: it is no longer counted");
        t->mine->ticks = 1;
        count_helper(t, false);
    } else if (t->mine->ticks && !t->mine->left) {
        bool counts = t->mine->drivers == 0 && has_work(t) && t->step->fault != TICKS_END_UNCOUNTED;
        tell(t, counts ? "no longer looks by itself: it is counted" : "no longer looks by itself");
        t->mine->ticks = 0;
        if (counts)
            count_helper(t, true);
        return counts && t->step->fault != TICKS_END_UNSEEN;
    }
    t->mine->left = 0;
    return false;
}

static void help_looked(struct turn *t)
{
    if (t->mine->listens && !has_work(t))
        t->me->pc = t->step->fault == UNLISTENS_UNLOCKED ? HELP_LATE_UNLISTEN : HELP_UNLISTEN;
    else if (!t->me->moved && ticks_begin_or_end(t))
        t->me->pc = HELP_SEEN;
    else
        t->me->pc = t->me->moved                  ? HELP_SEEN
                    : t->step->fault == SEEN_LATE ? HELP_LATE_SEEN
                    : t->mine->ticks              ? HELP_TICK
                                                  : HELP_DOZE;
    bool keeps = t->me->pc == HELP_SEEN || t->me->pc == HELP_UNLISTEN;
    tell(t, keeps ? "looks whether there is anything to do" : "lets go of the lock");
    if (!keeps)
        unlock(t);
}

static void help_seen(struct turn *t)
{
    bool works = t->mine->drivers == 0 && (open_of(t->mine) > 0 || t->mine->taken != t->mine->ack);
    tell(t, works ? "reads `count`, and looks" : "reads `count`, and has nothing to do");
    t->me->seen = t->s->eventcounts[t->number].count;
    t->me->moved = 0;
    if (works)
        walk(t, false, HELP_LOOKED);
    else
        t->me->pc = HELP_LOOKED;
}

bool help_step(struct turn *t)
{
    switch (t->me->pc) {
    case HELP_LOCK:
        if (!lock(t, HELP_SEEN))
            return false;
        help_seen(t); /* in the same step: that it reads `count` later makes no difference to anybody */
        return true;
    case HELP_SEEN:
        help_seen(t);
        return true;
    case HELP_LOOKED:
        help_looked(t);
        return true;
    case HELP_UNLISTEN:
        unlisten(t);
        t->me->pc = HELP_LOOKED;
        return true;
    case HELP_LATE_UNLISTEN:
        unlisten(t);
        t->me->pc = HELP_DOZE;
        return true;
    case HELP_LATE_SEEN:
        tell(t, "reads `count`");
        t->me->seen = t->s->eventcounts[t->number].count;
        t->me->pc = HELP_DOZE;
        return true;
    case HELP_TICK: /* its nap may end at any time */
        tell(t, "wakes from its nap");
        t->me->seen = t->me->moved = t->me->light = 0;
        t->me->pc = HELP_LOCK;
        return true;
    default:
        doze(t, HELP_LOCK, ASLEEP);
        return true;
    }
}
