/*
 * lock.c: the model of lib/launch/lock.h: one thread, the owner, goes in without a lock while it is alone; a guest comes and goes; a second
 * thread of the program comes and stays.
 *
 * What the owner stores passes through a store buffer, which empties when it likes, at the latest when the owner takes the lock, or
 * when somebody has all stores settled. What the others store goes straight to memory: they look at nothing that they could overtake.
 */
#include "models.h"

#include <stdint.h>

enum { OWNER, GUEST, SECOND, BUFFER, MOVES };
enum { SEVERAL = 1, VISITED = 2, LONG_OVER = 4 }; /* in `over` */
enum { START, SAY, LOOK, LOCK, SETTLE, IN, OUT, LAST, OVER };
enum { NO_SETTLING = 1, LOOKS_FIRST, ONE_LOOK, GIVES_WHAT_IT_FINDS, NO_WAITING, ENDS_ALL, TRUSTS_SEVERAL };
enum { OUTSIDE, INSIDE, UNLOCKED, ROOM = 3 }; /* stores of the owner: inside = 0, inside = 1, taken = 0 */

static const struct scenario scenarios[] = { { "the owner and a guest", MOVES },
                                             { "the owner and a second thread", MOVES },
                                             { "the owner, a guest and a second thread", MOVES },
                                             { 0 } };
static const struct fault faults[] = { { "a guest does not have stores settled", 0 },
                                       { "a guest looks who is inside before it says that it is there", 0 },
                                       { "the owner looks only before it says that it is inside", 0 },
                                       { "the owner gives back the lock if it finds it taken", 0 },
                                       { "a second thread does not wait for the one inside", 1 },
                                       { "a guest that leaves says that the owner is alone", 2 },
                                       { "a guest trusts a second thread that has only begun to come", 2 },
                                       { 0 } };

struct state {
    uint8_t over, taken, inside, locked; /* the words; */
    uint8_t buffer[ROOM], buffered;      /* the owner's stores on their way; */
    uint8_t pc[3], turns[3], in;         /* where each thread is, how often it was in, how many are in */
};

static void reach_memory(struct state *s)
{
    if (s->buffer[0] == UNLOCKED)
        s->taken = 0;
    else
        s->inside = s->buffer[0] == INSIDE;
    for (int i = 1; i < ROOM; i++)
        s->buffer[i - 1] = s->buffer[i];
    s->buffer[--s->buffered] = 0;
}

static void settle(struct state *s)
{
    while (s->buffered > 0)
        reach_memory(s);
}

static void store(struct state *s, uint8_t what)
{
    s->buffer[s->buffered++] = what;
}

static void go_in(struct step *step, struct state *s, int thread)
{
    static const char *const names[] = { "the owner", "the guest", "the second thread" };
    say(step, "%s is in", names[thread]);
    if (++s->in > 1)
        step->broken = "two threads are in at once";
    s->pc[thread] = OUT;
}

static bool take_lock(struct step *step, struct state *s, int thread, uint8_t next)
{
    if (s->taken)
        return false;
    say(step, "thread %d takes the lock", thread);
    s->taken = 1;
    s->pc[thread] = next;
    return true;
}

static void go_out(struct step *step, struct state *s)
{
    bool locked = step->fault == GIVES_WHAT_IT_FINDS ? s->taken : s->locked;
    say(step, "the owner goes out, and gives back %s", locked ? "the lock" : "nothing");
    s->in--;
    s->locked = 0;
    store(s, locked ? UNLOCKED : OUTSIDE);
    s->pc[OWNER] = ++s->turns[OWNER] < 3 ? START : OVER;
}

static bool owner(struct step *step, struct state *s)
{
    if (s->buffered >= ROOM - 1)
        return false; /* its store buffer is full: it waits */
    switch (s->pc[OWNER]) {
    case START:
        say(step, "the owner looks: over is %d", s->over);
        s->pc[OWNER] = s->over ? LOCK : SAY;
        return true;
    case SAY:
        say(step, "the owner says that it is inside");
        store(s, INSIDE);
        s->pc[OWNER] = step->fault == ONE_LOOK ? IN : LOOK;
        return true;
    case LOOK:
        say(step, "the owner looks again: over is %d", s->over);
        if (s->over)
            store(s, OUTSIDE);
        s->pc[OWNER] = s->over ? LOCK : IN;
        return true;
    case LOCK:
        settle(s); /* a locked instruction */
        if (!take_lock(step, s, OWNER, IN))
            return false;
        s->locked = 1;
        return true;
    case IN:
        go_in(step, s, OWNER);
        return true;
    case OUT:
        go_out(step, s);
        return true;
    default:
        return false;
    }
}

/* Where it goes on. */
static uint8_t says_that_it_is_there(const struct step *step, struct state *s, bool guest)
{
    uint8_t before = s->over, trusted = step->fault == TRUSTS_SEVERAL ? SEVERAL : LONG_OVER;
    s->over |= guest ? VISITED : SEVERAL;
    if (before & trusted || (guest && step->fault == LOOKS_FIRST))
        return IN;
    return guest && step->fault == NO_SETTLING ? LOOK : SETTLE;
}

/* It holds the lock. */
static bool other_in_and_out(struct step *step, struct state *s, int me)
{
    bool guest = me == GUEST;
    switch (s->pc[me]) {
    case IN:
        go_in(step, s, me);
        s->locked = 1;
        return true;
    case OUT:
        say(step, "thread %d goes out", me);
        s->in--;
        s->locked = 0;
        if (guest)
            s->over = step->fault == ENDS_ALL ? 0 : s->over & (SEVERAL | LONG_OVER);
        s->pc[me] = LAST;
        return true;
    case LAST:
        say(step, "thread %d gives the lock back", me);
        s->taken = 0;
        s->pc[me] = ++s->turns[me] == 2 ? OVER : guest ? START : LOCK;
        return true;
    default:
        return false;
    }
}

/* The guest takes the lock first, the second thread afterwards; what lies between is bias_revoke. */
static bool other(struct step *step, struct state *s, int me)
{
    bool guest = me == GUEST;
    switch (s->pc[me]) {
    case START:
        if (guest)
            return take_lock(step, s, me, step->fault == LOOKS_FIRST ? LOOK : SAY);
        s->pc[me] = SAY;
        return true;
    case SAY:
        say(step, "thread %d says that it is there", me);
        s->pc[me] = says_that_it_is_there(step, s, guest);
        return true;
    case SETTLE:
        say(step, "thread %d has stores settled", me);
        settle(s);
        s->pc[me] = !guest && step->fault == NO_WAITING ? LOCK : LOOK;
        return true;
    case LOOK:
        if (s->inside)
            return false;
        say(step, "thread %d sees nobody inside", me);
        s->over |= guest ? 0 : LONG_OVER;
        s->pc[me] = guest ? (step->fault == LOOKS_FIRST ? SAY : IN) : LOCK;
        return true;
    case LOCK:
        return take_lock(step, s, me, IN);
    default:
        return other_in_and_out(step, s, me);
    }
}

static void lock_begin(struct step *step)
{
    struct state *s = step->state;
    s->pc[GUEST] = step->scenario == 1 ? OVER : START;
    s->pc[SECOND] = step->scenario == 0 ? OVER : START;
}

static bool lock_move(struct step *step, int number)
{
    struct state *s = step->state;
    if (number != BUFFER)
        return number == OWNER ? owner(step, s) : other(step, s, number);
    if (s->buffered == 0)
        return false;
    say(step, "a store of the owner reaches memory");
    reach_memory(s);
    return true;
}

static const char *lock_end(struct step *step)
{
    const struct state *s = step->state;
    for (int i = OWNER; i <= SECOND; i++)
        if (s->pc[i] != OVER)
            return "somebody waits for ever";
    return NULL;
}

const struct model model_lock = {
    .name = "lock",
    .promise = "two threads are never in at once, and nobody waits for ever",
    .bytes = sizeof(struct state),
    .scenarios = scenarios,
    .faults = faults,
    .begin = lock_begin,
    .move = lock_move,
    .end = lock_end,
};
