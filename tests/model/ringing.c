/* ringing.c: the ringers of the bell's model: lane_post and the quick post (quick.c), with bell_ring and bell_ring_lightly. */
#include "ringing.h"

static void write_news(struct step *step, struct state *s, int i)
{
    s->brought[i]++;
    if (step->fault == WEAK_NEWS || rings_lightly(step, i))
        s->buffered[i] = s->brought[i];
    else
        s->news[i] = s->brought[i];
    say(step, "ringer %d: writes its news %d%s", i, s->brought[i],
        s->buffered[i] ? " (into its store buffer)" : "");
}

static void look_for_sleepers(struct step *step, struct state *s, int i)
{
    s->saw_sleepers[i] = s->sleepers;
    say(step, "ringer %d: reads `sleepers`: %d", i, s->sleepers);
}

static bool wake(struct step *step, struct state *s, int i)
{
    say(step, "ringer %d: wakes %s", i, s->pc == ASLEEP ? "the sleeper" : "nobody, since nobody sleeps");
    if (s->pc == ASLEEP)
        s->pc = UNCOUNT;
    return true;
}

static bool count_rings(struct step *step, struct state *s, int i)
{
    if (s->buffered[i])
        return false; /* a read-modify-write first empties the store buffer */
    s->rings++;
    say(step, "ringer %d: counts up `rings` to %d", i, s->rings);
    return true;
}

bool ringer(struct step *step, struct state *s, int i)
{
    bool first = step->fault == LOOKS_FIRST || step->fault == LIGHT_RINGER_LOOKS_FIRST;
    bool wakes_first = step->fault == WAKES_FIRST;
    switch (s->at[i]) {
    case WRITE:
        if (s->brought[i] == wanted(step, i) || s->buffered[i])
            return false;
        if (first)
            look_for_sleepers(step, s, i);
        else
            write_news(step, s, i);
        s->at[i] = LOOK_SLEEPERS;
        return true;
    case LOOK_SLEEPERS:
        if (first)
            write_news(step, s, i);
        else
            look_for_sleepers(step, s, i);
        s->at[i] = s->saw_sleepers[i] ? RING : WRITE;
        s->saw_sleepers[i] = first ? s->saw_sleepers[i] : 0;
        return true;
    case RING:
        if (!(wakes_first ? wake : count_rings)(step, s, i))
            return false;
        s->at[i] = WAKE;
        return true;
    default:
        s->at[i] = WRITE;
        s->saw_sleepers[i] = 0;
        return (wakes_first ? count_rings : wake)(step, s, i);
    }
}

bool empty_buffer(struct step *step, struct state *s, int i)
{
    if (!s->buffered[i])
        return false;
    say(step, "ringer %d: its store buffer reaches memory: news %d", i, s->buffered[i]);
    s->news[i] = s->buffered[i];
    s->buffered[i] = 0;
    return true;
}
