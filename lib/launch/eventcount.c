/* eventcount.c: how long to spin and to yield, and the sleep itself (futex). */
#define _GNU_SOURCE
#include "eventcount.h"

#include <limits.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Measured on two cores: a token is handed over in 0.05 us by spinning on the other core, in 0.7 to 1.6 us by
 * yielding the core that both share, in 2.7 us by a futex. So: spin long where every rank has a core. Where it has
 * not, look hardly twice (or for a microsecond, at whom we know to be on another core), then yield for a while, then sleep. */
static _Atomic unsigned spin_rounds = 4000, far_spin_rounds = 4000;
static _Atomic unsigned yield_rounds = 0;
_Atomic unsigned backoff_pauses = 1;

/* As in linux/futex.h, which a machine with another libc than the system's may lack. */
enum { EVENTCOUNT_FUTEX_WAIT, EVENTCOUNT_FUTEX_WAKE };

#define YIELD_ROUNDS 100
#define PAUSE_NS 45
#define TUNE_PAUSES 100
#define TUNE_TRIES 3
#define SHORT_NAP 20000 /* ns between two looks of a listener; it grows */
#define LONG_NAP 1000000

int64_t launch_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Processors differ tenfold in how long their pause instruction takes: see how many of them make PAUSE_NS. The quickest of
 * some tries, since the others were interrupted. */
static void eventcount_tune_pause(void)
{
    int64_t quickest = INT64_MAX;
    for (int try = 0; try < TUNE_TRIES; try++) {
        int64_t start = launch_clock_ns();
        for (int i = 0; i < TUNE_PAUSES; i++)
            backoff_relax();
        int64_t took = launch_clock_ns() - start;
        quickest = took < quickest ? took : quickest;
    }
    backoff_pauses = (unsigned)(PAUSE_NS * TUNE_PAUSES / (quickest > 0 ? quickest : 1) + 1);
}

void backoff_tune(int ranks)
{
    cpu_set_t cores;
    int available = 1;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0)
        available = CPU_COUNT(&cores);
    bool oversubscribed = ranks > available;
    spin_rounds = oversubscribed ? 2 : 4000;
    far_spin_rounds = oversubscribed ? 100 : 4000;
    yield_rounds = oversubscribed ? YIELD_ROUNDS : 0;
    eventcount_tune_pause();
}

unsigned backoff_looks(void)
{
    return spin_rounds / 3;
}

bool backoff_pass(struct backoff *backoff, enum whereabouts where)
{
    unsigned spins = where == ON_THIS_CORE ? 0 : where == ON_ANOTHER_CORE ? far_spin_rounds : spin_rounds;
    unsigned yields = where == ON_THIS_CORE ? YIELD_ROUNDS : yield_rounds;
    if (backoff->rounds++ < spins) {
        backoff_relax();
        return true;
    }
    if (backoff->rounds <= spins + yields) {
        sched_yield();
        return true;
    }
    return false;
}

void backoff_give_way(void)
{
    if (yield_rounds > 0)
        sched_yield();
}

void backoff_lock(pthread_mutex_t *lock)
{
    struct backoff backoff = { 0 };
    while (pthread_mutex_trylock(lock) != 0)
        if (!backoff_spin(&backoff)) {
            pthread_mutex_lock(lock);
            return;
        }
}

void eventcount_wake(struct eventcount *eventcount)
{
    syscall(SYS_futex, &eventcount->count, EVENTCOUNT_FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void eventcount_notify_slow(struct eventcount *eventcount)
{
    atomic_fetch_add(&eventcount->count, 1);
    eventcount_wake(eventcount);
}

void eventcount_doze(struct eventcount *eventcount, uint32_t seen, int64_t nanoseconds,
                     struct sleep_note *note)
{
    struct timespec limit = { nanoseconds / 1000000000, nanoseconds % 1000000000 };
    if (note) {
        atomic_store(&note->seen, seen);
        atomic_fetch_add(&note->epoch, 1);
    }
    syscall(SYS_futex, &eventcount->count, EVENTCOUNT_FUTEX_WAIT, seen, &limit, NULL, 0);
    if (note) {
        atomic_fetch_add(&note->epoch, 1);
        atomic_thread_fence(memory_order_release); /* only then may it write its notes anew (note.h) */
    }
}

void eventcount_sleep(struct eventcount *eventcount, bool (*news)(void *arg), void *arg, int milliseconds,
                      struct sleep_note *note)
{
    eventcount_sleep_for(eventcount, news, arg, (int64_t)milliseconds * 1000000, note);
}

void eventcount_listen(struct eventcount *eventcount, bool (*news)(void *arg), void *arg, int milliseconds,
                       struct sleep_note *note)
{
    int64_t end = launch_clock_ns() + (int64_t)milliseconds * 1000000, nap = SHORT_NAP;
    atomic_fetch_add(&eventcount->sleepers, 1);
    atomic_thread_fence(memory_order_seq_cst);
    uint32_t seen = atomic_load(&eventcount->count);
    bool woken = news(arg);
    if (!woken && note) {
        atomic_store(&note->seen, seen);
        atomic_fetch_add(&note->epoch, 1);
    }
    bool asleep = !woken && note;
    while (!woken && launch_clock_ns() < end && !news(arg)) {
        struct timespec limit = { .tv_nsec = nap };
        woken = syscall(SYS_futex, &eventcount->count, EVENTCOUNT_FUTEX_WAIT, seen, &limit, NULL, 0) == 0 ||
                atomic_load(&eventcount->count) != seen;
        nap = nap < LONG_NAP ? nap + nap / 4 : nap;
    }
    if (asleep) {
        atomic_fetch_add(&note->epoch, 1);
        atomic_thread_fence(memory_order_release); /* as in eventcount_doze */
    }
    atomic_fetch_sub(&eventcount->sleepers, 1);
}

void eventcount_sleep_for(struct eventcount *eventcount, bool (*news)(void *arg), void *arg,
                          int64_t nanoseconds, struct sleep_note *note)
{
    int64_t settling = nanoseconds < SETTLE_NS ? nanoseconds : SETTLE_NS;
    atomic_fetch_add(&eventcount->sleepers, 1);
    atomic_thread_fence(memory_order_seq_cst); /* on x86 alone the addition holds the look back */
    uint32_t seen = atomic_load(&eventcount->count);
    bool came = news(arg);
    if (!came) {
        eventcount_doze(eventcount, seen, settling, note);
        bool goes_on = settling < nanoseconds && atomic_load(&eventcount->count) == seen;
        came = goes_on && news(arg);
        if (goes_on && !came)
            eventcount_doze(eventcount, seen, nanoseconds - settling, note);
    }
    if (came && note)
        atomic_store(&note->seen, seen - 1); /* it is awake, though nobody had to notify it */
    atomic_fetch_sub(&eventcount->sleepers, 1);
}
