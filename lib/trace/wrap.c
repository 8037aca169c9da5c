/*
 * wrap.c: a backend around a backend: its calls leave an event, and hand on. Both have one state, the inner one's: so calls that leave
 * none go there directly.
 */
#include "wrap.h"
#include "trace.h"

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

static int wrap_finish(struct trace *trace, const struct dist_work *op, int status)
{
    if (!op->async || status != DIST_OK)
        record_after(trace->record, op);
    record_end(trace->record, op->traced);
    return status;
}

/* Where the calling rank stands, as its slot says: call id << 16 | site. */
static uint32_t wrap_call_word(const struct trace *trace)
{
    return atomic_load(&launch_slot(trace->self)->call);
}

/* The barrier with which dist_init_process_group ends is that call. */
static void wrap_begin(struct trace *trace, struct dist_work *op)
{
    if (op->call == CALL_BARRIER && !op->p2p && wrap_call_word(trace) >> 16 == CALL_INIT) {
        record_begin_op(trace->record, EVENT_JOB, CALL_INIT, op);
        return;
    }
    record_begin_op(trace->record, op->p2p ? EVENT_MESSAGE : EVENT_COLLECTIVE, wrap_call_of(op), op);
    if (!op->p2p && op->splits)
        record_splits(trace->record, op);
    if (!op->gpu ||
        !trace->inner->on_streams) /* else its numbers may not be there yet, and out of our reach */
        record_before(trace->record, op);
}

/* ---- the calls -------------------------------------------------------------------- */

static int trace_open(struct launch_self *self, struct dist_group *world, void **state, struct why *why)
{
    struct trace *trace = self->trace;
    int status = trace->inner->open(self, world, state, why);
    if (status == DIST_OK) {
        trace->world = world;
        trace->record->world = record_group(trace->record, world);
    } else {
        self->trace = NULL;
        free(trace);
    }
    return status;
}

static void trace_leave(void *state)
{
    struct trace *trace = trace_here();
    struct event as = { .kind = EVENT_JOB, .call = CALL_DESTROY, .from = -1, .other = TRACE_NONE };
    as.site = wrap_call_word(trace) & 0xffff;
    trace_begun = record_begin(trace->record, as) + 1;
    trace->inner->leave(state);
}

static int trace_close(void *state)
{
    struct trace *trace = trace_here();
    struct launch_self *self = trace->self;
    int status = trace->inner->close(state);
    record_end(trace->record, trace_begun - 1);
    trace_begun = 0;
    self->seen_on_stream = NULL;
    self->trace = NULL;
    free(trace);
    return status;
}

static int trace_group_new(void *state, struct dist_work *op, struct dist_group *group)
{
    struct trace *trace = trace_here();
    record_begin_op(trace->record, EVENT_JOB, CALL_NEW_GROUP, op);
    int status = trace->inner->group_new(state, op, group);
    return wrap_finish(trace, op, status);
}

void trace_group_made(struct launch_self *self, const struct dist_work *op, const struct dist_group *group)
{
    struct trace *trace = self->trace;
    if (!trace || op->traced == TRACE_NONE)
        return;
    struct event *event = &trace->record->events[op->traced];
    event->values = record_group(trace->record, group);
    event->group = (uint16_t)group->id;
}

/* All that move data: the op says which. */
static int trace_start(void *state, struct dist_work *op)
{
    struct trace *trace = trace_here();
    if (trace_begun)
        op->traced = trace_begun - 1;
    else
        wrap_begin(trace, op);
    trace_begun = 0;
    int status = backend_start(trace->inner, state, op);
    return op->gpu && status == DIST_OK ? status : wrap_finish(trace, op, status);
}

/* ---- where a program learns that what it started is done ---------------------------- */

/* dist_wait_any asks the works again and again, and waits for one at last: it is one wait, since the first ask. 0: there was none. */
static _Thread_local uint64_t asked_since;

void trace_asks_anew(void)
{
    asked_since = 0;
}

/* Else it is a message of an algorithm's, whose thread may wait for it while the program is in another call. */
static bool wrap_is_the_programs(const struct dist_work *op)
{
    return op->live == WORK_LIVE;
}

static uint32_t wrap_begin_wait(struct trace *trace, enum call call, const struct dist_work *op)
{
    struct event as = { .kind = EVENT_WAIT, .call = (uint8_t)call, .peer = -1, .from = -1 };
    uint32_t word = wrap_is_the_programs(op) ? wrap_call_word(trace) : op->site;
    as.group = (uint16_t)op->group->id;
    as.site = word & 0xffff;
    as.other = op->traced;
    as.begin = word >> 16 == CALL_WAIT_ANY ? asked_since : 0;
    return record_begin(trace->record, as);
}

/* The wait that first found the work done is where the program learns of it. */
static void wrap_end_wait(struct trace *trace, uint32_t wait, const struct dist_work *op)
{
    struct record *record = trace->record;
    if (op->traced < record->capacity && record->events[op->traced].other == TRACE_NONE) {
        record_after(record, op);
        record->events[op->traced].other = wait;
    }
    record_end(record, wait);
}

static bool trace_test(void *state, struct dist_work *op)
{
    struct trace *trace = trace_here();
    if (op->gpu || !wrap_is_the_programs(op)) /* it is not the program that asks */
        return trace->inner->test(state, op);
    if (wrap_call_word(trace) >> 16 == CALL_WAIT_ANY) {
        asked_since = asked_since ? asked_since : (uint64_t)launch_clock_ns();
        return trace->inner->test(state, op);
    }
    if (!trace->inner->test(state, op))
        return false; /* a program that polls would fill the record with nothing */
    wrap_end_wait(trace, wrap_begin_wait(trace, CALL_IS_COMPLETED, op), op);
    return true;
}

static int trace_wait(void *state, struct dist_work *op)
{
    struct trace *trace = trace_here();
    if (op->gpu) {
        int result = trace->inner->wait(state, op);
        record_after(trace->record, op);
        record_end(trace->record, op->traced);
        return result;
    }
    uint32_t event = wrap_begin_wait(trace, CALL_WAIT, op);
    int status = trace->inner->wait(state, op);
    wrap_end_wait(trace, event, op);
    return status;
}

/* ---- putting it around ------------------------------------------------------------- */

/* A stream was busy from begin to end with what the program put into it at `asked`. */
static void trace_seen_on_stream(struct launch_self *self, int stream, const char *what, int64_t asked,
                                 int64_t begin, int64_t end)
{
    struct event as = { .kind = EVENT_STREAM, .peer = stream, .from = -1, .other = TRACE_NONE, .in = asked };
    const struct trace *trace = self->trace;
    if (!trace)
        return;
    as.values = record_name(trace->record, what);
    as.begin = (uint64_t)begin;
    atomic_init(&as.end, (uint64_t)end);
    record_begin(trace->record, as);
}

/* What the inner backend leaves to algorithms/ must stay open: they call send and recv, which then are recorded. */
static void wrap_fill_table(struct backend *table, const struct backend *inner)
{
    *table = *inner;
    table->open = trace_open;
    table->leave = trace_leave;
    table->close = trace_close;
    table->group_new = trace_group_new;
    if (inner->quick_send) {
        table->quick_send = trace_quick_send;
        table->quick_recv = trace_quick_recv;
        table->quick_sum = trace_quick_sum;
        table->quick_barrier = trace_quick_barrier;
    }
    table->send = table->recv = trace_start;
    if (inner->collective)
        table->collective = trace_start;
    table->test = trace_test;
    table->wait = trace_wait;
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
