/* limits_words.c: how long a word takes from one process to another: between two cores, or on the one that both share. */
#define _GNU_SOURCE
#include "limits.h"

#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void meet(void)
{
    uint32_t times = atomic_fetch_add(&shared->here[me][0], 1) + 1;
    while (atomic_load_explicit(&shared->here[1 - me][0], memory_order_acquire) < times)
        ;
}

/* There and back: I write the odd numbers, or the even ones, and wait for the others. */
static void there_and_back(int times, void (*wait_for)(uint32_t turn), void (*tell)(uint32_t turn))
{
    for (int i = 0; i < times; i++, turns_over += 2) {
        wait_for(turns_over + (uint32_t)me);
        tell(turns_over + (uint32_t)me + 1);
    }
    wait_for(turns_over);
}

/* Is it my turn? It may be past: then it was the last, and the other has begun again. */
static void look(uint32_t turn)
{
    while ((int32_t)(atomic_load_explicit(&shared->turn, memory_order_acquire) - turn) < 0)
        ;
}

static void hand_on(uint32_t turn)
{
    atomic_store_explicit(&shared->turn, turn, memory_order_release);
}

void bounce(long bytes, int times, int ranks)
{
    (void)bytes;
    (void)ranks;
    there_and_back(times, look, hand_on);
}

static void look_and_yield(uint32_t turn)
{
    while ((int32_t)(atomic_load_explicit(&shared->turn, memory_order_acquire) - turn) < 0)
        sched_yield();
}

/* For processes on one core: nothing is gained by looking again before the other has run. */
void yield_and_back(long bytes, int times, int ranks)
{
    (void)bytes;
    (void)ranks;
    there_and_back(times, look_and_yield, hand_on);
}

static void futex(int what, uint32_t value)
{
    syscall(SYS_futex, &shared->turn, what, value, NULL, NULL, 0);
}

static void doze(uint32_t turn)
{
    uint32_t seen;
    while ((int32_t)((seen = atomic_load(&shared->turn)) - turn) < 0)
        futex(FUTEX_WAIT, seen);
}

static void hand_on_and_wake(uint32_t turn)
{
    atomic_store(&shared->turn, turn);
    futex(FUTEX_WAKE, 1);
}

void sleep_and_wake(long bytes, int times, int ranks)
{
    (void)bytes;
    (void)ranks;
    there_and_back(times, doze, hand_on_and_wake);
}

/* The smallest all_reduce of two: each writes its number, reads the other's, adds. The other is never two ahead, so nothing is
 * overwritten unread if the letters take turns. */
void swap_letters(long bytes, int times, int ranks)
{
    (void)bytes;
    (void)ranks;
    static uint32_t seq;
    for (int i = 0; i < times; i++) {
        uint64_t letter;
        float value = (float)i, theirs;
        uint32_t bits, slot = ++seq & 1 ? 0 : 1;
        memcpy(&bits, &value, sizeof bits);
        atomic_store_explicit(&shared->letter[me][slot], (uint64_t)seq << 32 | bits, memory_order_release);
        do
            letter = atomic_load_explicit(&shared->letter[1 - me][slot], memory_order_acquire);
        while ((uint32_t)(letter >> 32) != seq);
        bits = (uint32_t)letter;
        memcpy(&theirs, &bits, sizeof theirs);
        if (theirs + value != 2 * value)
            _exit(1);
    }
}
