#include "trace_file.h"
#include "../diagrams/json.h"
#include "trace/line.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS 200000
#define RANKS 1024

/* One slice or one end of an arrow; times in nanoseconds. */
struct part {
    char kind; /* 'X', 's' or 'f' */
    long long pid, tid, begin, end, id, event;
    double value; /* a message's elements, added up with weights; 0 where the trace has none */
    int order;    /* in the file: what contains comes before what is inside */
};

struct parts {
    struct part *part;
    int count;
    long long slack;             /* of two machines' clocks, as the file says */
    long long latest[RANKS + 1]; /* by pid: when its last slice in the file began */
    struct trace_counts *counts;
    char *why;
    size_t why_size;
};

static bool wrong(struct parts *parts, const char *what, const struct part *part)
{
    snprintf(parts->why, parts->why_size, "%s (pid %lld, tid %lld, at %lld ns, id %lld)", what,
             part ? part->pid : 0, part ? part->tid : 0, part ? part->begin : 0, part ? part->id : 0);
    return false;
}

static long long nanoseconds(const struct value *event, const char *name)
{
    const struct value *member = value_member(event, name);
    return member && member->kind == VALUE_NUMBER ? (long long)(member->number * 1000 + 0.5) : -1;
}

static double fingerprint(const struct value *list)
{
    double sum = 0;
    int i = 1;
    for (const struct value *item = list ? list->first : NULL; item; item = item->next)
        sum += item->number * i++;
    return sum;
}

static void count_slice(struct parts *parts, const struct value *event, const struct value *args,
                        struct part *part)
{
    const char *category = value_text(event, "cat", "");
    struct trace_counts *counts = parts->counts;
    bool message = strcmp(category, "comm") == 0 && value_member(args, "tag");
    counts->slices++;
    counts->spans += strcmp(category, "compute") == 0;
    counts->waits += strcmp(category, "wait") == 0;
    counts->unfinished += value_member(args, "unfinished") != NULL;
    part->id = value_whole(args, "message", 1, 1 << 30, 0);
    counts->alone += message && part->id == 0;
    if (message)
        part->value = fingerprint(value_member(args, value_member(args, "in") ? "in" : "out"));
}

/* The names of the PyTorch profiler, on everything that communicates. */
static bool has_names(const struct value *event, const struct value *args)
{
    static const char *const names[] = { "Collective name",    "dtype",      "In msg nelems",
                                         "Out msg nelems",     "Group size", "Process Group Name",
                                         "Process Group Ranks" };
    if (strcmp(value_text(event, "cat", ""), "comm") != 0)
        return true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!value_member(args, names[i]))
            return false;
    return value_member(args, "Seq") || (value_member(args, "Src Rank") && value_member(args, "Dst Rank"));
}

/* Whatever a wait waits for has begun before it: and so stands before it in the file. */
static bool waits_for_what_began(const struct parts *parts, const struct part *wait, const struct value *args)
{
    long long started = value_whole(args, "started", 0, 1 << 30, -1);
    bool found = started < 0 || parts->counts->lost > 0;
    for (int i = parts->count - 1; i >= 0 && !found; i--)
        found = parts->part[i].pid == wait->pid && parts->part[i].event == started;
    return found;
}

/* A thread of the rank, or what its GPU is busy with; -1: neither. */
static int lane_of(const struct value *event)
{
    int communication = LINE_STREAMS - 1, streams = NOTE_STREAMS - 1;
    int thread = (int)value_whole(event, "tid", 1, 256, -1);
    return thread > 0 ? thread : (int)value_whole(event, "tid", communication, communication + streams, -1);
}

static bool read_event(struct parts *parts, const struct value *event)
{
    const char *kind = value_text(event, "ph", "?");
    const struct value *args = value_member(event, "args");
    if (strcmp(kind, "M") == 0)
        return value_member(args, "name") || value_member(args, "labels") ||
               value_member(args, "sort_index") || wrong(parts, "no name", NULL);
    struct part part = { .kind = kind[0],
                         .pid = value_whole(event, "pid", 1, RANKS, -1),
                         .tid = lane_of(event),
                         .begin = nanoseconds(event, "ts"),
                         .id = value_whole(event, "id", 0, 1 << 30, 0),
                         .event = value_whole(args, "event", 0, 1 << 30, -1),
                         .order = parts->count };
    if (part.pid < 0 || part.tid < 0 || part.begin < 0 || !strchr("Xsf", kind[0]) || parts->count == EVENTS)
        return wrong(parts, "an event without ph, pid, tid or ts", &part);
    part.end = part.begin;
    if (part.kind == 'X') {
        long long length = nanoseconds(event, "dur");
        part.end += length;
        if (length < 0 || !has_names(event, args))
            return wrong(parts, "a slice without dur or without the names that it needs", &part);
        if (part.begin < parts->latest[part.pid])
            return wrong(parts, "a slice behind one of its rank that began later", &part);
        if (!waits_for_what_began(parts, &part, args))
            return wrong(parts, "a wait that began before what it waits for", &part);
        parts->latest[part.pid] = part.begin;
        count_slice(parts, event, args, &part);
    }
    parts->part[parts->count++] = part;
    return true;
}

static void read_hosts(struct parts *parts, const struct value *hosts)
{
    for (const struct value *host = hosts->first; host; host = host->next) {
        long long error = value_whole(host, "clock_error_ns", 0, LLONG_MAX / 4, 0);
        parts->slack = 2 * error > parts->slack ? 2 * error : parts->slack;
    }
}

static bool read_file(struct parts *parts, const char *path)
{
    struct json json;
    const char *name;
    bool good = json_open(&json, path) && json_enter(&json, '{');
    while (good && json_member(&json, &name)) {
        bool events = strcmp(name, "traceEvents") == 0, lost = strcmp(name, "lostEvents") == 0;
        if (events)
            json_enter(&json, '[');
        while (good && events && json_item(&json)) {
            const struct value *event = json_value(&json);
            good = event && read_event(parts, event);
            json_forget(&json);
        }
        const struct value *value = events ? NULL : json_value(&json);
        if (value && strcmp(name, "hosts") == 0)
            read_hosts(parts, value);
        if (lost && value)
            parts->counts->lost = (long long)value->number;
    }
    good = good && json_ends(&json);
    if (json.why[0])
        snprintf(parts->why, parts->why_size, "%s", json.why);
    json_close(&json);
    return good;
}

/* By thread, then by time; a longer slice before what it contains, and an arrow behind the slices that it touches. */
static int by_thread(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    if (a->tid != b->tid)
        return a->tid < b->tid ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static bool nests(struct parts *parts)
{
    const struct part *open[64];
    int depth = 0;
    qsort(parts->part, (size_t)parts->count, sizeof *parts->part, by_thread);
    for (int i = 0; i < parts->count; i++) {
        const struct part *part = &parts->part[i];
        bool slice = part->kind == 'X';
        while (depth > 0 &&
               (open[depth - 1]->pid != part->pid || open[depth - 1]->tid != part->tid ||
                open[depth - 1]->end < part->begin || (slice && open[depth - 1]->end == part->begin)))
            depth--;
        if (!slice && depth == 0)
            return wrong(parts, "an arrow outside all slices", part);
        if (slice && depth > 0 && open[depth - 1]->end < part->end)
            return wrong(parts, "a slice that ends after the one around it", part);
        if (slice && depth < 64)
            open[depth++] = part;
    }
    return true;
}

static int by_id(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return a->kind != b->kind ? (a->kind < b->kind ? 1 : -1) : 0; /* s, f, X, X */
}

static bool pairs(struct parts *parts)
{
    qsort(parts->part, (size_t)parts->count, sizeof *parts->part, by_id);
    for (int i = 0; i < parts->count; i++) {
        const struct part *p = &parts->part[i];
        if (p->id == 0)
            continue;
        if (i + 3 >= parts->count || p[0].kind != 's' || p[1].kind != 'f' || p[2].kind != 'X' ||
            p[3].kind != 'X' || p[3].id != p->id || (i + 4 < parts->count && p[4].id == p->id))
            return wrong(parts, "an arrow that has not one start and one end, or not two slices", p);
        if (p[1].begin + parts->slack < p[0].begin)
            return wrong(parts, "an arrow that ends before it starts", p);
        if (p[2].value != p[3].value)
            return wrong(parts, "a message that is not what was sent", p);
        parts->counts->messages++;
        i += 3;
    }
    return true;
}

bool trace_judge(const char *path, struct trace_counts *counts, char *why, size_t why_size)
{
    struct parts parts = { .counts = counts, .why = why, .why_size = why_size };
    *counts = (struct trace_counts){ 0 };
    parts.part = calloc(EVENTS, sizeof *parts.part);
    bool good = parts.part && read_file(&parts, path) && nests(&parts) && pairs(&parts);
    long long first = LLONG_MAX;
    for (int i = 0; i < parts.count; i++)
        first = parts.part[i].begin < first ? parts.part[i].begin : first;
    if (good && first != 0)
        good = wrong(&parts, "time does not begin with the first slice", NULL);
    free(parts.part);
    return good;
}
