/*
 * test_bell.c: does a light ringer ever miss a sleeper?
 *
 * One thread goes to sleep while another brings it news with a release store and rings lightly, thousands of times, as
 * close together as can be: the news then often stands in the ringer's store buffer while it looks for sleepers. Without the
 * sleeper's first nap (bell.h) thousands of wake-ups are lost, and each such sleep ends only by its time. (A few may be: a
 * machine that stops a ringer for the length of a sleep, between ringing and saying so, looks the same.)
 */
#include "launch/bell.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>

#define ROUNDS 40000
#define JITTER 1024
#define LETTERS 8
#define SLEEP_MS 10
#define FEW 4

struct letter {
    alignas(64) _Atomic uint32_t text;
};

struct meeting {
    alignas(64) struct bell bell;
    alignas(64) _Atomic uint32_t news;
    alignas(64) _Atomic uint32_t round; /* that has begun; the sleeper's */
    alignas(64) _Atomic uint32_t rung;  /* that the ringer has done */
    struct letter
        letters[LETTERS]; /* written before the news: store buffers empty in order, so it waits for them */
    uint32_t awaited;
    bool saw;
};

static void wait_for(_Atomic uint32_t *word, uint32_t value)
{
    for (unsigned looks = 1; atomic_load(word) != value; looks++)
        if (looks % 1000 == 0)
            sched_yield();
}

/* A few moments, up to some hundred nanoseconds, so that all orders come about. */
static void jitter(uint32_t *dice)
{
    *dice = *dice * 1664525u + 1013904223u;
    for (uint32_t i = *dice >> 16 & (JITTER - 1); i > 0; i--)
        atomic_signal_fence(memory_order_seq_cst);
}

/* Both write them in turn, so that each time they have to come from the other's cache. */
static void write_letters(struct meeting *m, uint32_t round)
{
    for (int i = 0; i < LETTERS; i++)
        atomic_store_explicit(&m->letters[i].text, round, memory_order_relaxed);
}

static void *ring_always(void *argument)
{
    struct meeting *m = argument;
    uint32_t dice = 1;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        wait_for(&m->round, round);
        (void)atomic_load_explicit(&m->bell.sleepers,
                                   memory_order_relaxed); /* the line is near: the look is quick */
        jitter(&dice);
        write_letters(m, round);
        atomic_store_explicit(&m->news, round, memory_order_release);
        bell_ring_lightly(&m->bell);
        atomic_store(&m->rung, round);
    }
    return NULL;
}

static bool news(void *argument)
{
    struct meeting *m = argument;
    return m->saw = atomic_load(&m->news) == m->awaited;
}

/* False: the news was there, the ringer through, and nobody woke us. */
static bool sleep_once(struct meeting *m, uint32_t round, uint32_t *dice)
{
    uint32_t before = atomic_load(&m->bell.rings);
    m->awaited = round;
    write_letters(m, 0);
    atomic_store(&m->round, round);
    jitter(dice);
    bell_sleep(&m->bell, news, m, SLEEP_MS, NULL);
    bool lost = !m->saw && atomic_load(&m->rung) == round && atomic_load(&m->bell.rings) == before;
    wait_for(&m->rung, round);
    return !lost;
}

Test(bell, light_ringers_miss_no_sleeper, .timeout = 60)
{
    static struct meeting m;
    pthread_t ringer;
    uint32_t dice = 2;
    int lost = 0;
    cr_assert(pthread_create(&ringer, NULL, ring_always, &m) == 0);
    for (uint32_t round = 1; round <= ROUNDS; round++)
        lost += !sleep_once(&m, round, &dice);
    pthread_join(ringer, NULL);
    cr_assert(lost <= FEW, "%d wake-ups of %d were lost", lost, ROUNDS);
}
