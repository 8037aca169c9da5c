/* notes.c: what of an event does not fit into its 64 bytes: names, groups, the values of small tensors. */
#include "record.h"

#include <string.h>

/* Memory among the notes; 0: full. Multiples of 8. */
static uint32_t notes_take(struct record *record, size_t bytes)
{
    bytes = (bytes + 7) / 8 * 8;
    if (bytes > record->notes_room ||
        atomic_load_explicit(&record->notes, memory_order_relaxed) > record->notes_room - bytes)
        return 0;
    uint32_t from = atomic_fetch_add_explicit(&record->notes, (uint32_t)bytes, memory_order_relaxed);
    return from + bytes <= record->notes_room ? record->notes_offset + from : 0;
}

uint32_t record_group(struct record *record, const struct dist_group *group)
{
    size_t ranks = (size_t)group->size * sizeof(int32_t);
    uint32_t note = notes_take(record, sizeof(struct group_note) + ranks);
    if (!note)
        return 0;
    struct group_note *kept = record_at(record, note);
    kept->number = group->number;
    kept->size = group->size;
    memcpy(kept->ranks, group->ranks, ranks);
    return note;
}

/* How many members, then both lists. */
void record_splits(struct record *record, const struct dist_work *op)
{
    int64_t size = op->group->size;
    size_t bytes = 2 * (size_t)size * sizeof size;
    uint32_t note = op->traced == TRACE_NONE ? 0 : notes_take(record, sizeof size + bytes);
    if (!note || note > INT32_MAX)
        return;
    int64_t *kept = record_at(record, note);
    *kept = size;
    memcpy(kept + 1, op->splits, bytes);
    record->events[op->traced].tag = (int32_t)note;
}

#define NAMES 64 /* that a thread remembers */

/* Names that were kept before: loops use the same ones again. */
static _Thread_local struct {
    uint64_t opened; /* in which record */
    uint32_t note;
} names[NAMES];

uint32_t record_name(struct record *record, const char *name)
{
    uint32_t hash = 2166136261u;
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    size_t i = (hash >> 16) % NAMES;
    bool known = names[i].opened == record->opened && names[i].note != 0;
    if (!known || strcmp(record_at(record, names[i].note), name) != 0) {
        names[i].opened = record->opened;
        names[i].note = notes_take(record, strlen(name) + 1);
        if (names[i].note)
            strcpy(record_at(record, names[i].note), name);
    }
    return names[i].note;
}

/* ---- values ---------------------------------------------------------------------- */

static int64_t notes_small_count(int64_t count)
{
    return count > TRACE_VALUES ? 0 : count;
}

void record_before(struct record *record, const struct dist_work *op)
{
    int64_t in = notes_small_count(op->in.count), out = notes_small_count(op->out.count);
    if (op->traced == TRACE_NONE || in + out == 0)
        return;
    uint32_t note = notes_take(record, sizeof(struct values) + (size_t)(in + out) * sizeof(double));
    if (!note)
        return;
    struct values *values = record_at(record, note);
    values->in = (uint32_t)in;
    dtype_load_many(op->type, op->in.data, in, values->value);
    record->events[op->traced].values = note;
}

void record_after(struct record *record, const struct dist_work *op)
{
    if (op->traced == TRACE_NONE)
        return;
    struct event *event = &record->events[op->traced];
    event->status = (uint8_t)op->status;
    event->from = op->from;
    int64_t out = notes_small_count(op->out.count);
    if (!event->values || out == 0 || op->status != DIST_OK)
        return;
    struct values *values = record_at(record, event->values);
    dtype_load_many(op->type, op->out.data, out, values->value + values->in);
    values->out = (uint32_t)out;
}
