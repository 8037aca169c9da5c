/* burst_steps.c: barrier_arrive_ahead, barrier_passed and the engine's sleep. */
#include "burst.h"

static void check(struct turn *t, bool good, const char *promise)
{
    if (!good && !t->step->broken)
        t->step->broken = promise;
}

static int set_of(const struct turn *t, int collective)
{
    return collective % (t->step->fault == HALF_THE_SETS ? WINDOW : SETS);
}

static void write_input(struct turn *t, int collective)
{
    int set = set_of(t, collective), slot = collective & 1;
    say(t->step, "member %d writes what it brings to collective %d", t->i, collective + 1);
    check(t, order_write(t->order, t->i, PLACE_CONTRIBUTION(t->i, set)),
          "a contribution is written while another may read it");
    t->s->contributions[t->i][set] = (uint8_t)(collective + 1);
    if (t->kinds[collective] == 't')
        return;
    check(t, order_write(t->order, t->i, PLACE_SLOT(t->i, slot)),
          "a slot is written while another may read it");
    t->s->slots[t->i][slot] = (uint8_t)(collective + 1);
}

static void read_inputs(struct turn *t)
{
    int collective = t->me->through, set = set_of(t, collective), slot = collective & 1;
    say(t->step, "member %d reads all inputs of collective %d", t->i, collective + 1);
    for (int from = 0; from < t->size; from++) {
        check(t, order_read(t->order, t->i, PLACE_CONTRIBUTION(from, set)),
              "a contribution is read while its owner may write it");
        check(t, t->s->contributions[from][set] == collective + 1,
              "a member reads the contribution of another collective");
        if (t->kinds[collective] == 't')
            continue;
        check(t, order_read(t->order, t->i, PLACE_SLOT(from, slot)),
              "a slot is read while its owner may write it");
        check(t, t->s->slots[from][slot] == collective + 1, "a slot holds something else than it should");
    }
    t->me->through++;
    t->me->known = t->step->fault == KNOWN_KEPT ? t->me->known : 1;
    t->me->pc = IDLE;
}

static void arrive(struct turn *t)
{
    int set = set_of(t, t->me->arrived);
    say(t->step, "member %d arrives at collective %d", t->i, t->me->arrived + 1);
    order_store(t->order, t->i, WORD_ARRIVALS(t->i, set), t->step->fault != ARRIVES_RELAXED);
    t->s->arrivals[t->i][set] = (uint8_t)(t->me->arrived + 1);
    if (t->step->fault == WRITES_LATE)
        write_input(t, t->me->arrived);
    bool ahead = t->me->arrived++ > t->me->through;
    t->me->at = (uint8_t)((t->i + 1) % t->size);
    t->me->pc = ahead && t->step->fault == NO_LOOK_AHEAD ? IDLE : LOOK_ALL;
}

static bool has_arrived(struct turn *t, int member, int collective)
{
    int set = set_of(t, collective);
    bool there = t->s->arrivals[member][set] > collective;
    order_load(t->order, t->i, WORD_ARRIVALS(member, set), t->step->fault != LOOKS_RELAXED);
    say(t->step, "member %d sees that member %d %s collective %d", t->i, member,
        there ? "stands at" : "is not at", collective + 1);
    return there;
}

/* After arriving: barrier_arrive and barrier_arrive_ahead. */
static void look_all(struct turn *t)
{
    int collective = t->step->fault == LOOKS_AT_TURN ? t->me->through : t->me->arrived - 1;
    bool there = has_arrived(t, t->me->at, collective);
    t->me->at = (uint8_t)((t->me->at + 1) % t->size);
    if (!there)
        t->me->pc = IDLE;
    else if (t->me->at == t->i)
        t->me->pc = LISTENERS;
    if (t->me->pc == LISTENERS)
        t->me->at = (uint8_t)((t->i + 1) % t->size);
}

static void notify(struct turn *t)
{
    int to = t->me->at, set = set_of(t, t->me->arrived - 1);
    struct member *other = &t->s->members[to];
    if (t->me->pc == LISTENERS) {
        check(t, order_read(t->order, t->i, PLACE_CONTRIBUTION(to, set)),
              "it is read whether a member listens while that may write it");
        say(t->step, "member %d sees that member %d %s", t->i, to,
            t->s->sleepers[to] ? "sleeps" : "is awake");
    } else {
        say(t->step, "member %d notifies member %d", t->i, to);
        other->notified = other->pc == LAST || other->pc == DOZE;
        if (other->pc == ASLEEP)
            other->pc = UNCOUNT;
    }
    if (t->me->pc == LISTENERS && t->s->sleepers[to]) {
        t->me->pc = NOTIFY;
        return;
    }
    t->me->at = (uint8_t)((to + 1) % t->size);
    t->me->pc = t->me->at == t->i ? IDLE : LISTENERS;
}

/* barrier_passed, one contribution; true: all are there, and nobody may have been believed to be. */
static bool passed(struct turn *t, uint8_t in_vain)
{
    if (t->me->known == 0)
        t->me->known = 1;
    if (t->me->known < t->size) {
        bool there = has_arrived(t, (t->i + t->me->known) % t->size, t->me->through);
        t->me->known += there;
        t->me->pc = !there ? in_vain : t->me->pc == IDLE ? TURN : t->me->pc;
    }
    if (t->me->known < t->size)
        return false;
    for (int i = 0; i < t->size; i++)
        check(t, t->s->members[i].arrived > t->me->through, "a member passes before all have arrived");
    return true;
}

static void sleep_step(struct turn *t)
{
    bool notified = t->me->notified;
    if (t->me->pc == UNCOUNT) {
        say(t->step, "member %d takes itself off the sleepers", t->i);
        t->s->sleepers[t->i] = 0;
        t->me->pc = IDLE;
    } else if (t->me->pc == SEEN) {
        say(t->step, "member %d reads `count` of its event count", t->i);
        t->me->pc = LAST;
    } else if (t->me->pc == LAST) {
        if (passed(t, DOZE))
            t->me->pc = UNCOUNT;
        return;
    } else {
        say(t->step, "member %d %s", t->i, notified ? "is not let to sleep" : "goes to sleep");
        t->me->pc = notified ? UNCOUNT : ASLEEP;
    }
    t->me->notified = 0;
}

void burst_sleep(struct turn *t)
{
    say(t->step, "member %d adds itself to the sleepers", t->i);
    t->s->sleepers[t->i] = 1;
    t->me->pc = SEEN;
}

void burst_begin_next(struct turn *t)
{
    if (t->step->fault != WRITES_LATE)
        write_input(t, t->me->arrived);
    t->me->pc = ARRIVE;
}

static bool go_on(struct turn *t)
{
    switch (t->me->pc) {
    case IDLE:
        if (t->me->through == t->me->arrived)
            return false;
        if (passed(t, IDLE))
            t->me->pc = READ;
        return true;
    case ARRIVE:
        arrive(t);
        return true;
    case LOOK_ALL:
        look_all(t);
        return true;
    case LISTENERS:
    case NOTIFY:
        notify(t);
        return true;
    case TURN:
        if (passed(t, IDLE))
            t->me->pc = READ;
        return true;
    case READ:
        read_inputs(t);
        return true;
    case ASLEEP:
        return false;
    default:
        sleep_step(t);
        return true;
    }
}

bool burst_go_on(struct turn *t)
{
    bool moved = go_on(t);
    if (t->me->pc == IDLE)
        t->me->at = 0; /* what no longer matters should make no other state */
    return moved;
}
