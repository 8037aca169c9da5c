/* callers.c: several threads act for one rank: how the second one comes in, and where each tells that it sleeps. */
#define _GNU_SOURCE
#include "job.h"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* As in linux/membarrier.h, which a machine with another libc than the system's may lack. */
#define PRIVATE_EXPEDITED (1 << 3)
#define REGISTER_PRIVATE_EXPEDITED (1 << 4)
#define LOOKS 100 /* at a lock, before its holder may need this core */

void lock_wait(struct lock *lock)
{
    for (int i = 0; i < LOOKS && atomic_load_explicit(&lock->taken, memory_order_relaxed); i++)
        backoff_relax();
    if (atomic_load_explicit(&lock->taken, memory_order_relaxed))
        sched_yield();
}

/* ---- notes --------------------------------------------------------------------------- */

struct sleep_note *launch_take_note(struct launch_self *self)
{
    struct thread_notes *threads = &launch_notes(self)->threads;
    for (uint32_t i = 0; i < NOTE_THREADS; i++) {
        uint32_t nobody = 0, used = atomic_load(&threads->used);
        while (used <= i && !atomic_compare_exchange_weak(&threads->used, &used, i + 1))
            ;
        if (atomic_compare_exchange_strong(&threads->notes[i].epoch, &nobody, 2))
            return &threads->notes[i];
    }
    atomic_fetch_add(&threads->beyond, 1);
    return NULL;
}

void launch_drop_note(struct launch_self *self, struct sleep_note *note)
{
    if (note)
        atomic_store(&note->epoch, 0);
    else
        atomic_fetch_sub(&launch_notes(self)->threads.beyond, 1);
}

/* ---- threads of the program ------------------------------------------------------------ */

static _Thread_local bool is_second; /* or later, and this is its note */
static _Thread_local struct sleep_note *note_of_thread;
/* The slot's note is nobody's: where a process is one rank, and its main thread was not the first. */
static _Atomic bool first_has_ended;
static pthread_key_t at_end;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* (A thread of a child, which a fork has brought there, has nothing here.) */
static void callers_thread_ends(void *self)
{
    if (launch_is_forked())
        return;
    if (is_second)
        launch_drop_note(self, note_of_thread);
    else
        atomic_store(&first_has_ended, true);
}

static void callers_make_key(void)
{
    pthread_key_create(&at_end, callers_thread_ends);
}

bool launch_can_settle(void)
{
    /* a kernel from 4.14 on, and no filter */
    return syscall(SYS_membarrier, REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/* After this, what any thread of the process has stored before can be seen. */
static void callers_settle_stores(void)
{
    if (!launch_can_settle() || syscall(SYS_membarrier, PRIVATE_EXPEDITED, 0, 0) != 0)
        nanosleep(&(struct timespec){ .tv_nsec = SETTLE_NS }, NULL); /* filtered since then: eventcount.h */
}

void bias_revoke(struct bias *bias, uint32_t why)
{
    if (atomic_fetch_or(&bias->over, why) & BIAS_REVOKED)
        return;
    callers_settle_stores();
    for (unsigned looks = 0; atomic_load_explicit(&bias->inside, memory_order_acquire); looks++)
        looks < LOOKS ? backoff_relax() : (void)sched_yield();
    if (why == BIAS_SEVERAL)
        atomic_fetch_or(&bias->over, BIAS_REVOKED);
}

void launch_needs_locks(struct launch_self *self)
{
    bias_revoke(&self->bias, BIAS_SEVERAL);
    bias_revoke(&self->bias_calling, BIAS_SEVERAL);
}

void launch_thread_is_first(struct launch_self *self)
{
    pthread_once(&once, callers_make_key);
    pthread_setspecific(at_end, self);
}

void launch_thread_arrives(struct launch_self *self)
{
    is_second = true;
    note_of_thread = launch_take_note(self);
    pthread_once(&once, callers_make_key);
    pthread_setspecific(at_end, self);
    atomic_store(&launch_notes(self)->several, 1);
    launch_needs_locks(self);
}

/* Whoever is next to wait is the first then: a rank without one would never be found asleep. */
static void callers_follow_first(struct launch_self *self)
{
    bool ended = true;
    if (!atomic_compare_exchange_strong(&first_has_ended, &ended, false))
        return;
    is_second = false;
    launch_drop_note(self, note_of_thread);
}

struct sleep_note *launch_note(struct launch_self *self)
{
    if (is_second && atomic_load_explicit(&first_has_ended, memory_order_relaxed))
        callers_follow_first(self);
    return is_second ? note_of_thread : &launch_slot(self)->sleep;
}

struct sleep_note *launch_note_on(struct launch_self *self, const struct eventcount *eventcount, bool timed)
{
    struct sleep_note *note = launch_note(self);
    if (note) {
        atomic_store(&note->eventcount, world_offset(&self->world, eventcount));
        atomic_store(&note->timed, timed);
    }
    return note;
}

/* Ranks that nobody watches look around themselves, and while one does the others find it awake. Who went to sleep in the same moment must
 * not wake in the same moment for ever: the naps of each rank are of other lengths, from half of what was asked for. */
static int callers_nap(const struct launch_self *self, int milliseconds)
{
    static _Thread_local uint32_t naps;
    if (self->watched)
        return milliseconds;
    uint32_t mixed = (uint32_t)(self->env.rank + 1) * 0x9e3779b1u + ++naps * 0x85ebca77u;
    mixed = (mixed ^ mixed >> 15) * 0x2c1b3c6du;
    return milliseconds - (int)((mixed >> 16) % ((uint32_t)milliseconds / 2 + 1));
}

void launch_listen(struct launch_self *self, struct eventcount *eventcount, bool (*news)(void *arg),
                   void *arg, int milliseconds)
{
    eventcount_listen(eventcount, news, arg, callers_nap(self, milliseconds),
                      launch_note_on(self, eventcount, false));
    launch_look_around(self);
}

void launch_sleep(struct launch_self *self, struct eventcount *eventcount, bool (*news)(void *arg), void *arg,
                  int milliseconds, bool timed)
{
    eventcount_sleep(eventcount, news, arg, callers_nap(self, milliseconds),
                     launch_note_on(self, eventcount, timed));
    launch_look_around(self);
}
