/*
 * test_record.c: a rank's list of events, alone: places that threads take some at a time, what is lost, and a list that
 * lies where another one lay.
 */
#include "trace/record.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

#define BYTES (64u << 10)
#define THREADS 4
#define FEW 18
#define EACH 100 /* no multiple of what a thread takes at a time */

static alignas(WORLD_LINE) unsigned char memory[BYTES];

static struct record *opened(void)
{
    struct record *record = (struct record *)memory;
    memset(memory, 0, sizeof memory);
    cr_assert(record_open(record, sizeof memory, 1, "test"));
    return record;
}

static uint32_t begin(struct record *record, int tag)
{
    return record_begin(record, (struct event){ .kind = EVENT_SPAN, .tag = tag });
}

static int written(const struct record *record)
{
    int count = 0;
    uint32_t kept = record_kept(record);
    for (uint32_t i = 0; i < kept; i++)
        count += atomic_load(&record->events[i].kind) != EVENT_ABSENT;
    return count;
}

static uint32_t lost(const struct record *record)
{
    return atomic_load(&record->count) - record_kept(record);
}

Test(record, keeps_what_has_room_and_counts_the_rest)
{
    struct record *record = opened();
    for (uint32_t i = 0; i < record->capacity; i++)
        cr_assert(begin(record, (int)i) == i, "event %u", i);
    cr_expect(lost(record) == 0 && written(record) == (int)record->capacity, "%d of %u are there",
              written(record), record->capacity);
    for (int i = 0; i < 3; i++)
        cr_expect(begin(record, i) == TRACE_NONE);
    cr_expect(lost(record) == 3 && written(record) == (int)record->capacity, "%u lost", lost(record));
}

/* The places that this thread had taken of the first list are none of the second. */
Test(record, begins_anew_where_another_lay)
{
    struct record *record = opened();
    cr_assert(begin(record, 1) == 0);
    record = opened();
    cr_expect(written(record) == 0);
    cr_expect(begin(record, 2) == 0 && begin(record, 3) == 1 && written(record) == 2);
    cr_expect(atomic_load(&record->threads) == 1);
}

struct job {
    struct record *record;
    int count;
};

static void *run(void *arg)
{
    const struct job *job = arg;
    for (int i = 0; i < job->count; i++)
        begin(job->record, i);
    return NULL;
}

Test(record, gives_each_place_once)
{
    struct record *record = opened();
    struct job job = { record, EACH };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        cr_assert(pthread_create(&threads[i], NULL, run, &job) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    int next[THREADS] = { 0 };
    uint32_t kept = record_kept(record);
    for (uint32_t i = 0; i < kept; i++) {
        const struct event *event = &record->events[i];
        if (atomic_load(&event->kind) == EVENT_ABSENT)
            continue;
        cr_assert(event->thread < THREADS, "thread %d", event->thread);
        cr_assert(event->tag == next[event->thread]++, "place %u: %d", i, event->tag);
    }
    for (int i = 0; i < THREADS; i++)
        cr_expect(next[i] == EACH, "lane %d: %d events", i, next[i]);
}

/* A collective in the background has a thread of its own: what such a thread leaves unused is lost for all. */
Test(record, leaves_little_unused)
{
    struct record *record = opened();
    struct job job = { record, FEW };
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        cr_assert(pthread_create(&thread, NULL, run, &job) == 0);
        pthread_join(thread, NULL);
    }
    cr_expect(written(record) == 3 * FEW);
    uint32_t kept = record_kept(record);
    cr_expect(kept <= 3 * (FEW + FEW / 4), "%u places for %d events", kept, 3 * FEW);
}
