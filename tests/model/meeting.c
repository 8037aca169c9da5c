/* meeting.c: the barrier: barrier_arrive and barrier_wait, and the engine's sleep of a listener. */
#include "meeting.h"

void meeting_tell(struct turn *t, const char *what)
{
    say(t->step, "member %d %s (collective %d)", t->i, what, t->me->round + 1);
}

void meeting_check(struct turn *t, bool good, const char *promise)
{
    if (!good && !t->step->broken)
        t->step->broken = promise;
}

void meeting_drain(struct state *s, int i)
{
    if (s->buffered[i])
        s->arrivals[i][s->into[i]] = s->buffered[i];
    s->buffered[i] = s->into[i] = 0;
}

/* ---- looking ---------------------------------------------------------------------------------- */

enum view { IN_VAIN, GO_ON, ALL };

/* barrier_passed, one contribution: the next of those that have not been seen to arrive, my neighbour first; or the parts. */
static enum view look(struct turn *t, int arrivals)
{
    if (t->kind == LONG && t->me->barrier == 1)
        return parts_over(t) ? ALL : IN_VAIN;
    if (t->me->known == t->size)
        return ALL;
    int from = (t->i + t->me->known) % t->size, set = contribution_set(t);
    int counted = t->s->arrivals[from][set];
    order_load(t->order, t->i, WORD_ARRIVALS(from, set), t->step->fault != LOOKS_RELAXED);
    bool there = t->step->fault == EQUAL_ONLY ? counted == arrivals : counted >= arrivals;
    say(t->step, "member %d sees that member %d %s (collective %d)", t->i, from,
        there ? "has arrived" : "has not arrived", t->me->round + 1);
    t->me->known += there;
    return !there ? IN_VAIN : t->me->known == t->size ? ALL : GO_ON;
}

static void pass(struct turn *t)
{
    for (int i = 0; i < t->size; i++)
        meeting_check(t, t->s->members[i].arrivals >= t->me->arrivals,
                      "a member passes before all have arrived");
    t->me->known = 0;
    t->me->pc = t->me->barrier == 0 ? READ_CARDS : READ_RESULT;
}

/* ---- arriving --------------------------------------------------------------------------------- */

static void arrive(struct turn *t)
{
    int set = contribution_set(t);
    bool early = t->step->fault == LOOKS_FIRST, all = t->me->known == t->size;
    bool silent = t->step->fault == ONE_RINGS && t->i > 0;
    meeting_tell(t, "arrives");
    meeting_drain(t->s, t->i);
    order_store(t->order, t->i, WORD_ARRIVALS(t->i, set), t->step->fault != ARRIVES_RELAXED);
    t->me->arrivals++;
    if (t->step->fault == ARRIVES_RELEASE) {
        t->s->buffered[t->i] = t->me->arrivals;
        t->s->into[t->i] = (uint8_t)set;
    } else {
        t->s->arrivals[t->i][set] = t->me->arrivals;
    }
    t->me->known = early && all ? t->me->known : 1;
    t->me->pc = early ? (all ? SLEEPERS : AGAIN) : silent ? AGAIN : LOOK;
    if (t->step->fault == CARD_LATE && t->me->barrier == 0)
        t->me->pc = LATE;
}

/* After arriving, and notifying if all are there; and before, where a fault has it so. */
static void look_around(struct turn *t)
{
    bool early = t->me->pc == LOOK_EARLY;
    if (early && t->me->known == 0)
        t->me->known = 1;
    enum view view = look(t, t->me->arrivals + early);
    if (view == GO_ON)
        return;
    t->me->pc = early ? ARRIVE : view == ALL ? SLEEPERS : COUNT;
}

/* ---- notifying ---------------------------------------------------------------------------------- */

/* An event count that this member sleeps on, or is about to, counts up `count` and wakes. How far it counts does not matter, only
 * whether it has since the member read it. */
static void ring_for(struct member *member)
{
    if (member->pc == ASLEEP)
        member->pc = UNCOUNT;
    else if (member->pc == LAST || member->pc == DOZE)
        member->notified = 1;
}

static void ring_sleepers(struct turn *t)
{
    if (t->me->pc == SLEEPERS) {
        meeting_tell(t, t->s->sleepers ? "sees that somebody sleeps" : "sees that nobody sleeps");
        t->me->pc = t->s->sleepers ? NOTIFY_ALL : NOTIFY_LOOK;
        return;
    }
    meeting_tell(t, "notifies the barrier's event count");
    meeting_drain(t->s, t->i);
    for (int i = 0; i < t->size; i++)
        if (!(t->listeners >> i & 1))
            ring_for(&t->s->members[i]);
    t->me->pc = NOTIFY_LOOK;
}

/* rank_notify, for each other member that listens. */
static void notify(struct turn *t)
{
    int to = t->me->at;
    bool looks = t->me->pc == NOTIFY_LOOK && to != t->i && t->step->fault != NO_LISTENERS;
    say(t->step, "member %d %s member %d", t->i, t->me->pc == NOTIFY ? "notifies" : "looks for the sleep of",
        to);
    if (looks && contribution_listens(t, to) && t->s->own_sleepers[to]) {
        t->me->pc = NOTIFY;
        return;
    }
    if (t->me->pc == NOTIFY && t->listeners >> to & 1)
        ring_for(&t->s->members[to]);
    t->me->at = (uint8_t)((to + 1) % t->size);
    t->me->pc = NOTIFY_LOOK;
    if (t->me->at == 0)
        pass(t);
}

/* ---- waiting ---------------------------------------------------------------------------------- */

static void look_again(struct turn *t)
{
    enum view view = look(t, t->me->arrivals);
    if (view == IN_VAIN)
        t->me->pc = COUNT;
    if (view == ALL)
        pass(t);
}

static void count(struct turn *t)
{
    meeting_tell(t, "adds itself to the sleepers");
    meeting_drain(t->s, t->i);
    ++*t->sleepers;
    t->me->counted = 1;
}

static bool late_to_sleep(struct turn *t)
{
    if (t->step->fault == COUNTS_LATE && !t->me->counted) {
        count(t);
        return true;
    }
    uint8_t *listens = &t->s->listens[t->i][contribution_set(t)];
    if (t->step->fault == LISTENS_LATE && t->listens && !*listens) {
        meeting_tell(t, "writes that it listens");
        *listens = 1;
        return true;
    }
    return false;
}

static void doze(struct turn *t)
{
    bool sleeps = !t->me->notified;
    meeting_tell(t, sleeps ? "goes to sleep" : "is not let to sleep, since `count` has changed");
    t->me->notified = 0;
    t->me->pc = sleeps ? ASLEEP : UNCOUNT;
}

static void sleep_step(struct turn *t)
{
    enum view view = GO_ON;
    switch (t->me->pc) {
    case COUNT:
        if (t->step->fault == COUNTS_LATE)
            meeting_tell(t, "(is not counted yet)");
        else
            count(t);
        t->me->pc = SEEN;
        break;
    case SEEN:
        meeting_tell(t, "reads `count` of its event count");
        t->me->notified = 0;
        t->me->pc = LAST;
        break;
    case LAST:
        view = look(t, t->me->arrivals);
        t->me->pc = view == GO_ON ? LAST : view == ALL ? UNCOUNT : DOZE;
        break;
    case DOZE:
        if (!late_to_sleep(t))
            doze(t);
        break;
    default: /* UNCOUNT */
        meeting_tell(t, "takes itself off the sleepers");
        *t->sleepers = (uint8_t)(*t->sleepers - t->me->counted);
        t->me->counted = t->me->notified = 0;
        t->me->pc = AGAIN;
    }
}

bool meeting_step(struct turn *t)
{
    if (t->me->pc == ASLEEP)
        return false;
    if (t->me->pc == LOOK || t->me->pc == LOOK_EARLY) {
        look_around(t);
    } else if (t->me->pc == ARRIVE) {
        arrive(t);
    } else if (t->me->pc == LATE) {
        contribution_write(t);
        t->me->pc = LOOK;
    } else if (t->me->pc == SLEEPERS || t->me->pc == NOTIFY_ALL) {
        ring_sleepers(t);
    } else if (t->me->pc == NOTIFY_LOOK || t->me->pc == NOTIFY) {
        notify(t);
    } else if (t->me->pc == AGAIN) {
        look_again(t);
    } else {
        sleep_step(t);
    }
    return true;
}
