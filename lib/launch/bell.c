#define _GNU_SOURCE
#include "bell.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Measured on two cores: a token is handed over in 0.05 us by spinning on the other core, in 1.6 us by
 * yielding the core that both share, in 2.7 us by a futex. So: spin long where every rank has a core, hardly
 * at all where it has not, then yield for a while, then sleep. */
static _Atomic unsigned spin_rounds = 4000;
static _Atomic unsigned yield_rounds = 0;

void patience_tune(int ranks)
{
    cpu_set_t cores;
    int available = 1;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0)
        available = CPU_COUNT(&cores);
    spin_rounds = ranks <= available ? 4000 : 20;
    yield_rounds = ranks <= available ? 0 : 100;
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

bool patience_look(struct patience *patience)
{
    return patience->rounds++ < spin_rounds / 8;
}

bool patience_spin(struct patience *patience)
{
    if (patience->rounds < spin_rounds) {
        patience->rounds++;
        relax();
        return true;
    }
    if (patience->rounds < spin_rounds + yield_rounds) {
        patience->rounds++;
        sched_yield();
        return true;
    }
    return false;
}

void bell_wake(struct bell *bell)
{
    syscall(SYS_futex, &bell->rings, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void bell_ring_slow(struct bell *bell)
{
    atomic_fetch_add(&bell->rings, 1);
    bell_wake(bell);
}

static void doze_for(struct bell *bell, uint32_t seen, int64_t nanoseconds, struct sleep_note *note)
{
    struct timespec limit = { nanoseconds / 1000000000, nanoseconds % 1000000000 };
    if (note) {
        atomic_store(&note->seen, seen);
        atomic_fetch_add(&note->epoch, 1);
    }
    syscall(SYS_futex, &bell->rings, FUTEX_WAIT, seen, &limit, NULL, 0);
    if (note)
        atomic_fetch_add(&note->epoch, 1);
}

void bell_doze(struct bell *bell, uint32_t seen, int milliseconds, struct sleep_note *note)
{
    doze_for(bell, seen, (int64_t)milliseconds * 1000000, note);
}

void bell_sleep(struct bell *bell, bool (*news)(void *arg), void *arg, int milliseconds,
                struct sleep_note *note)
{
    bell_sleep_for(bell, news, arg, (int64_t)milliseconds * 1000000, note);
}

void bell_sleep_for(struct bell *bell, bool (*news)(void *arg), void *arg, int64_t nanoseconds,
                    struct sleep_note *note)
{
    atomic_fetch_add(&bell->sleepers, 1);
    uint32_t seen = atomic_load(&bell->rings);
    if (!news(arg))
        doze_for(bell, seen, nanoseconds, note);
    atomic_fetch_sub(&bell->sleepers, 1);
}
