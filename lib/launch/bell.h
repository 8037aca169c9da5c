/*
 * bell.h: how a rank waits, and how it is woken.
 *
 * A bell is one word that changes when there is news, and a count of the threads asleep on it.
 * Waiting goes: look, spin, yield, sleep. Learners run 8 ranks on 2 cores, so a waiter must give its core
 * away soon; and two ranks on two cores must not pay for a system call.
 *
 * Who writes what, and why no wake-up is lost. The sleeper adds itself to `sleepers`, reads `rings`, and only
 * then looks at the news for the last time. The ringer writes the news, and only then reads `sleepers`. All
 * four are seq_cst, so they stand in one order: either the ringer sees the sleeper and rings (then the
 * kernel compares `rings` and does not let it sleep), or the sleeper sees the news.
 */
#ifndef LAUNCH_BELL_H
#define LAUNCH_BELL_H

#include <stdatomic.h>
#include "note.h"

#include <stdbool.h>
#include <stdint.h>

struct bell {
    _Atomic uint32_t rings;    /* counts news; also the futex word */
    _Atomic uint32_t sleepers; /* threads asleep, or about to be */
};

/* Wake all sleepers. The caller has written its news with seq_cst before. */
void bell_ring_slow(struct bell *bell);
void bell_wake(struct bell *bell);
static inline void bell_ring(struct bell *bell)
{
    if (atomic_load(&bell->sleepers))
        bell_ring_slow(bell);
}

/* Ring even if nobody sleeps: for a bell whose count of rings is itself the news. */
static inline void bell_strike(struct bell *bell)
{
    atomic_fetch_add(&bell->rings, 1);
    if (atomic_load(&bell->sleepers))
        bell_wake(bell);
}

/* Sleep until the bell rings, at most `milliseconds`, unless news(arg) is already true. The note (its field `bell` is
 * filled in) tells others about the sleep; NULL: nobody needs to know. */
void bell_sleep(struct bell *bell, bool (*news)(void *arg), void *arg, int milliseconds,
                struct sleep_note *note);
void bell_sleep_for(struct bell *bell, bool (*news)(void *arg), void *arg, int64_t nanoseconds,
                    struct sleep_note *note);

/* Sleep while `rings` is `seen`, at most `milliseconds`, without being counted among the sleepers: for a thread
 * whose being there somebody else makes known. */
void bell_doze(struct bell *bell, uint32_t seen, int milliseconds, struct sleep_note *note);

/* One waiter's patience: how often it has looked in vain. Start at { 0 }. */
struct patience {
    unsigned rounds;
};

/* Say once how many threads share the machine's cores: it decides how long to spin. */
void patience_tune(int ranks);

/* Look again at once? Nothing is quicker, and nothing is worse for whoever shares the core: true for a few rounds only. */
bool patience_look(struct patience *patience);

/* Pass a moment by spinning or yielding. False: patience is at its end, time to sleep. */
bool patience_spin(struct patience *patience);

#endif
