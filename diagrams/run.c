/* run.c: reads a trace, event by event. What belongs together is found afterwards, in run_link.c. */
#include "run.h"
#include "json.h"
#include "run_link.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* While a run is read. */
struct reading {
    struct run *run;
    struct json json;
    int room;       /* acts that fit */
    int world_size; /* as the trace says; 0: it does not */
};

#define BYTES_MOST ((long long)1 << 40) /* in one message: RUN_EVENTS times as many can still be added up */

#define NO_EVENTS "it is no trace, since it holds no traceEvents; DIST_TRACE=FILE.json makes a run write one"
#define IS_REPORT \
    "it is a report (DIST_REPORT) and no trace, which holds traceEvents; `draw waitfor` draws it"

static bool wrong(struct run *run, const char *what)
{
    if (!run->why[0])
        snprintf(run->why, sizeof run->why, "%s", what);
    return false;
}

static bool copy_text(struct run *run, char **to, const char *from)
{
    size_t bytes = strlen(from) + 1;
    *to = malloc(bytes);
    if (!*to)
        return wrong(run, "the system gives no memory");
    memcpy(*to, from, bytes);
    return true;
}

/* ---- one event --------------------------------------------------------------------- */

static bool read_elements(struct run *run, struct elements *elements, const struct value *list)
{
    if (!list || list->kind != VALUE_ARRAY || !list->first)
        return true;
    elements->value = malloc(RUN_VALUES * sizeof *elements->value);
    if (!elements->value)
        return wrong(run, "the system gives no memory");
    for (const struct value *item = list->first; item && elements->count < RUN_VALUES; item = item->next)
        elements->value[elements->count++] = item->kind == VALUE_NUMBER ? item->number : (double)NAN;
    return true;
}

static enum act_kind kind_of(const char *category, const char *name)
{
    static const struct {
        const char *name;
        enum act_kind kind;
    } names[] = {
        { "send", ACT_SEND }, { "recv", ACT_RECV }, { "isend", ACT_ISEND }, { "irecv", ACT_IRECV }
    };
    if (strcmp(category, "compute") == 0)
        return ACT_SPAN;
    if (strcmp(category, "wait") == 0)
        return ACT_WAIT;
    if (strcmp(category, "comm") != 0)
        return ACT_OTHER;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i].name) == 0)
            return names[i].kind;
    return ACT_COLLECTIVE;
}

static int peer_of(const struct value *args, enum act_kind kind)
{
    bool sends = kind == ACT_SEND || kind == ACT_ISEND;
    return (int)value_whole(args, sends ? "Dst Rank" : "Src Rank", 0, RUN_RANKS - 1, -1);
}

static int group_of(const struct value *args)
{
    const char *text = value_text(args, "Process Group Name", "-1");
    char *end;
    long id = strtol(text, &end, 10);
    return *end || id < 0 || id > INT32_MAX ? -1 : (int)id;
}

static double number_of(const struct value *event, const char *name)
{
    const struct value *member = value_member(event, name);
    return member && member->kind == VALUE_NUMBER ? member->number : 0;
}

static bool fill(struct run *run, struct act *act, const struct value *event, const struct value *args)
{
    const char *name = value_text(event, "name", "");
    *act = (struct act){ .kind = kind_of(value_text(event, "cat", ""), name), .finished = -1 };
    act->rank = (int)value_whole(event, "pid", 1, RUN_RANKS, 0) - 1;
    act->begin = number_of(event, "ts");
    act->end = act->begin + fmax(number_of(event, "dur"), 0);
    act->unfinished = value_member(args, "unfinished") || value_member(args, "error");
    act->number = value_whole(args, "event", 0, UINT32_MAX, -1);
    act->peer = peer_of(args, act->kind);
    act->tag = (int)value_whole(args, "tag", 0, INT32_MAX, 0);
    act->message = (int)value_whole(args, "message", 1, INT32_MAX, 0) - 1; /* an id so far */
    act->started = (int)value_whole(args, "started", 0, INT32_MAX, -1);    /* a number so far */
    act->group = group_of(args);
    act->seq = (int)value_whole(args, "Seq", 0, INT32_MAX, -1);
    act->root = (int)value_whole(args, "root", 0, RUN_RANKS - 1, -1);
    act->bytes = value_whole(args, "bytes", 0, BYTES_MOST, 0);
    act->elements = value_whole(args, "In msg nelems", 0, BYTES_MOST, 0);
    snprintf(act->op, sizeof act->op, "%s", value_text(args, "op", ""));
    return copy_text(run, &act->name, name) && read_elements(run, &act->in, value_member(args, "in")) &&
           read_elements(run, &act->out, value_member(args, "out")) &&
           run_note_group(run, act->group, value_text(args, "Process Group Ranks", ""));
}

static bool read_event(struct reading *reading, const struct value *event)
{
    struct run *run = reading->run;
    const struct value *args = value_member(event, "args");
    if (!event || event->kind != VALUE_OBJECT)
        return wrong(run, "traceEvents holds something that is no event");
    if (strcmp(value_text(event, "ph", ""), "X") == 0 && strcmp(value_text(event, "cat", ""), "stream") == 0)
        return run_read_slice(run, event, args);
    if (strcmp(value_text(event, "ph", ""), "X") != 0 || !value_member(args, "event"))
        return true; /* names, arrows, and what other programs may have added */
    if (run->count == (int)RUN_EVENTS)
        return wrong(run, "it holds more than four million events; trace a shorter run");
    if (run->count == reading->room) {
        int room = reading->room ? 2 * reading->room : 256;
        struct act *acts = realloc(run->acts, (size_t)room * sizeof *acts);
        if (!acts)
            return wrong(run, "the system gives no memory");
        run->acts = acts;
        reading->room = room;
    }
    struct act *act = &run->acts[run->count++];
    if (!fill(run, act, event, args))
        return false;
    if (act->rank < 0 || act->number < 0)
        return wrong(run, "an event has no rank or no number; was the file written by DIST_TRACE?");
    return true;
}

/* ---- the whole file ------------------------------------------------------------------ */

static bool read_events(struct reading *reading)
{
    struct json *json = &reading->json;
    bool good = json_enter(json, '[');
    while (good && json_item(json)) {
        const struct value *event = json_value(json);
        good = event && read_event(reading, event);
        json_forget(json);
        json->started = true;
    }
    return good;
}

static bool read_file(struct reading *reading)
{
    struct json *json = &reading->json;
    const char *name;
    bool events = false, report = false;
    json_enter(json, '{');
    while (json_member(json, &name)) {
        if (strcmp(name, "traceEvents") == 0) {
            events = true;
            if (!read_events(reading))
                return false;
            json->started = true;
            continue;
        }
        bool info = strcmp(name, "distributedInfo") == 0, lost = strcmp(name, "lostEvents") == 0;
        const struct value *value = json_value(json);
        report = report || strcmp(name, "sentence") == 0;
        if (value && info)
            reading->world_size = (int)value_whole(value, "world_size", 1, RUN_RANKS, 0);
        if (value && lost && value->kind == VALUE_NUMBER && value->number > 0 && value->number < 1e15)
            reading->run->lost = (int64_t)value->number;
        json_forget(json);
    }
    return json_ends(json) && (events || wrong(reading->run, report ? IS_REPORT : NO_EVENTS));
}

static bool finish(struct reading *reading)
{
    struct run *run = reading->run;
    bool good = read_file(reading);
    run_sort_slices(run);
    if (!good && reading->json.why[0] && !run->why[0])
        run_say_unread(&reading->json, "trace", "DIST_TRACE", run->why, sizeof run->why);
    json_close(&reading->json);
    run->ranks = reading->world_size;
    for (int i = 0; i < run->count; i++)
        if (run->acts[i].rank >= run->ranks)
            run->ranks = run->acts[i].rank + 1;
    if (good && run->count == 0)
        return wrong(run, "it is no trace of ours, since it holds no event of a rank; DIST_TRACE=FILE.json "
                          "makes a run write one");
    return good && run_link(run);
}

static bool unread(struct reading *reading)
{
    run_say_unread(&reading->json, "trace", "DIST_TRACE", reading->run->why, sizeof reading->run->why);
    json_close(&reading->json);
    return false;
}

bool run_read(struct run *run, const char *path)
{
    struct reading reading = { .run = run };
    *run = (struct run){ 0 };
    if (json_open(&reading.json, path))
        return finish(&reading);
    return unread(&reading);
}

bool run_read_bytes(struct run *run, const void *bytes, size_t size)
{
    struct reading reading = { .run = run };
    *run = (struct run){ 0 };
    if (json_open_bytes(&reading.json, bytes, size))
        return finish(&reading);
    return unread(&reading);
}

void run_free(struct run *run)
{
    for (int i = 0; i < run->count; i++) {
        free(run->acts[i].name);
        free(run->acts[i].in.value);
        free(run->acts[i].out.value);
    }
    for (int i = 0; i < run->slice_count; i++)
        free(run->slices[i].name);
    for (int i = 0; i < run->group_count; i++)
        free(run->groups[i].rank);
    free(run->slices);
    free(run->acts);
    free(run->first);
    free(run->messages);
    free(run->groups);
    *run = (struct run){ 0 };
}
