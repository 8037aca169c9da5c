/* notifiers.c: the notifiers of the event count's model: channel_publish and the quick post (quick.c), as they notify, strictly or lightly. */
#include "notifiers.h"

static void write_news(struct step *step, struct state *s, int i)
{
    s->brought[i]++;
    if (step->fault == WEAK_NEWS || notifies_lightly(step, i))
        s->buffered[i] = s->brought[i];
    else
        s->news[i] = s->brought[i];
    say(step, "notifier %d: writes its news %d%s", i, s->brought[i],
        s->buffered[i] ? " (into its store buffer)" : "");
}

static void look_for_sleepers(struct step *step, struct state *s, int i)
{
    s->saw_sleepers[i] = s->sleepers;
    say(step, "notifier %d: reads `sleepers`: %d", i, s->sleepers);
}

static bool wake(struct step *step, struct state *s, int i)
{
    say(step, "notifier %d: wakes %s", i, s->pc == ASLEEP ? "the sleeper" : "nobody, since nobody sleeps");
    if (s->pc == ASLEEP)
        s->pc = UNCOUNT;
    return true;
}

static bool count_up(struct step *step, struct state *s, int i)
{
    if (s->buffered[i])
        return false; /* a read-modify-write first empties the store buffer */
    s->count++;
    say(step, "notifier %d: counts up `count` to %d", i, s->count);
    return true;
}

bool notifier(struct step *step, struct state *s, int i)
{
    bool first = step->fault == LOOKS_FIRST || step->fault == LIGHT_NOTIFIER_LOOKS_FIRST;
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
        s->at[i] = s->saw_sleepers[i] ? COUNT_UP : WRITE;
        s->saw_sleepers[i] = first ? s->saw_sleepers[i] : 0;
        return true;
    case COUNT_UP:
        if (!(wakes_first ? wake : count_up)(step, s, i))
            return false;
        s->at[i] = WAKE;
        return true;
    default:
        s->at[i] = WRITE;
        s->saw_sleepers[i] = 0;
        return (wakes_first ? count_up : wake)(step, s, i);
    }
}

bool empty_buffer(struct step *step, struct state *s, int i)
{
    if (!s->buffered[i])
        return false;
    say(step, "notifier %d: its store buffer reaches memory: news %d", i, s->buffered[i]);
    s->news[i] = s->buffered[i];
    s->buffered[i] = 0;
    return true;
}
