/* record.c: write down what a rank does: an index is taken, the event filled in; no lock, and nothing to wait for. */
#include "record.h"

#include <stdio.h>

#define NOTES_MOST (256u << 10) /* names, and the values of the first some hundred small operations */
/* Bytes of events that are touched before the run: a fresh page costs a microsecond or three, and holds but 64 events. */
#define READY_MOST (4u << 20)
#define READY_ALL (64u << 20) /* the same for all ranks together */
#define PAGE 4096
/* So many places a thread takes at a time, at most: a locked instruction waits for all stores before it, 10 ns and more. First
 * it takes one, then two, then three: a thread that does one collective and ends leaves few unused. */
#define PLACES 16

/* Which of a rank's threads this is, and the places that it has taken and not yet used. */
static _Thread_local struct {
    uint64_t opened;          /* of which record this is said (struct record) */
    uint32_t next, end, many; /* the next place, and how many it takes next time */
    uint8_t thread;
} here;

static _Atomic uint64_t records_opened; /* by this process */

struct record *record_of(const struct world *world, int rank)
{
    const struct world_header *header = world->header;
    return world_at(world, header->trace_offset + (uint64_t)rank * header->trace_bytes);
}

uint32_t record_kept(const struct record *record)
{
    uint32_t count = atomic_load(&record->count);
    return count < record->capacity ? count : record->capacity;
}

struct event *record_next(const struct record *record, const struct event *after)
{
    const struct event *end = record->events + record_kept(record);
    const struct event *next = after ? after + 1 : record->events;
    while (next < end && atomic_load(&next->kind) == EVENT_ABSENT)
        next++;
    return next < end ? (struct event *)next : NULL;
}

static void record_touch(struct record *record, size_t from, size_t bytes)
{
    volatile char *memory = (volatile char *)record + from;
    for (size_t i = 0; i < bytes; i += PAGE)
        memory[i] = 0;
}

bool record_open(struct record *record, uint64_t bytes, int ranks, const char *backend)
{
    size_t ready = READY_ALL / (unsigned)ranks < READY_MOST ? READY_ALL / (unsigned)ranks : READY_MOST;
    if (bytes < 4 * PAGE)
        return false;
    uint64_t notes = bytes / 8 < NOTES_MOST ? bytes / 8 : NOTES_MOST;
    record->notes_room = (uint32_t)notes / 8 * 8;
    record->notes_offset = (uint32_t)(bytes - record->notes_room);
    record->capacity = (uint32_t)((record->notes_offset - sizeof *record) / sizeof(struct event));
    record->opened = atomic_fetch_add(&records_opened, 1) + 1;
    snprintf(record->backend, sizeof record->backend, "%s", backend);
    record_touch(record, sizeof *record, ready < bytes / 2 ? ready : bytes / 2);
    record_touch(record, record->notes_offset, ready < notes ? ready : notes);
    atomic_store(&record->magic, TRACE_MAGIC);
    return true;
}

/* A thread's first event in this record. */
static void record_come_here(struct record *record)
{
    uint32_t thread = atomic_fetch_add(&record->threads, 1);
    here.opened = record->opened;
    here.next = here.end = 0;
    here.many = 1;
    here.thread = (uint8_t)(thread < UINT8_MAX ? thread : UINT8_MAX);
}

/* The thread has used what it took: some more. False: there is no more; this one event is counted as lost. */
static bool record_take_places(struct record *record)
{
    /* Past the end the count goes on, so that it tells how many were lost; it stops long before it could wrap. */
    uint32_t count = atomic_load_explicit(&record->count, memory_order_relaxed);
    if (count >= UINT32_MAX / 2)
        return false;
    uint32_t take;
    do {
        uint32_t left = count < record->capacity ? record->capacity - count : 1; /* one: lost */
        take = left < here.many ? left : here.many;
    } while (!atomic_compare_exchange_weak_explicit(&record->count, &count, count + take,
                                                    memory_order_relaxed, memory_order_relaxed));
    if (count >= record->capacity)
        return false;
    here.next = count;
    here.end = count + take;
    here.many += here.many < PLACES;
    return true;
}

/* The next event's place; NULL: lost. */
static struct event *record_take_place(struct record *record, uint32_t *index)
{
    *index = TRACE_NONE;
    if (here.opened != record->opened)
        record_come_here(record);
    if (here.next == here.end && !record_take_places(record))
        return NULL;
    *index = here.next++;
    return &record->events[*index];
}

/* All else is there: whoever sees the kind sees that. */
static void record_set_out(struct event *event, uint8_t kind, uint64_t begin)
{
    event->thread = here.thread;
    event->begin = begin ? begin : (uint64_t)launch_clock_ns();
    atomic_store_explicit(&event->kind, kind, memory_order_release);
}

uint32_t record_begin(struct record *record, struct event as)
{
    uint32_t index;
    struct event *event = record_take_place(record, &index);
    if (event) {
        uint8_t kind = as.kind;
        atomic_init(&as.kind, EVENT_ABSENT);
        *event = as;
        record_set_out(event, kind, as.begin);
    }
    return index;
}

/* Field by field, where it shall stay: an event that is first put together on the stack is copied by loads wider than the stores
 * just before them, for which a processor waits 10 ns. */
void record_begin_op(struct record *record, enum event_kind kind, enum call call, struct dist_work *op)
{
    struct event *event = record_take_place(record, &op->traced);
    if (!event)
        return;
    event->call = (uint8_t)call;
    event->type = (uint8_t)op->type;
    event->op = (uint8_t)op->op;
    event->group = (uint16_t)op->group->id;
    event->peer = op->peer;
    event->from = -1;
    event->tag = op->tag;
    event->site = op->site;
    event->other = TRACE_NONE;
    event->in = op->in.count;
    event->out = op->out.count;
    record_set_out(event, (uint8_t)kind, 0);
}

void record_end(struct record *record, uint32_t index)
{
    if (index != TRACE_NONE)
        atomic_store_explicit(&record->events[index].end, (uint64_t)launch_clock_ns(), memory_order_release);
}
