/*
 * eventcount.h: how a rank waits, and how it is woken.
 *
 * An event count is one word that changes when there is news, and a count of the threads asleep on it.
 * Waiting goes: look, spin, yield, sleep. Learners run 8 ranks on 2 cores, so a waiter must give its core
 * away soon; and two ranks on two cores must not pay for a system call.
 *
 * Who writes what, and why no wake-up is lost. The sleeper adds itself to `sleepers`, reads `count`, and only
 * then looks at the news for the last time. The notifier writes the news, and only then reads `sleepers`. All
 * four are seq_cst, so they stand in one order: either the notifier sees the sleeper and counts up (then the
 * kernel compares `count` and does not let it sleep), or the sleeper sees the news.
 *
 * Notifying lightly. A seq_cst store makes its processor stand still until the store has reached memory: for a
 * message of 0.1 us the largest single cost. But only a sleeper needs it, and a sleeper has time. So a notifier may write
 * its news with release and then just look (eventcount_notify_lightly). On x86 it can miss a sleeper only if its news still stood in
 * its store buffer while it looked, and there nothing stands for more than a microsecond or two. So the sleeper takes its
 * first nap short (SETTLE_NS) and looks once more: what was missed has reached memory long since. (No standard says "a
 * microsecond"; if it were more, the next look would come at the end of the nap, late, but not never. The kernel's
 * membarrier would say "now", but for processes it was seen to leave out a processor. tests/test_eventcount.c tells.)
 *
 * That is how x86 is built, and nothing else: ARM, POWER and RISC-V may let any load overtake any store, for as long as they
 * like. There a fence stands between the notifier's two (eventcount_fence), and one between the sleeper's two; of two such pairs one
 * always sees the other, in every order that C11 allows. That costs a notifier on x86 nothing, and nobody relies on naps elsewhere.
 */
#ifndef LAUNCH_EVENTCOUNT_H
#define LAUNCH_EVENTCOUNT_H

#include <stdatomic.h>
#include "note.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds on the monotonic clock. */
int64_t launch_clock_ns(void);

#define SETTLE_NS 50000 /* after which a store has reached memory */

struct eventcount {
    _Atomic uint32_t count;    /* counts news; also the futex word */
    _Atomic uint32_t sleepers; /* threads asleep, or about to be */
};

/* Wake all sleepers. The caller has written its news with seq_cst before. */
void eventcount_notify_slow(struct eventcount *eventcount);
void eventcount_wake(struct eventcount *eventcount);
static inline void eventcount_notify(struct eventcount *eventcount)
{
    if (atomic_load(&eventcount->sleepers))
        eventcount_notify_slow(eventcount);
}

/* Between a store and a look that belong together: compiler and processor keep their order, but for x86: see above. */
static inline void eventcount_fence(void)
{
#if defined(__x86_64__)
    atomic_signal_fence(memory_order_seq_cst);
#else
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

/* The same for news that was written with release only; its sleepers use eventcount_sleep. */
static inline void eventcount_notify_lightly(struct eventcount *eventcount)
{
    eventcount_fence();
    if (atomic_load_explicit(&eventcount->sleepers, memory_order_relaxed))
        eventcount_notify_slow(eventcount);
}

/* Count up even if nobody sleeps: for one whose count is itself the news. */
static inline void eventcount_advance(struct eventcount *eventcount)
{
    atomic_fetch_add(&eventcount->count, 1);
    if (atomic_load(&eventcount->sleepers))
        eventcount_wake(eventcount);
}

/* Sleep until it is notified, at most `milliseconds`, unless news(arg) is already true. The note (its field `eventcount` is
 * filled in) tells others about the sleep; NULL: nobody needs to know. */
void eventcount_sleep(struct eventcount *eventcount, bool (*news)(void *arg), void *arg, int milliseconds,
                      struct sleep_note *note);
void eventcount_sleep_for(struct eventcount *eventcount, bool (*news)(void *arg), void *arg,
                          int64_t nanoseconds, struct sleep_note *note);

/* The same for a sleeper that nobody notifies of what comes from another machine: it looks itself now and then, and counts as asleep
 * meanwhile, until there is news, it is notified, or somebody wakes it to have its notes written anew. */
void eventcount_listen(struct eventcount *eventcount, bool (*news)(void *arg), void *arg, int milliseconds,
                       struct sleep_note *note);

/* Sleep while `count` is `seen`, at most `nanoseconds`, uncounted: for a thread that somebody else has made known. */
void eventcount_doze(struct eventcount *eventcount, uint32_t seen, int64_t nanoseconds,
                     struct sleep_note *note);

/* One waiter's back-off: how often it has looked in vain. Start at { 0 }. */
struct backoff {
    unsigned rounds;
};

/* Say once how many threads share the machine's cores: it decides how long to spin. */
void backoff_tune(int ranks);

/* How often to look in a row, with only a pause between: nothing is quicker, or worse for whoever shares the core. */
unsigned backoff_looks(void);

/* A pause between two looks at a cache line, of about 45 ns. A look sooner would take the line away from whoever is about to
 * write it again: a rank that answers writes its message, and a moment later what it waits for now. */
extern _Atomic unsigned backoff_pauses; /* so many pause instructions; backoff_tune finds out */
static inline void backoff_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}
static inline void backoff_pause(void)
{
    for (unsigned i = atomic_load_explicit(&backoff_pauses, memory_order_relaxed); i > 0; i--)
        backoff_relax();
}

/* Where is whoever we wait for? That decides how best to wait. */
enum whereabouts { SOMEWHERE, ON_THIS_CORE, ON_ANOTHER_CORE };

/* Pass a moment by spinning or yielding. False: the limit is reached: sleep. */
bool backoff_pass(struct backoff *backoff, enum whereabouts where);
static inline bool backoff_spin(struct backoff *backoff)
{
    return backoff_pass(backoff, SOMEWHERE);
}

/* Who asks again and again, and is told not yet, lets others have the core where it is shared: one of them has what it asks for. */
void backoff_give_way(void);

/* Take a lock that is held for microseconds: to sleep for it would take longer, and cost its holder a system call. */
void backoff_lock(pthread_mutex_t *lock);

#endif
