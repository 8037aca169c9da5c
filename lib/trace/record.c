/* record.c: write down what a rank does: an index is taken, the event filled in; no lock, and nothing to wait for. */
#define _GNU_SOURCE
#include "record.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define NOTES_MOST (256u << 10) /* names, and the values of the first some hundred small operations */
#define READY_MOST \
    (1u << 20) /* bytes of events that are touched before the run: a fresh page costs microseconds */
#define READY_ALL (64u << 20) /* the same for all ranks together */
#define PAGE 4096

/* Which of a rank's threads this is. */
static _Thread_local struct {
    const struct record *record;
    uint8_t lane;
} here;

uint64_t record_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct record *record_of(const struct world *world, int rank)
{
    const struct world_header *header = world->header;
    return world_at(world, header->trace_offset + (uint64_t)rank * header->trace_bytes);
}

uint32_t record_kept(const struct record *record, uint64_t *lost)
{
    uint32_t count = atomic_load(&record->count);
    if (lost)
        *lost = count > record->room ? count - record->room : 0;
    return count < record->room ? count : record->room;
}

static void touch(struct record *record, size_t from, size_t bytes)
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
    record->room = (uint32_t)((record->notes_offset - sizeof *record) / sizeof(struct event));
    snprintf(record->backend, sizeof record->backend, "%s", backend);
    touch(record, sizeof *record, ready < bytes / 2 ? ready : bytes / 2);
    touch(record, record->notes_offset, ready < notes ? ready : notes);
    atomic_store(&record->magic, TRACE_MAGIC);
    return true;
}

static uint8_t own_lane(struct record *record)
{
    if (here.record != record) {
        uint32_t lane = atomic_fetch_add(&record->lanes, 1);
        here.record = record;
        here.lane = (uint8_t)(lane < UINT8_MAX ? lane : UINT8_MAX);
    }
    return here.lane;
}

/* The next event's place; NULL: lost. */
static struct event *take_place(struct record *record, uint32_t *index)
{
    *index = TRACE_NONE;
    /* Past the end the count goes on, so that it tells how many were lost; it stops long before it could wrap. */
    if (atomic_load_explicit(&record->count, memory_order_relaxed) >= UINT32_MAX / 2)
        return NULL;
    uint32_t next = atomic_fetch_add_explicit(&record->count, 1, memory_order_relaxed);
    if (next >= record->room)
        return NULL;
    *index = next;
    return &record->events[next];
}

/* All else is there: whoever sees the kind sees that. */
static void set_out(struct record *record, struct event *event, uint8_t kind)
{
    event->lane = own_lane(record);
    event->begin = record_clock();
    atomic_store_explicit(&event->kind, kind, memory_order_release);
}

uint32_t record_begin(struct record *record, struct event as)
{
    uint32_t index;
    struct event *event = take_place(record, &index);
    if (event) {
        uint8_t kind = as.kind;
        atomic_init(&as.kind, EVENT_ABSENT);
        *event = as;
        set_out(record, event, kind);
    }
    return index;
}

/* Field by field, where it shall stay: an event that is first put together on the stack is copied by loads wider than the stores
 * just before them, for which a processor waits 10 ns. */
uint32_t record_begin_op(struct record *record, enum event_kind kind, enum call call,
                         const struct dist_work *op)
{
    uint32_t index;
    struct event *event = take_place(record, &index);
    if (!event)
        return index;
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
    set_out(record, event, (uint8_t)kind);
    return index;
}

void record_end(struct record *record, uint32_t index)
{
    if (index != TRACE_NONE)
        atomic_store_explicit(&record->events[index].end, record_clock(), memory_order_release);
}

/* ---- notes ----------------------------------------------------------------------- */

uint32_t record_note(struct record *record, size_t bytes)
{
    bytes = (bytes + 7) / 8 * 8;
    if (bytes > record->notes_room ||
        atomic_load_explicit(&record->notes, memory_order_relaxed) > record->notes_room - bytes)
        return 0;
    uint32_t from = atomic_fetch_add_explicit(&record->notes, (uint32_t)bytes, memory_order_relaxed);
    return from + bytes <= record->notes_room ? record->notes_offset + from : 0;
}

uint32_t record_text(struct record *record, const char *text)
{
    size_t bytes = strlen(text) + 1;
    uint32_t note = record_note(record, bytes);
    if (note)
        memcpy(record_at(record, note), text, bytes);
    return note;
}

void record_group(struct record *record, const struct dist_group *group)
{
    size_t ranks = (size_t)group->size * sizeof(int32_t);
    uint32_t note = record_note(record, sizeof(struct group_note) + ranks);
    if (!note)
        return;
    struct group_note *kept = record_at(record, note);
    kept->id = group->id;
    kept->size = group->size;
    memcpy(kept->ranks, group->ranks, ranks);
    kept->next = atomic_load(&record->groups);
    atomic_store(&record->groups, note);
}

/* ---- streams -------------------------------------------------------------------------- */

#define NAMES 64 /* that a thread remembers */

/* Names that were kept before: loops use the same ones again. */
static _Thread_local struct {
    const struct record *record;
    uint32_t note;
} names[NAMES];

uint32_t record_name(struct record *record, const char *name)
{
    uint32_t hash = 2166136261u;
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    size_t i = (hash >> 16) % NAMES;
    bool known = names[i].record == record && names[i].note != 0;
    if (!known || strcmp(record_at(record, names[i].note), name) != 0) {
        names[i].record = record;
        names[i].note = record_text(record, name);
    }
    return names[i].note;
}

void record_slice(struct record *record, int stream, const char *what, int64_t begin, int64_t end)
{
    struct event as = { .peer = stream, .from = -1, .other = TRACE_NONE };
    uint32_t index = atomic_fetch_add_explicit(&record->count, 1, memory_order_relaxed);
    if (index >= record->room)
        return;
    as.values = record_name(record, what);
    as.begin = (uint64_t)begin;
    atomic_init(&as.end, (uint64_t)end);
    record->events[index] = as;
    atomic_store_explicit(&record->events[index].kind, EVENT_STREAM, memory_order_release);
}

/* ---- values ---------------------------------------------------------------------- */

static int64_t small_count(int64_t count)
{
    return count > TRACE_VALUES ? 0 : count;
}

void record_before(struct record *record, uint32_t index, const struct dist_work *op)
{
    int64_t in = small_count(op->in.count), out = small_count(op->out.count);
    if (index == TRACE_NONE || in + out == 0)
        return;
    uint32_t note = record_note(record, sizeof(struct values) + (size_t)(in + out) * sizeof(double));
    if (!note)
        return;
    struct values *values = record_at(record, note);
    values->in = (uint32_t)in;
    dtype_load_many(op->type, op->in.data, in, values->value);
    record->events[index].values = note;
}

void record_after(struct record *record, uint32_t index, const struct dist_work *op)
{
    if (index == TRACE_NONE)
        return;
    struct event *event = &record->events[index];
    event->status = (uint8_t)op->status;
    event->from = op->from;
    int64_t out = small_count(op->out.count);
    if (!event->values || out == 0 || op->status != DIST_OK)
        return;
    struct values *values = record_at(record, event->values);
    dtype_load_many(op->type, op->out.data, out, values->value + values->in);
    values->out = (uint32_t)out;
}
