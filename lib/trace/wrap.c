/* wrap.c: a backend around a backend: hands every call on, and leaves an event. */
#include "wrap.h"
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>

/* What a GPU's stream waits for takes until then (trace_wait), and is one thing, however it was called. An entry of a batch is what
 * it would be alone. */
static enum call wrap_call_of(const struct dist_work *op)
{
    if (op->gpu && op->p2p)
        return op->sends ? CALL_SEND : CALL_RECV;
    if (op->call == CALL_BATCH)
        return op->sends ? CALL_ISEND : CALL_IRECV;
    return op->call;
}

static int wrap_finish(struct trace *trace, uint32_t event, const struct dist_work *op, int status)
{
    if (!op->async || status != DIST_OK)
        record_after(trace->record, event, op);
    record_end(trace->record, event);
    return status;
}

static uint32_t wrap_begin(struct trace *trace, enum event_kind kind, const struct dist_work *op)
{
    uint32_t event = record_begin_op(trace->record, kind, wrap_call_of(op), op);
    if (!op->p2p && op->splits)
        record_splits(trace->record, event, op);
    if (!op->gpu ||
        !trace->inner->on_streams) /* else its numbers may not be there yet, and out of our reach */
        record_before(trace->record, event, op);
    return event;
}

static int wrap_hand_on(struct trace *trace, enum event_kind kind, backend_call *call, struct dist_work *op)
{
    uint32_t event = trace_begun ? trace_begun - 1 : wrap_begin(trace, kind, op);
    trace_begun = 0;
    op->traced = event;
    int status = call(trace->state, op);
    return op->gpu && status == DIST_OK ? status : wrap_finish(trace, event, op, status);
}

/* ---- the calls -------------------------------------------------------------------- */

static int trace_open(struct launch_self *self, struct dist_group *world, void **state, struct why *why)
{
    struct trace *trace = self->trace;
    int status = trace->inner->open(self, world, &trace->state, why);
    *state = trace;
    if (status == DIST_OK) {
        trace->world = world;
        trace->record->world = record_group(trace->record, world);
    } else {
        self->trace = NULL;
        free(trace);
    }
    return status;
}

/* Where no watcher of ours will see all ranks end, the last to leave writes the file. */
static void wrap_write_if_last(struct trace *trace)
{
    struct launch_self *self = trace->self;
    struct record *first = record_of(&self->world, 0);
    struct why why;
    bool last = atomic_fetch_add(&first->closed, 1) + 1 == (uint32_t)self->world.header->size;
    if (last && !self->watched && trace_write(&self->world, NULL, &why) != 0)
        fprintf(stderr, "%s\n", why.text);
}

static void trace_leave(void *state)
{
    struct trace *trace = state;
    struct event as = { .kind = EVENT_JOB, .call = CALL_DESTROY, .from = -1, .other = TRACE_NONE };
    as.site = atomic_load(&trace->self->world.header->slots[trace->self->env.rank].call) & 0xffff;
    trace_begun = record_begin(trace->record, as) + 1;
    trace->inner->leave(trace->state);
}

static int trace_close(void *state)
{
    struct trace *trace = state;
    int status = trace->inner->close(trace->state);
    record_end(trace->record, trace_begun - 1);
    trace_begun = 0;
    wrap_write_if_last(trace);
    trace->self->seen_on_stream = NULL;
    trace->self->trace = NULL;
    free(trace);
    return status;
}

static int trace_group_new(void *state, struct dist_work *op)
{
    struct trace *trace = state;
    struct dist_group *group = op->group;
    uint32_t event = trace->made = record_begin_op(trace->record, EVENT_JOB, CALL_NEW_GROUP, op);
    int status = trace->inner->group_new(trace->state, op);
    op->group = group; /* a backend may have put another there for its own use */
    return wrap_finish(trace, event, op, status);
}

void trace_group_made(struct launch_self *self, const struct dist_group *group)
{
    struct trace *trace = self->trace;
    if (!trace || trace->made == TRACE_NONE)
        return;
    struct event *event = &trace->record->events[trace->made];
    event->values = record_group(trace->record, group);
    event->group = (uint16_t)group->id;
}

static void trace_group_free(void *state, struct dist_group *group)
{
    struct trace *trace = state;
    trace->inner->group_free(trace->state, group);
}

static int trace_send(void *state, struct dist_work *op)
{
    struct trace *trace = state;
    return wrap_hand_on(trace, EVENT_MESSAGE, trace->inner->send, op);
}

static int trace_recv(void *state, struct dist_work *op)
{
    struct trace *trace = state;
    return wrap_hand_on(trace, EVENT_MESSAGE, trace->inner->recv, op);
}

/* All collectives but the barrier: op->call says which. */
static int trace_collective(void *state, struct dist_work *op)
{
    struct trace *trace = state;
    return wrap_hand_on(trace, EVENT_COLLECTIVE, trace->inner->collectives[op->call], op);
}

static int trace_barrier(void *state, struct dist_work *op)
{
    struct trace *trace = state;
    if (trace->joined)
        return wrap_hand_on(trace, EVENT_COLLECTIVE, trace->inner->collectives[CALL_BARRIER], op);
    trace->joined = true; /* the one with which dist_init_process_group ends */
    uint32_t event = record_begin_op(trace->record, EVENT_JOB, CALL_INIT, op);
    return wrap_finish(trace, event, op, trace->inner->collectives[CALL_BARRIER](trace->state, op));
}

static void trace_hold(void *state, bool held)
{
    struct trace *trace = state;
    trace->inner->hold(trace->state, held);
}

static void trace_note(void *state, const struct dist_work *op)
{
    struct trace *trace = state;
    trace->inner->note(trace->state, op);
}

static void trace_seen_on_stream(struct launch_self *self, int stream, const char *what, int64_t asked,
                                 int64_t begin, int64_t end)
{
    const struct trace *trace = self->trace;
    if (trace)
        record_slice(trace->record, stream, what, asked, begin, end);
}

/* ---- putting it around ------------------------------------------------------------- */

static const struct backend wrapping = {
    .open = trace_open,
    .leave = trace_leave,
    .close = trace_close,
    .group_new = trace_group_new,
    .group_free = trace_group_free,
    .quick_send = trace_quick_send,
    .quick_recv = trace_quick_recv,
    .quick_sum = trace_quick_sum,
    .quick_barrier = trace_quick_barrier,
    .send = trace_send,
    .recv = trace_recv,
    BACKEND_COLLECTIVES(trace_collective),
    .collectives[CALL_ALL_TO_ALL] = trace_collective,
    .collectives[CALL_BARRIER] = trace_barrier,
    .collectives[CALL_MONITORED_BARRIER] = trace_collective,
    .test = trace_test,
    .wait = trace_wait,
    .hold = trace_hold,
    .note = trace_note,
};

/* What the inner backend leaves to algorithms/ must stay open: they call send and recv, which then are recorded. */
static void wrap_fill_table(struct backend *table, const struct backend *inner)
{
    *table = wrapping;
    table->name = inner->name;
    for (int call = 0; call < CALL_COUNT; call++)
        if (!inner->collectives[call])
            table->collectives[call] = NULL;
    if (!inner->quick_send)
        table->quick_send = NULL;
    if (!inner->note)
        table->note = NULL;
    if (!inner->hold)
        table->hold = NULL;
    table->on_streams = inner->on_streams;
}

const struct backend *trace_wrap(struct launch_self *self, const struct backend *inner)
{
    if (!inner || !setting_text("DIST_TRACE"))
        return inner;
    struct record *record = record_of(&self->world, self->env.rank);
    struct trace *trace = calloc(1, sizeof *trace);
    if (!trace ||
        !record_open(record, self->world.header->trace_bytes, self->world.header->size, inner->name)) {
        free(trace);
        return inner;
    }
    trace->self = self;
    trace->record = record;
    trace->inner = inner;
    wrap_fill_table(&trace->table, inner);
    self->trace = trace;
    self->seen_on_stream = trace_seen_on_stream;
    return &trace->table;
}
