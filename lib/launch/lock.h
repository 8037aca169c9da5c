/*
 * lock.h: locks that are held for moments.
 *
 * A mutex of the system costs two locked instructions; here giving back is a plain store, which nobody has to wait for.
 *
 * And while one thread alone calls for a rank it needs no lock: it says that it is inside, with a plain store, and looks whether
 * it is still alone (launch_alone). A second thread says that it is there, has every processor that runs a thread of this
 * process settle its stores (the kernel's membarrier), and then waits until the first one is not inside: hands.c. From
 * then on all take the lock; where membarrier is refused (old kernels, filters of containers), from the beginning.
 */
#ifndef LAUNCH_LOCK_H
#define LAUNCH_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct lock {
    _Atomic uint32_t taken;
};

void lock_wait(struct lock *lock); /* hands.c: until it looks free */
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
struct solitude {
    _Atomic uint32_t over;   /* no: for good; */
    _Atomic uint32_t inside; /* yes, and it is where others would hold the lock */
};

/* Go in without a lock. False: take the lock. */
static inline bool solitude_enter(struct solitude *alone)
{
    if (atomic_load_explicit(&alone->over, memory_order_relaxed))
        return false;
    atomic_store_explicit(&alone->inside, 1, memory_order_relaxed);
    atomic_signal_fence(
        memory_order_seq_cst); /* the processor keeps the order as long as it matters: see above */
    if (!atomic_load_explicit(&alone->over, memory_order_relaxed))
        return true;
    atomic_store_explicit(&alone->inside, 0, memory_order_release);
    return false;
}
static inline void solitude_leave(struct solitude *alone)
{
    atomic_store_explicit(&alone->inside, 0, memory_order_release);
}

#endif
