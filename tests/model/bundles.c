/*
 * bundles.c: the model of notes that travel together: lib/backends/transport/bundles.c.
 *
 * Two ranks on two machines. Each has a program, which starts sends, waits, or computes for ever, and a progress thread. Of what a rank
 * tells the other, a part is on its way, and a part still lies in its bundle. Notes that may wait are answers which hope for a message to
 * travel with. A lock makes one step of all that a thread does between coming and going. Whether a bundle is held, because more may
 * follow, is left open: every start may hold it, or not. Shown is that no note lies there for ever; and that the watcher, who sees who sleeps
 * and what was counted, says that nobody can move only when that is so.
 */
#include "models.h"

#include <stdint.h>
#include <string.h>

enum { NOTES = 6, LINES = 4 };
enum note { NONE, MESSAGE, TAKEN };

/* What a program does: it starts a send; is answered, and has heard one, or two, more by then; computes for ever. */
enum line { COMPUTE, START, ANSWERED, GOT, GOT_BOTH };

/* Moves of a rank: those of its program, and of its progress thread. */
enum { RUN, RUN_HOLDING, THREAD, HEAR, MOVES };

static const struct scenario scenarios[] = { { "a burst, and then its sender waits", 2 * MOVES },
                                             { "a burst, and then its sender computes", 2 * MOVES },
                                             { "messages in turns", 2 * MOVES },
                                             { "an answer hopes for a message that does not come",
                                               2 * MOVES },
                                             { "one after the other", 2 * MOVES },
                                             { "both start, and wait", 2 * MOVES },
                                             { 0 } };
enum { TURNS = 2, IN_VAIN, ONE_BY_ONE };

enum { WAITER_HOLDS = 1, NOT_STRUCK, HEARER_HOLDS, THREAD_HOLDS };
static const struct fault faults[] = { { "who goes to wait leaves its bundle open", 0 },
                                       { "a bundle is held, and the progress thread is not told", 1 },
                                       { "who has heard, and sleeps again, leaves its answers in the bundle",
                                         ONE_BY_ONE },
                                       { "the progress thread leaves answers in the bundle", IN_VAIN },
                                       { 0 } };

static const uint8_t programs[][2][LINES] = {
    { { START, START, ANSWERED, ANSWERED }, { GOT, GOT } },
    { { START, START }, { GOT, GOT } },
    { { START, ANSWERED, GOT }, { GOT, START, ANSWERED } },
    { { START, ANSWERED }, { GOT } },
    { { START, ANSWERED, START, ANSWERED }, { GOT_BOTH } },
    { { START, START, GOT, ANSWERED }, { START, GOT, GOT, ANSWERED } },
};

struct state {
    struct rank {
        uint8_t held[NOTES], way[NOTES]; /* notes to the other: in the bundle; on their way */
        uint8_t pc, asleep, urgent;      /* urgent: not all that is held may wait */
        uint8_t thread_sleeps;
        uint8_t got, answered; /* messages; answers */
        uint8_t wants_got, wants_answered;
        uint8_t sent, heard; /* counted */
    } ranks[2];
};

static int length(const uint8_t *notes)
{
    int n = 0;
    while (n < NOTES && notes[n])
        n++;
    return n;
}

static void flush(struct rank *r)
{
    int held = length(r->held), out = length(r->way);
    memcpy(r->way + out, r->held, (size_t)held);
    memset(r->held, 0, sizeof r->held);
    r->urgent = 0;
}

static void append(struct rank *r, enum note note, bool waits)
{
    r->held[length(r->held)] = (uint8_t)note;
    r->sent++;
    r->urgent |= !waits;
}

static bool waits(const struct rank *r)
{
    return r->got < r->wants_got || r->answered < r->wants_answered;
}

/* One note; what it is answered with. A rank that takes turns trusts that a message follows. */
static bool hear_one(struct step *step, int number)
{
    struct state *s = step->state;
    struct rank *me = &s->ranks[number], *other = &s->ranks[1 - number];
    enum note note = other->way[0];
    if (!note)
        return false;
    memmove(other->way, other->way + 1, NOTES - 1);
    other->way[NOTES - 1] = NONE;
    me->heard++;
    me->got += note == MESSAGE;
    me->answered += note != MESSAGE;
    if (note == MESSAGE)
        append(me, TAKEN, step->scenario == TURNS || step->scenario == IN_VAIN);
    return true;
}

/* What is left then is its progress thread's, which is told. */
static void leave(struct step *step, struct rank *r)
{
    if (r->held[0] && step->fault != NOT_STRUCK)
        r->thread_sleeps = 0;
}

static void wait(struct step *step, int number)
{
    struct rank *me = &((struct state *)step->state)->ranks[number];
    if (me->urgent && step->fault != WAITER_HOLDS)
        flush(me);
    me->asleep = waits(me);
    if (!me->asleep)
        leave(step, me);
    else if (step->fault != WAITER_HOLDS)
        flush(me);
}

static bool run(struct step *step, int number, bool holds)
{
    struct rank *me = &((struct state *)step->state)->ranks[number];
    enum line line = me->pc < LINES ? programs[step->scenario][number][me->pc] : COMPUTE;
    if (me->asleep || line == COMPUTE || (holds && line != START))
        return false;
    me->pc++;
    if (line == START) {
        say(step, "rank %d starts a send%s", number, holds ? ", and holds its note" : "");
        append(me, MESSAGE, false);
        if (!holds)
            flush(me);
        leave(step, me);
        return true;
    }
    say(step, "rank %d waits", number);
    me->wants_got += line == GOT ? 1 : line == GOT_BOTH ? 2 : 0;
    me->wants_answered += line == ANSWERED;
    wait(step, number);
    return true;
}

/* It is told when its rank leaves something open; and of its own accord it looks while it naps. */
static bool thread(struct step *step, int number)
{
    struct rank *me = &((struct state *)step->state)->ranks[number];
    if (me->thread_sleeps || me->asleep)
        return false;
    say(step, "the progress thread of rank %d looks", number);
    me->thread_sleeps = 1;
    if (step->fault != THREAD_HOLDS || me->urgent)
        flush(me);
    return true;
}

/* In its sleep a waiter hears what comes; for a program that computes its thread does, which is awake then. */
static bool hear(struct step *step, int number)
{
    struct rank *me = &((struct state *)step->state)->ranks[number];
    if (!hear_one(step, number))
        return false;
    say(step, "rank %d hears a note", number);
    me->asleep &= waits(me);
    if ((me->urgent || me->asleep) && step->fault != HEARER_HOLDS)
        flush(me);
    if (!me->asleep)
        leave(step, me);
    return true;
}

static void watch(struct step *step, const struct state *s)
{
    const struct rank *a = &s->ranks[0], *b = &s->ranks[1];
    bool moves = a->held[0] || b->held[0] || a->way[0] || b->way[0] || !waits(a) || !waits(b);
    bool counted = a->sent + b->sent == a->heard + b->heard;
    if (a->asleep && b->asleep && a->thread_sleeps && b->thread_sleeps && counted && moves)
        step->broken = "the watcher sees nothing under way, and something is";
}

static bool bundles_move(struct step *step, int move)
{
    int number = move / MOVES;
    bool moved = move % MOVES <= RUN_HOLDING ? run(step, number, move % MOVES == RUN_HOLDING)
                 : move % MOVES == THREAD    ? thread(step, number)
                                             : hear(step, number);
    if (moved && !step->broken)
        watch(step, step->state);
    return moved;
}

static void bundles_begin(struct step *step)
{
    struct state *s = step->state;
    s->ranks[0].thread_sleeps = s->ranks[1].thread_sleeps = 1;
}

static const char *bundles_end(struct step *step)
{
    const struct state *s = step->state;
    for (int i = 0; i < 2; i++)
        if (s->ranks[i].held[0] || s->ranks[i].way[0] || waits(&s->ranks[i]))
            return "a note lies there for ever";
    return NULL;
}

const struct model model_bundles = {
    .name = "bundles",
    .promise = "notes that travel together all leave, and nobody is called stuck who is not",
    .bytes = sizeof(struct state),
    .scenarios = scenarios,
    .faults = faults,
    .begin = bundles_begin,
    .move = bundles_move,
    .end = bundles_end,
};
