/* meeting.c: the barrier: board_arrive and board_wait, and the engine's sleep of a listener. */
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

/* ---- arriving -------------------------------------------------------------------------------- */

static void arrive(struct turn *t)
{
    bool late = t->step->fault == CARD_LATE || t->step->fault == PHASE_LATE;
    order_add(t->order, t->i, WORD_ARRIVED, t->step->fault != ARRIVES_RELAXED);
    t->s->arrived++;
    t->me->arrivals++;
    bool last = t->s->arrived == t->size;
    meeting_tell(t, last ? "arrives as the last" : "arrives");
    t->me->pc = !last ? (late ? LATE : PASS) : t->step->fault == RESET_LATE ? STRIKE : RESET;
}

/* What two faults put off until after arriving. */
static void do_late(struct turn *t)
{
    t->me->pc = PASS;
    if (t->step->fault == CARD_LATE) {
        card_write(t);
        return;
    }
    meeting_tell(t, "reads the phase");
    t->me->phase = t->s->phase.rings;
}

static void reset(struct turn *t, uint8_t next)
{
    meeting_tell(t, "sets the counter back");
    order_store(t->order, t->i, WORD_ARRIVED, false);
    t->s->arrived = 0;
    t->me->pc = next;
}

static void strike(struct turn *t)
{
    bool strikes = t->step->fault != NO_STRIKE || t->s->phase.sleepers;
    meeting_tell(t, strikes ? "strikes the phase" : "sees nobody sleep, and does not ring");
    if (strikes)
        order_add(t->order, t->i, WORD_PHASE, t->step->fault != STRIKES_RELAXED);
    t->s->phase.rings += strikes;
    t->me->pc = WAKE;
}

static void wake(struct turn *t)
{
    meeting_tell(t, "wakes all who sleep on the phase");
    for (int i = 0; i < t->size && t->s->phase.sleepers; i++)
        if (t->s->members[i].pc == ASLEEP && !(t->listeners >> i & 1))
            t->s->members[i].pc = UNCOUNT;
    t->me->pc = t->step->fault == RESET_LATE ? LATE_RESET : LISTENERS;
}

static void look_for_listeners(struct turn *t)
{
    bool rings = t->s->listeners && t->step->fault != NO_LISTENERS;
    meeting_tell(t, rings ? "sees that somebody listens" : "sees that nobody listens");
    t->me->pc = rings ? RING_LOOK : PASS;
}

/* rank_ring, for each member. */
static void ring(struct turn *t)
{
    int to = t->me->at;
    struct bell *bell = &t->s->own[to];
    say(t->step, "member %d %s member %d", t->i, t->me->pc == RING ? "rings" : "looks for the sleep of", to);
    if (t->me->pc == RING_LOOK && bell->sleepers) {
        t->me->pc = RING;
        return;
    }
    if (t->me->pc == RING) {
        bell->rings++;
        if (t->s->members[to].pc == ASLEEP && t->listeners >> to & 1)
            t->s->members[to].pc = UNCOUNT;
    }
    t->me->at = (uint8_t)((to + 1) % t->size);
    t->me->pc = t->me->at ? RING_LOOK : PASS;
}

/* ---- waiting ---------------------------------------------------------------------------------- */

/* board_passed. */
static bool passed(struct turn *t)
{
    order_load(t->order, t->i, WORD_PHASE, t->step->fault != PASSES_RELAXED);
    return t->s->phase.rings != t->me->phase;
}

static void pass(struct turn *t)
{
    bool through = passed(t);
    meeting_tell(t, through ? "passes the barrier" : "sees that the phase is not over");
    t->me->pc = !through ? COUNT : t->me->barrier == 0 ? READ_CARD : LEAVE;
    if (!through)
        return;
    t->me->phase = 0;
    for (int i = 0; i < t->size; i++)
        meeting_check(t, t->s->members[i].arrivals >= t->me->arrivals,
                      "a member passes before all have arrived");
}

static void count(struct turn *t)
{
    meeting_tell(t, "adds itself to the sleepers");
    t->bell->sleepers++;
    t->me->counted = 1;
}

static bool late_to_sleep(struct turn *t)
{
    if (t->step->fault == COUNTS_LATE && !t->me->counted) {
        count(t);
        return true;
    }
    if (t->step->fault == LISTENS_LATE && t->listens && !t->me->listening) {
        meeting_tell(t, "adds itself to the listeners");
        t->s->listeners++;
        t->me->listening = 1;
        return true;
    }
    return false;
}

static void doze(struct turn *t)
{
    bool sleeps = t->bell->rings == t->me->seen;
    meeting_tell(t, sleeps ? "goes to sleep" : "is not let to sleep, since `rings` has changed");
    t->me->seen = 0;
    t->me->pc = sleeps ? ASLEEP : UNCOUNT;
}

static void wait_step(struct turn *t)
{
    bool through = false;
    switch (t->me->pc) {
    case COUNT:
        if (t->step->fault == COUNTS_LATE)
            meeting_tell(t, "(is not counted yet)");
        else
            count(t);
        t->me->pc = SEEN;
        break;
    case SEEN:
        meeting_tell(t, "reads `rings` of its bell");
        t->me->seen = t->bell->rings;
        t->me->pc = LAST;
        break;
    case LAST:
        through = passed(t);
        meeting_tell(t, through ? "looks for the last time: the phase is over"
                                : "looks for the last time, in vain");
        t->me->pc = through ? UNCOUNT : DOZE;
        break;
    case DOZE:
        if (!late_to_sleep(t))
            doze(t);
        break;
    default: /* UNCOUNT */
        meeting_tell(t, "takes itself off the sleepers");
        t->bell->sleepers = (uint8_t)(t->bell->sleepers - t->me->counted);
        t->me->counted = t->me->seen = 0;
        t->me->pc = PASS;
    }
}

bool meeting_step(struct turn *t)
{
    switch (t->me->pc) {
    case ASLEEP:
        return false;
    case PHASE:
        meeting_tell(t, "reads the phase");
        t->me->phase = t->s->phase.rings;
        t->me->pc = ARRIVE;
        return true;
    case ARRIVE:
        arrive(t);
        return true;
    case LATE:
        do_late(t);
        return true;
    case RESET:
        reset(t, STRIKE);
        return true;
    case STRIKE:
        strike(t);
        return true;
    case WAKE:
        wake(t);
        return true;
    case LATE_RESET:
        reset(t, LISTENERS);
        return true;
    case LISTENERS:
        look_for_listeners(t);
        return true;
    case RING_LOOK:
    case RING:
        ring(t);
        return true;
    case PASS:
        pass(t);
        return true;
    default:
        wait_step(t);
        return true;
    }
}
