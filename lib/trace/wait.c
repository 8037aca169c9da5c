/* wait.c: where a program learns that what it started is done. */
#include "wrap.h"

/* The wait that first found the work done is where the program learns of it. */
static void wait_note_done(struct trace *trace, uint32_t wait, struct dist_work *op)
{
    if (op->traced == TRACE_NONE || op->traced >= trace->record->capacity)
        return;
    struct event *started = &trace->record->events[op->traced];
    if (started->other != TRACE_NONE)
        return;
    record_after(trace->record, op->traced, op);
    started->other = wait;
}

static uint32_t wait_begin(struct trace *trace, enum call call, const struct dist_work *op)
{
    uint32_t word = atomic_load(&trace->self->world.header->slots[trace->self->env.rank].call);
    struct event as = { .kind = EVENT_WAIT, .call = (uint8_t)call, .peer = -1, .from = -1 };
    as.group = (uint16_t)op->group->id;
    as.site = word & 0xffff;
    as.other = op->traced;
    return record_begin(trace->record, as);
}

/* dist_wait_any asks the works again and again, and waits for one at last: it is one wait, since the first ask. 0: there was none. */
static _Thread_local uint64_t asked_since;

void trace_asks_anew(void)
{
    asked_since = 0;
}

static bool wait_asks_for_any(const struct trace *trace)
{
    uint32_t word = atomic_load(&trace->self->world.header->slots[trace->self->env.rank].call);
    return word >> 16 == CALL_WAIT_ANY;
}

bool trace_test(void *state, struct dist_work *op)
{
    struct trace *trace = state;
    if (wait_asks_for_any(trace) && !op->gpu) {
        asked_since = asked_since ? asked_since : (uint64_t)launch_clock_ns();
        return trace->inner->test(trace->state, op);
    }
    if (!trace->inner->test(trace->state, op) || op->gpu)
        return atomic_load(&op->done) != 0; /* a program that polls would fill the record with nothing */
    uint32_t event = wait_begin(trace, CALL_IS_COMPLETED, op);
    wait_note_done(trace, event, op);
    record_end(trace->record, event);
    return true;
}

int trace_wait(void *state, struct dist_work *op)
{
    struct trace *trace = state;
    if (op->gpu) {
        int result = trace->inner->wait(trace->state, op);
        record_after(trace->record, op->traced, op);
        record_end(trace->record, op->traced);
        return result;
    }
    uint32_t event = wait_begin(trace, CALL_WAIT, op);
    if (asked_since && wait_asks_for_any(trace) && event < trace->record->capacity)
        trace->record->events[event].begin = asked_since;
    int status = trace->inner->wait(trace->state, op);
    wait_note_done(trace, event, op);
    record_end(trace->record, event);
    return status;
}
