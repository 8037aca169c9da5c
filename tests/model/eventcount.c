/*
 * eventcount.c: the model of lib/launch/eventcount.h: one thread looks for news and sleeps, others bring news and notify.
 *
 * Stores of strict notifiers go straight to memory, as seq_cst ones do. Those of light notifiers, which are release, pass through
 * a store buffer, which empties when it likes, at the latest before a read-modify-write of that thread: so the look at
 * `sleepers` may overtake the news. By the end of the sleeper's first, short nap they are empty (eventcount.h).
 */
#include "models.h"
#include "notifiers.h"

static const struct fault faults[] = { { "the sleeper is counted after its last look", 0 },
                                       { "the sleeper reads `count` after its last look", 0 },
                                       { "the notifier looks for sleepers before it writes the news", 0 },
                                       { "the news is written with release, not seq_cst", 0 },
                                       { "the notifier wakes before it counts up `count`", 0 },
                                       { "the kernel does not compare `count` with what was seen", 0 },
                                       { "the sleeper takes no last look", 0 },
                                       { "notifiers notify lightly, and the sleeper takes no first nap", 3 },
                                       { "the sleeper takes its first nap before it is counted", 3 },
                                       { "the sleeper takes its first nap after its last look", 3 },
                                       { "a light notifier looks for sleepers before it writes the news", 3 },
                                       { 0 } };

/* Moves: 0: the sleeper; 1 and 2: the notifiers; 3 and 4: their store buffers. */
#define MOVES (1 + NOTIFIERS + NOTIFIERS)
static const struct scenario scenarios[] = { { "one notifier, one piece of news", MOVES },
                                             { "one notifier, three pieces", MOVES },
                                             { "two notifiers, two pieces each", MOVES },
                                             { "one light notifier, one piece of news", MOVES },
                                             { "one light notifier, three pieces", MOVES },
                                             { "two light notifiers, two pieces each", MOVES },
                                             { "a light and a strict notifier, two pieces each", MOVES },
                                             { 0 } };

/* How many pieces each notifier brings, and which of them notify lightly, a bit for each. */
static const struct {
    uint8_t pieces[NOTIFIERS], light;
} plans[] = { { { 1, 0 }, 0 }, { { 3, 0 }, 0 }, { { 2, 2 }, 0 }, { { 1, 0 }, 1 },
              { { 3, 0 }, 1 }, { { 2, 2 }, 3 }, { { 2, 2 }, 1 } };

int wanted(const struct step *step, int notifier)
{
    return plans[step->scenario].pieces[notifier];
}

bool notifies_lightly(const struct step *step, int notifier)
{
    return plans[step->scenario].light >> notifier & 1;
}

static bool has_all(const struct step *step, const struct state *s)
{
    return s->taken[0] == wanted(step, 0) && s->taken[1] == wanted(step, 1);
}

/* One load of one notifier's news; true: that was the last of this look. */
static bool look(struct step *step, struct state *s)
{
    int i = s->from;
    say(step, "sleeper: looks for news of notifier %d: %d", i, s->news[i]);
    s->moved |= s->news[i] != s->taken[i];
    s->taken[i] = s->news[i];
    s->from = (uint8_t)((i + 1) % (wanted(step, 1) ? NOTIFIERS : 1));
    return s->from == 0;
}

static void count(struct step *step, struct state *s)
{
    say(step, "sleeper: adds itself to `sleepers`");
    s->sleepers++;
    s->counted = 1;
}

/* After the last look, what a fault has put off until here. False: nothing was left to do. */
static bool late(struct step *step, struct state *s)
{
    if (step->fault == COUNTS_LATE && !s->counted) {
        count(step, s);
        return true;
    }
    if (step->fault == READS_COUNT_LATE && s->seen == UINT8_MAX) {
        say(step, "sleeper: reads `count`: %d", s->count);
        s->seen = s->count;
        return true;
    }
    return false;
}

/* The first nap: what stands in the notifiers' store buffers reaches memory meanwhile. Where a fault puts it elsewhere, nothing here. */
static void first_nap(struct step *step, struct state *s, bool here)
{
    if (!here || plans[step->scenario].light == 0)
        return;
    say(step, "sleeper: naps for a moment: the store buffers of all reach memory");
    for (int i = 0; i < NOTIFIERS; i++) {
        s->news[i] = s->buffered[i] ? s->buffered[i] : s->news[i];
        s->buffered[i] = 0;
    }
}

static void doze(struct step *step, struct state *s)
{
    bool sleeps = s->count == s->seen || step->fault == NO_COMPARE;
    say(step, "sleeper: the kernel compares `count` with %d: %s", s->seen,
        sleeps ? "it sleeps" : "it does not sleep");
    s->pc = sleeps ? ASLEEP : UNCOUNT;
}

/* From the last look on. */
static bool go_to_sleep(struct step *step, struct state *s)
{
    switch (s->pc) {
    case LAST:
        if (look(step, s)) {
            s->pc = s->moved ? UNCOUNT : AFTER;
            s->moved = 0;
        }
        return true;
    case AFTER:
        say(step, "sleeper: has looked in vain");
        first_nap(step, s, step->fault == NAP_LATE);
        s->pc = DOZE;
        return true;
    case DOZE:
        if (!late(step, s))
            doze(step, s);
        return true;
    case UNCOUNT:
        say(step, "sleeper: takes itself off `sleepers`");
        s->sleepers = (uint8_t)(s->sleepers - s->counted);
        s->counted = s->seen = 0;
        s->pc = LOOK;
        return true;
    default:
        return false; /* ASLEEP or OVER */
    }
}

static bool sleeper(struct step *step, struct state *s)
{
    switch (s->pc) {
    case LOOK:
        if (look(step, s)) {
            s->pc = has_all(step, s) ? OVER : s->moved ? LOOK : BEFORE;
            s->moved = 0;
        }
        return true;
    case BEFORE:
        say(step, "sleeper: is about to sleep");
        first_nap(step, s, step->fault == NAP_EARLY);
        s->pc = COUNT;
        return true;
    case COUNT:
        if (step->fault == COUNTS_LATE)
            say(step, "sleeper: (is not counted yet)");
        else
            count(step, s);
        s->pc = FIRST_NAP;
        return true;
    case FIRST_NAP:
        say(step, "sleeper: goes on");
        first_nap(step, s, step->fault < NO_NAP || step->fault > NAP_LATE);
        s->pc = SEEN;
        return true;
    case SEEN:
        say(step, "sleeper: reads `count`: %d", s->count);
        s->seen = step->fault == READS_COUNT_LATE ? UINT8_MAX : s->count;
        s->pc = step->fault == NO_LAST_LOOK ? DOZE : LAST;
        return true;
    default:
        return go_to_sleep(step, s);
    }
}

static bool eventcount_move(struct step *step, int number)
{
    struct state *s = step->state;
    if (number == 0)
        return sleeper(step, s);
    if (number <= NOTIFIERS)
        return notifier(step, s, number - 1);
    return empty_buffer(step, s, number - 1 - NOTIFIERS);
}

static const char *eventcount_end(struct step *step)
{
    const struct state *s = step->state;
    return s->pc == OVER ? NULL : "all sleep for ever, with news outstanding";
}

const struct model model_eventcount = {
    .name = "event count",
    .promise = "nobody sleeps while there is news",
    .bytes = sizeof(struct state),
    .scenarios = scenarios,
    .faults = faults,
    .move = eventcount_move,
    .end = eventcount_end,
};
