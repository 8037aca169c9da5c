/*
 * line.c: an event in the words of the Chrome trace format. "ph":"X" is a slice of time on a thread, "s" and "f" are
 * the two ends of an arrow. A rank is shown as process rank + 1, since viewers keep 0 for themselves. Names of
 * arguments with capitals are those of the PyTorch profiler.
 */
#include "line.h"

#include <math.h>
#include <string.h>

#define RANKS_SHOWN 30 /* longer lists are cut as the PyTorch profiler cuts them */

static const char *const dtype_words[DTYPE_COUNT] = {
    [DIST_F32] = "Float", [DIST_F64] = "Double", [DIST_F16] = "Half", [DIST_BF16] = "BFloat16",
    [DIST_I32] = "Int",   [DIST_I64] = "Long",   [DIST_U8] = "Byte",
};

static const char *const collective_words[CALL_COUNT] = {
    [CALL_SEND] = "send",
    [CALL_ISEND] = "send",
    [CALL_RECV] = "recv",
    [CALL_IRECV] = "recv",
    [CALL_BROADCAST] = "broadcast",
    [CALL_REDUCE] = "reduce",
    [CALL_ALL_REDUCE] = "allreduce",
    [CALL_SCATTER] = "scatter",
    [CALL_GATHER] = "gather",
    [CALL_ALL_GATHER] = "allgather",
    [CALL_REDUCE_SCATTER] = "reduce_scatter",
    [CALL_ALL_TO_ALL] = "all_to_all",
    [CALL_BARRIER] = "barrier",
    [CALL_MONITORED_BARRIER] = "barrier",
};

void line_begin(struct writing *w)
{
    fputs(w->begun ? ",\n" : "\n", w->file);
    w->begun = true;
}

void line_begin_name(struct writing *w, const char *what, int thread, const char *key)
{
    line_begin(w);
    fprintf(w->file, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"args\":{\"%s\":", what,
            w->rank + 1, thread, key);
}

static uint32_t line_number_of(const struct writing *w, const struct event *event)
{
    return (uint32_t)(event - w->record->events);
}

static uint32_t line_message_of(const struct writing *w, const struct event *event)
{
    return w->message[w->first[w->rank] + line_number_of(w, event)];
}

/* Microseconds with three digits behind the point, without rounding. */
static void line_write_time(struct writing *w, const char *name, uint64_t time)
{
    fprintf(w->file, ",\"%s\":%llu.%03llu", name, (unsigned long long)time / 1000,
            (unsigned long long)time % 1000);
}

/* So many digits tell one number of the type from the next. */
static void line_write_values(FILE *file, const char *name, enum dist_type type, const double *value,
                              uint32_t count)
{
    int digits = type == DIST_F64 || type == DIST_I32 || type == DIST_I64 ? 17 : 9;
    if (count == 0)
        return;
    fprintf(file, ",\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++) /* JSON has no word for what is not finite */
        fprintf(file, isfinite(value[i]) ? "%s%.*g" : "%snull", i ? "," : "", digits, value[i]);
    putc(']', file);
}

static bool line_receives(const struct event *event)
{
    return event->kind == EVENT_MESSAGE && (event->call == CALL_RECV || event->call == CALL_IRECV);
}

static const char *line_name_of(const struct writing *w, const struct event *event)
{
    if (event->kind == EVENT_SPAN || event->kind == EVENT_STREAM)
        return event->values ? record_at(w->record, event->values) : "span";
    const char *name = call_name((enum call)event->call);
    return strncmp(name, "dist_", 5) == 0 ? name + 5 : name;
}

static void line_write_group(struct writing *w, const struct event *event)
{
    uint32_t note = w->groups[event->group].note;
    const struct group_note *group = note ? record_at(w->record, note) : NULL;
    fprintf(w->file, ",\"Process Group Name\":\"%d\"", group ? group->number : event->group);
    if (!group)
        return;
    fprintf(w->file, ",\"Group size\":%d,\"Process Group Ranks\":\"[", group->size);
    for (int i = 0; i < group->size && i < RANKS_SHOWN; i++)
        fprintf(w->file, "%s%d", i ? ", " : "", group->ranks[i]);
    fputs(group->size > RANKS_SHOWN ? ", ...]\"" : "]\"", w->file);
}

static void line_write_tensors(struct writing *w, const struct event *event)
{
    enum dist_type type = (enum dist_type)event->type;
    size_t size = dtype_size(type);
    int64_t count = event->in > event->out ? event->in : event->out;
    fprintf(w->file, ",\"dtype\":\"%s\",\"In msg nelems\":%lld,\"Out msg nelems\":%lld,\"bytes\":%llu",
            dtype_words[type], (long long)event->in, (long long)event->out, (unsigned long long)count * size);
    if (!event->values)
        return;
    const struct values *values = record_at(w->record, event->values);
    line_write_values(w->file, "in", type, values->value, values->in);
    line_write_values(w->file, "out", type, values->value + values->in, values->out);
}

static void line_write_message(struct writing *w, const struct event *event)
{
    bool taken = line_receives(event);
    int peer = !taken || event->peer >= 0 ? event->peer : event->from; /* -1: from anybody, and nobody came */
    fprintf(w->file, ",\"Src Rank\":%d,\"Dst Rank\":%d,\"tag\":%d", taken ? peer : w->rank,
            taken ? w->rank : peer, event->tag);
    if (line_message_of(w, event))
        fprintf(w->file, ",\"message\":%u", line_message_of(w, event));
}

/* As the PyTorch profiler has them. */
static void line_write_splits(struct writing *w, const struct event *event)
{
    const int64_t *split = record_at(w->record, (uint32_t)event->tag);
    const int64_t size = *split++;
    for (int out = 0; out < 2; out++, split += size) {
        fprintf(w->file, ",\"%s split size\":\"[", out ? "Out" : "In");
        for (int i = 0; i < size && i < RANKS_SHOWN; i++)
            fprintf(w->file, "%s%lld", i ? ", " : "", (long long)split[i]);
        fputs(size > RANKS_SHOWN ? ", ...]\"" : "]\"", w->file);
    }
}

static void line_write_collective(struct writing *w, const struct event *event)
{
    fprintf(w->file, ",\"Seq\":%u", w->groups[event->group].turn++);
    if (event->tag)
        line_write_splits(w, event);
    if (call_has_root((enum call)event->call))
        fprintf(w->file, ",\"root\":%d", event->peer); /* its place in the group */
    if (call_reduces((enum call)event->call))
        fprintf(w->file, ",\"op\":\"%s\"", op_name((enum dist_op)event->op));
}

static void line_write_arguments(struct writing *w, const struct event *event)
{
    if (event->kind == EVENT_STREAM) {
        fprintf(w->file, ",\"args\":{\"stream\":%d", event->peer);
        /* Nobody looked on yet when something was asked for before dist_init_process_group. */
        uint64_t asked = (uint64_t)event->in;
        line_write_time(w, "asked", asked > w->start ? asked - w->start : 0);
        putc('}', w->file);
        return;
    }
    const struct site *site = world_site_at(w->world, w->rank, event->site);
    fputs(",\"args\":{\"at\":", w->file);
    text_put_json(w->file, site->file, strlen(site->file));
    fprintf(w->file, ",\"line\":%d,\"event\":%u", site->line, line_number_of(w, event));
    if (event->kind == EVENT_MESSAGE || event->kind == EVENT_COLLECTIVE) {
        if (collective_words[event->call])
            fprintf(w->file, ",\"Collective name\":\"%s\"", collective_words[event->call]);
        line_write_group(w, event);
        line_write_tensors(w, event);
    }
    if (event->kind == EVENT_MESSAGE)
        line_write_message(w, event);
    if (event->kind == EVENT_COLLECTIVE)
        line_write_collective(w, event);
    if (event->kind == EVENT_WAIT && event->other != TRACE_NONE)
        fprintf(w->file, ",\"started\":%u", event->other);
    if (atomic_load(&event->end) == 0)
        fputs(",\"unfinished\":true", w->file);
    if (event->status != DIST_OK)
        fprintf(w->file, ",\"error\":\"%s\"", dist_error_name((enum dist_error)event->status));
    putc('}', w->file);
}

static uint64_t line_end_of(const struct writing *w, const struct event *event)
{
    uint64_t end = atomic_load(&event->end);
    return end ? end : w->last;
}

/* The arrow leaves where the send began, and ends where the receiver learned that the message was there: at the end of
 * the receive, or of the wait for it. */
static void line_write_arrow(struct writing *w, const struct event *event)
{
    uint32_t message = line_message_of(w, event);
    bool arrives = line_receives(event);
    uint64_t when = event->begin;
    if (arrives && event->call != CALL_RECV && event->other < record_kept(w->record))
        event = &w->record->events[event->other];
    if (arrives)
        when = line_end_of(w, event);
    line_begin(w);
    fprintf(w->file,
            "{\"ph\":\"%s\",\"name\":\"message\",\"cat\":\"message\",\"id\":%u,\"pid\":%d,\"tid\":%d",
            arrives ? "f\",\"bp\":\"e" : "s", message, w->rank + 1, event->thread + 1);
    line_write_time(w, "ts", when - w->start);
    putc('}', w->file);
}

void line_event(struct writing *w, const struct event *event)
{
    static const char *const categories[] = { "", "job", "comm", "comm", "wait", "compute", "stream" };
    if (event->kind == EVENT_JOB && event->call == CALL_NEW_GROUP && event->group > 0)
        w->groups[event->group] = (struct named){ .note = event->values };
    line_begin(w);
    fputs("{\"ph\":\"X\",\"name\":", w->file);
    const char *name = line_name_of(w, event);
    text_put_json(w->file, name, strlen(name));
    fprintf(w->file, ",\"cat\":\"%s\",\"pid\":%d,\"tid\":%d", categories[event->kind], w->rank + 1,
            event->kind == EVENT_STREAM ? LINE_STREAMS + event->peer : event->thread + 1);
    line_write_time(w, "ts", event->begin - w->start);
    line_write_time(w, "dur", line_end_of(w, event) - event->begin);
    line_write_arguments(w, event);
    putc('}', w->file);
    if (line_message_of(w, event))
        line_write_arrow(w, event);
}
