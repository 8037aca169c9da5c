/*
 * bell.c: the model of lib/launch/bell.h: one thread looks for news and sleeps, others bring news and ring.
 *
 * Stores of the ringers go straight to memory, as seq_cst ones do; only where a fault makes them weaker do they
 * pass through a store buffer, which empties when it likes. That is how a release store may be overtaken by a load.
 */
#include "models.h"

#include <stdint.h>

#define RINGERS 2

/* In the order of the table below. */
enum { FINE, COUNTS_LATE, READS_RINGS_LATE, LOOKS_FIRST, WEAK_NEWS, WAKES_FIRST, NO_COMPARE, NO_LAST_LOOK };

static const struct fault faults[] = { { "the sleeper is counted after its last look", 0 },
                                       { "the sleeper reads `rings` after its last look", 0 },
                                       { "the ringer looks for sleepers before it writes the news", 0 },
                                       { "the news is written with release, not seq_cst", 0 },
                                       { "the ringer wakes before it counts up `rings`", 0 },
                                       { "the kernel does not compare `rings` with what was seen", 0 },
                                       { "the sleeper takes no last look", 0 },
                                       { 0 } };

/* Moves: 0: the sleeper; 1 and 2: the ringers; 3 and 4: their store buffers. */
static const struct scenario scenarios[] = { { "one ringer, one piece of news", 1 + RINGERS + RINGERS },
                                             { "one ringer, three pieces", 1 + RINGERS + RINGERS },
                                             { "two ringers, two pieces each", 1 + RINGERS + RINGERS },
                                             { 0 } };

/* Where the sleeper stands. LOOK, then the steps of bell_sleep. */
enum { LOOK, COUNT, SEEN, LAST, DOZE, ASLEEP, UNCOUNT, OVER };

/* Where a ringer stands: lane_post and bell_ring. */
enum { WRITE, LOOK_SLEEPERS, RING, WAKE };

struct state {
    uint8_t rings, sleepers;       /* the bell */
    uint8_t news[RINGERS];         /* what each ringer has brought, in memory */
    uint8_t buffered[RINGERS];     /* what still stands in its store buffer; 0: nothing */
    uint8_t pc;                    /* the sleeper's */
    uint8_t from;                  /* which ringer's news it looks at next */
    uint8_t moved;                 /* this look has found something */
    uint8_t seen;                  /* `rings` before the last look */
    uint8_t counted;               /* it is among the sleepers */
    uint8_t taken[RINGERS];        /* the news it has seen */
    uint8_t at[RINGERS];           /* the ringers' pc */
    uint8_t brought[RINGERS];      /* the news they have written */
    uint8_t saw_sleepers[RINGERS]; /* what they read there, where a fault makes them look first */
};

static int wanted(const struct step *step, int ringer)
{
    static const uint8_t pieces[][RINGERS] = { { 1, 0 }, { 3, 0 }, { 2, 2 } };
    return pieces[step->scenario][ringer];
}

static bool has_all(const struct step *step, const struct state *s)
{
    return s->taken[0] == wanted(step, 0) && s->taken[1] == wanted(step, 1);
}

/* One load of one ringer's news; true: that was the last of this look. */
static bool look(struct step *step, struct state *s)
{
    int i = s->from;
    say(step, "sleeper: looks for news of ringer %d: %d", i, s->news[i]);
    s->moved |= s->news[i] != s->taken[i];
    s->taken[i] = s->news[i];
    s->from = (uint8_t)((i + 1) % (wanted(step, 1) ? RINGERS : 1));
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
    if (step->fault == READS_RINGS_LATE && s->seen == UINT8_MAX) {
        say(step, "sleeper: reads `rings`: %d", s->rings);
        s->seen = s->rings;
        return true;
    }
    return false;
}

static void doze(struct step *step, struct state *s)
{
    bool sleeps = s->rings == s->seen || step->fault == NO_COMPARE;
    say(step, "sleeper: the kernel compares `rings` with %d: %s", s->seen,
        sleeps ? "it sleeps" : "it does not sleep");
    s->pc = sleeps ? ASLEEP : UNCOUNT;
}

static bool sleeper(struct step *step, struct state *s)
{
    switch (s->pc) {
    case LOOK:
        if (look(step, s)) {
            s->pc = has_all(step, s) ? OVER : s->moved ? LOOK : COUNT;
            s->moved = 0;
        }
        return true;
    case COUNT:
        if (step->fault == COUNTS_LATE)
            say(step, "sleeper: (is not counted yet)");
        else
            count(step, s);
        s->pc = SEEN;
        return true;
    case SEEN:
        say(step, "sleeper: reads `rings`: %d", s->rings);
        s->seen = step->fault == READS_RINGS_LATE ? UINT8_MAX : s->rings;
        s->pc = step->fault == NO_LAST_LOOK ? DOZE : LAST;
        return true;
    case LAST:
        if (look(step, s)) {
            s->pc = s->moved ? UNCOUNT : DOZE;
            s->moved = 0;
        }
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

static void write_news(struct step *step, struct state *s, int i)
{
    s->brought[i]++;
    if (step->fault == WEAK_NEWS)
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

static bool ringer(struct step *step, struct state *s, int i)
{
    bool first = step->fault == LOOKS_FIRST, wakes_first = step->fault == WAKES_FIRST;
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

static bool empty_buffer(struct step *step, struct state *s, int i)
{
    if (!s->buffered[i])
        return false;
    say(step, "ringer %d: its store buffer reaches memory: news %d", i, s->buffered[i]);
    s->news[i] = s->buffered[i];
    s->buffered[i] = 0;
    return true;
}

static bool bell_move(struct step *step, int number)
{
    struct state *s = step->state;
    if (number == 0)
        return sleeper(step, s);
    if (number <= RINGERS)
        return ringer(step, s, number - 1);
    return empty_buffer(step, s, number - 1 - RINGERS);
}

static const char *bell_end(struct step *step)
{
    const struct state *s = step->state;
    return s->pc == OVER ? NULL : "all sleep for ever, with news outstanding";
}

const struct model model_bell = {
    .name = "bell",
    .promise = "nobody sleeps while there is news",
    .bytes = sizeof(struct state),
    .scenarios = scenarios,
    .faults = faults,
    .move = bell_move,
    .end = bell_end,
};
