/* write.c: what all ranks remember, as one file; and which of their sends belongs to which receive. */
#include "line.h"
#include "trace.h"
#include "../launch/whole.h"
#include "../pairing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void write_find_start(struct writing *w)
{
    w->start = UINT64_MAX;
    for (int rank = 0; rank < w->world->header->size; rank++) {
        const struct record *record = record_of(w->world, rank);
        for (const struct event *event = NULL; (event = record_next(record, event));)
            w->start = event->begin < w->start ? event->begin : w->start;
    }
}

/* ---- which receive took which send: the arrows (pairing.h) ----------------------------------------- */

/* False: no message, or nobody knows who sent it. */
static bool write_half_of(const struct record *record, int rank, const struct event *event, struct half *half)
{
    bool receives = event->call == CALL_RECV || event->call == CALL_IRECV;
    int peer = receives && event->from >= 0 ? event->from : event->peer;
    *half = (struct half){ .src = receives ? peer : rank,
                           .dst = receives ? rank : peer,
                           .group = event->group,
                           .tag = (uint32_t)event->tag + (1u << 31), /* the least tag comes first */
                           .receives = receives,
                           .rank = rank,
                           .begin = event->begin, /* the places of several threads lie in no order of time */
                           .entry = (uint32_t)(event - record->events) };
    return event->kind == EVENT_MESSAGE && peer >= 0;
}

/* Gives where the next channel begins. */
static size_t write_join_channel(struct writing *w, uint32_t *messages, const struct half *halves,
                                 size_t from, size_t count)
{
    size_t receives, end = half_channel_end(halves, count, from, &receives);
    for (size_t send = from, receive = receives; send < receives && receive < end; send++, receive++) {
        w->message[w->first[halves[send].rank] + halves[send].entry] = ++*messages;
        w->message[w->first[halves[receive].rank] + halves[receive].entry] = *messages;
    }
    return end;
}

/* False: no memory. */
static bool write_find_pairs(struct writing *w)
{
    struct half *halves = malloc((w->events + 1) * sizeof *halves);
    uint32_t messages = 0;
    size_t count = 0;
    if (!halves)
        return false;
    for (int rank = 0; rank < w->world->header->size; rank++) {
        const struct record *record = record_of(w->world, rank);
        for (const struct event *event = NULL; (event = record_next(record, event));)
            count += write_half_of(record, rank, event, &halves[count]);
    }
    qsort(halves, count, sizeof *halves, half_compare);
    for (size_t from = 0; from < count;)
        from = write_join_channel(w, &messages, halves, from, count);
    free(halves);
    return true;
}

/* ---- the file ----------------------------------------------------------------------------------------- */

static void write_names(struct writing *w)
{
    uint32_t threads = atomic_load(&w->record->threads);
    line_begin_name(w, "process_name", 1, "name");
    fprintf(w->file, "\"rank %d\"}}", w->rank);
    line_begin_name(w, "process_sort_index", 1, "sort_index");
    fprintf(w->file, "%d}}", w->rank);
    if (w->nodes)
        hosts_write_label(w);
    for (uint32_t thread = 0; thread < (threads ? threads : 1); thread++) {
        line_begin_name(w, "thread_name", (int)thread + 1, "name");
        fprintf(w->file, thread ? "\"thread %u\"}}" : "\"main\"}}", thread);
    }
}

/* The streams that were busy with something. */
static void write_stream_names(struct writing *w)
{
    bool named[NOTE_STREAMS] = { false };
    for (const struct event *event = NULL; (event = record_next(w->record, event));) {
        if (event->kind != EVENT_STREAM || event->peer >= NOTE_STREAMS - 1 || named[event->peer + 1])
            continue;
        named[event->peer + 1] = true;
        line_begin_name(w, "thread_name", LINE_STREAMS + event->peer, "name");
        fprintf(w->file, event->peer < 0 ? "\"communication\"}}" : "\"stream %d\"}}", event->peer);
    }
}

static int write_by_time(const void *left, const void *right)
{
    const struct event *a = *(const struct event *const *)left, *b = *(const struct event *const *)right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* The rank's events in the order in which they began, so that its collectives are numbered in that order; and when the last was noted. */
static uint32_t write_put_in_order(struct writing *w)
{
    uint32_t count = 0;
    w->last = 0;
    for (const struct event *event = NULL; (event = record_next(w->record, event));) {
        uint64_t end = atomic_load(&event->end), late = end > event->begin ? end : event->begin;
        w->last = late > w->last ? late : w->last;
        w->order[count++] = event;
    }
    qsort(w->order, count, sizeof *w->order, write_by_time);
    return count;
}

static void write_rank(struct writing *w, int rank)
{
    w->rank = rank;
    w->record = record_of(w->world, rank);
    if (atomic_load(&w->record->magic) != TRACE_MAGIC)
        return;
    write_names(w);
    write_stream_names(w);
    memset(w->groups, 0, WORLD_GROUPS * sizeof *w->groups);
    w->groups[0].note = w->record->world;
    for (uint32_t i = 0, count = write_put_in_order(w); i < count; i++)
        line_event(w, w->order[i]);
}

static void write_all(struct writing *w)
{
    int size = w->world->header->size;
    uint64_t lost = 0;
    const char *backend = "";
    for (int rank = 0; rank < size; rank++) {
        const struct record *record = record_of(w->world, rank);
        lost += atomic_load(&record->count) - record_kept(record);
        if (atomic_load(&record->magic) == TRACE_MAGIC)
            backend = record->backend;
    }
    fprintf(w->file,
            "{\"schemaVersion\":1,\"displayTimeUnit\":\"ns\",\n"
            "\"distributedInfo\":{\"backend\":\"%s\",\"world_size\":%d},\"lostEvents\":%llu,\n",
            backend, size, (unsigned long long)lost);
    if (w->nodes)
        hosts_write(w);
    fputs("\"traceEvents\":[", w->file);
    for (int rank = 0; rank < size; rank++)
        write_rank(w, rank);
    fputs("\n]}\n", w->file);
}

/* All that has to be remembered meanwhile. False: no memory. */
static bool write_prepare(struct writing *w)
{
    int size = w->world->header->size;
    uint32_t most = 1;
    w->first = calloc((size_t)size, sizeof *w->first);
    for (int rank = 0; w->first && rank < size; rank++) {
        uint32_t kept = record_kept(record_of(w->world, rank));
        w->first[rank] = w->events;
        w->events += kept;
        most = kept > most ? kept : most;
    }
    w->message = calloc(w->events + 1, sizeof *w->message);
    w->groups = calloc(WORLD_GROUPS, sizeof *w->groups);
    w->order = calloc(most, sizeof *w->order);
    return w->first && w->message && w->groups && w->order && write_find_pairs(w);
}

int trace_write(const struct world *world, const struct nodes *nodes, struct why *why)
{
    const char *file = setting_text("DIST_TRACE");
    if (!file)
        return DIST_OK;
    int status = DIST_OK;
    struct whole whole;
    struct writing w = { .world = world, .nodes = nodes };
    if (!write_prepare(&w)) {
        status =
            why_fail(DIST_ERR_MEMORY, why, "DIST_TRACE: the system gives no memory for writing %s", file);
    } else {
        w.file = whole_open(&whole, file);
        if (w.file) {
            void *language = text_use_point();
            hosts_bring_together(world, nodes);
            write_find_start(&w);
            write_all(&w);
            text_use_language(language);
        }
        if (!whole_close(&whole, true))
            status = why_fail(DIST_ERR_ENVIRONMENT, why, "DIST_TRACE names %s, which cannot be written: %s",
                              file, strerror(errno));
    }
    free(w.first);
    free(w.message);
    free(w.groups);
    free(w.order);
    return status;
}
