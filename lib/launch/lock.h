/*
 * lock.h: locks that are held for moments.
 *
 * A mutex of the system costs two locked instructions; here giving back is a plain store, which nobody has to wait for.
 *
 * And while one thread alone calls for a rank it needs no lock: it says that it is inside, with a plain store, and looks whether
 * it is still alone (struct bias). A locked instruction would wait until all that was stored before has reached memory: in a row of
 * messages, for the line of each to come over from the other core. Whoever else wants in says so, has every processor that runs a thread
 * of this process settle its stores (the kernel's membarrier), and then waits until the first one is not inside: either the
 * first one sees that it is not alone, or it is seen inside. A second thread of the program stays (callers.c): from then on
 * all take the lock. A guest, the progress thread, takes the lock, and gives the bias back when it leaves: it comes
 * seldom, and pays for both. Where membarrier is refused (old kernels, filters of containers) all take the lock from the beginning.
 * The model in tests/model/ walks through all of it.
 */
#ifndef LAUNCH_LOCK_H
#define LAUNCH_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct lock {
    _Atomic uint32_t taken;
};

void lock_wait(struct lock *lock); /* callers.c: until it looks free */
static inline void lock_take(struct lock *lock)
{
    while (atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire))
        lock_wait(lock);
}
static inline void lock_give(struct lock *lock)
{
    atomic_store_explicit(&lock->taken, 0, memory_order_release);
}

/* Does one thread alone act for a rank? */
struct bias {
    _Atomic uint32_t over;   /* 0: it does; else a bit for why not: */
    _Atomic uint32_t inside; /* 1: that thread is where others would hold the lock */
};
#define BIAS_SEVERAL 1u /* several threads, for good; */
#define BIAS_GUEST 2u   /* a guest, until it leaves; */
#define BIAS_REVOKED 4u /* several, and the first one is known not to be inside */

/* Go in without a lock. False: take the lock. */
static inline bool bias_enter(struct bias *bias)
{
    if (atomic_load_explicit(&bias->over, memory_order_relaxed))
        return false;
    atomic_store_explicit(&bias->inside, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); /* of the processor see above */
    if (!atomic_load_explicit(&bias->over, memory_order_acquire))
        return true;
    atomic_store_explicit(&bias->inside, 0, memory_order_release);
    return false;
}
static inline void bias_leave(struct bias *bias)
{
    atomic_store_explicit(&bias->inside, 0, memory_order_release);
}

static inline bool bias_is_gone(const struct bias *bias)
{
    return atomic_load_explicit(&bias->over, memory_order_relaxed) & BIAS_SEVERAL;
}

/* End it, for SEVERAL or for a GUEST, who has the lock: afterwards nobody is inside without it (callers.c). */
void bias_revoke(struct bias *bias, uint32_t why);
static inline void bias_restore(struct bias *bias)
{
    atomic_fetch_and_explicit(&bias->over, ~BIAS_GUEST, memory_order_release);
}

/* A lock that is needed only where one thread is not alone. Whoever is in knows how it came in. */
struct entry {
    struct lock lock;
    bool locked;
};
static inline void entry_take(struct entry *entry, struct bias *bias)
{
    if (bias_enter(bias))
        return;
    lock_take(&entry->lock);
    entry->locked = true;
}
static inline void entry_give(struct entry *entry, struct bias *bias)
{
    if (!entry->locked) {
        bias_leave(bias);
        return;
    }
    entry->locked = false;
    lock_give(&entry->lock);
}

#endif
