/* hands.c: several threads act for one rank: how the second one comes in, and where each tells that it sleeps. */
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
        patience_relax();
    if (atomic_load_explicit(&lock->taken, memory_order_relaxed))
        sched_yield();
}

/* ---- hands --------------------------------------------------------------------------- */

static struct rank_notes *hands_notes_of(const struct launch_self *self)
{
    return world_notes(&self->world, self->env.rank);
}

struct sleep_note *launch_take_hand(struct launch_self *self)
{
    struct rank_notes *notes = hands_notes_of(self);
    for (int i = 0; i < NOTE_HANDS; i++) {
        uint32_t nobody = 0;
        if (atomic_compare_exchange_strong(&notes->hands[i].epoch, &nobody, 2))
            return &notes->hands[i];
    }
    atomic_fetch_add(&notes->more_hands, 1);
    return NULL;
}

void launch_drop_hand(struct launch_self *self, struct sleep_note *hand)
{
    if (hand)
        atomic_store(&hand->epoch, 0);
    else
        atomic_fetch_sub(&hands_notes_of(self)->more_hands, 1);
}

/* ---- threads of the program ------------------------------------------------------------ */

static _Thread_local bool is_second; /* or later, and this is its hand */
static _Thread_local struct sleep_note *hand_of_thread;
static pthread_key_t at_end;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void hands_thread_ends(void *self)
{
    launch_drop_hand(self, hand_of_thread);
}

static void hands_make_key(void)
{
    pthread_key_create(&at_end, hands_thread_ends);
}

bool launch_can_settle(void)
{
    return syscall(SYS_membarrier, REGISTER_PRIVATE_EXPEDITED, 0, 0) ==
           0; /* a kernel from 4.14 on, and no filter */
}

/* After this, what any thread of the process has stored before can be seen. */
static void hands_settle_stores(void)
{
    if (!launch_can_settle() || syscall(SYS_membarrier, PRIVATE_EXPEDITED, 0, 0) != 0)
        nanosleep(&(struct timespec){ .tv_nsec = SETTLE_NS }, NULL); /* filtered since it was asked: bell.h */
}

void solitude_end(struct solitude *alone, uint32_t why)
{
    if (atomic_fetch_or(&alone->over, why) & SOLITUDE_LONG_OVER)
        return;
    hands_settle_stores();
    for (unsigned looks = 0; atomic_load_explicit(&alone->inside, memory_order_acquire); looks++)
        looks < LOOKS ? patience_relax() : (void)sched_yield();
    if (why == SOLITUDE_SEVERAL)
        atomic_fetch_or(&alone->over, SOLITUDE_LONG_OVER);
}

void launch_needs_locks(struct launch_self *self)
{
    solitude_end(&self->alone, SOLITUDE_SEVERAL);
    solitude_end(&self->alone_calling, SOLITUDE_SEVERAL);
}

void launch_thread_arrives(struct launch_self *self)
{
    is_second = true;
    hand_of_thread = launch_take_hand(self);
    pthread_once(&once, hands_make_key);
    pthread_setspecific(at_end, self);
    atomic_store(&hands_notes_of(self)->several, 1);
    launch_needs_locks(self);
}

struct sleep_note *launch_note(struct launch_self *self)
{
    return is_second ? hand_of_thread : &self->world.header->slots[self->env.rank].sleep;
}

struct sleep_note *launch_note_on(struct launch_self *self, const struct bell *bell, bool timed)
{
    struct sleep_note *note = launch_note(self);
    if (note) {
        atomic_store(&note->bell, world_offset(&self->world, bell));
        atomic_store(&note->timed, timed);
    }
    return note;
}

/* Ranks that nobody watches look around themselves, and while one does the others find it awake. Who went to sleep in the same moment must
 * not wake in the same moment for ever: the naps of each rank are of other lengths, from half of what was asked for. */
static int hands_nap(const struct launch_self *self, int milliseconds)
{
    static _Thread_local uint32_t naps;
    if (self->watched)
        return milliseconds;
    uint32_t mixed = (uint32_t)(self->env.rank + 1) * 0x9e3779b1u + ++naps * 0x85ebca77u;
    mixed = (mixed ^ mixed >> 15) * 0x2c1b3c6du;
    return milliseconds - (int)((mixed >> 16) % ((uint32_t)milliseconds / 2 + 1));
}

void launch_listen(struct launch_self *self, struct bell *bell, bool (*news)(void *arg), void *arg,
                   int milliseconds)
{
    bell_listen(bell, news, arg, hands_nap(self, milliseconds), launch_note_on(self, bell, false));
    launch_look_around(self);
}

void launch_sleep(struct launch_self *self, struct bell *bell, bool (*news)(void *arg), void *arg,
                  int milliseconds, bool timed)
{
    bell_sleep(bell, news, arg, hands_nap(self, milliseconds), launch_note_on(self, bell, timed));
    launch_look_around(self);
}
