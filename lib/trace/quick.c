/*
 * quick.c: the quick ways of the backend inside, recorded. A call that the quick way does not end goes the long way, which finds its
 * event begun.
 */
#include "wrap.h"

_Thread_local uint32_t trace_begun;

/* What a record wants to know of a call: of an op only that is filled in. */
static inline void quick_describe(const struct trace *trace, struct dist_work *op, enum call call,
                                  enum dist_type type, uint32_t site)
{
    op->call = call;
    op->site = site;
    op->group = trace->world;
    op->type = type;
    op->op = DIST_SUM;
    op->peer = op->tag = 0;
    op->in.count = op->out.count = 0;
    op->status = DIST_OK;
    op->from = -1;
}

static inline uint32_t quick_begin(struct trace *trace, enum event_kind kind, const struct dist_work *op)
{
    uint32_t event = record_begin_op(trace->record, kind, op->call, op);
    record_before(trace->record, event, op);
    return event;
}

static inline enum quick quick_end(struct trace *trace, uint32_t event, const struct dist_work *op,
                                   enum quick went)
{
    if (went == QUICK_DONE) {
        record_after(trace->record, event, op);
        record_end(trace->record, event);
    } else {
        trace_begun = event + 1; /* one that was lost is begun, and lost, once more */
    }
    return went;
}

enum quick trace_quick_send(void *state, const tensor *t, int peer, int tag, const struct dist_group *group,
                            uint32_t site)
{
    struct trace *trace = trace_here();
    struct dist_work op;
    quick_describe(trace, &op, CALL_SEND, t->type, site);
    op.peer = peer;
    op.tag = tag;
    op.group = (struct dist_group *)(uintptr_t)group;
    op.in = (struct span){ t->data, t->numel };
    uint32_t event = quick_begin(trace, EVENT_MESSAGE, &op);
    return quick_end(trace, event, &op, trace->inner->quick_send(state, t, peer, tag, group, site));
}

enum quick trace_quick_recv(void *state, tensor *t, int peer, int tag, const struct dist_group *group,
                            uint32_t site)
{
    struct trace *trace = trace_here();
    struct dist_work op;
    quick_describe(trace, &op, CALL_RECV, t->type, site);
    op.peer = op.from = peer;
    op.tag = tag;
    op.group = (struct dist_group *)(uintptr_t)group;
    op.out = (struct span){ t->data, t->numel };
    uint32_t event = quick_begin(trace, EVENT_MESSAGE, &op);
    return quick_end(trace, event, &op, trace->inner->quick_recv(state, t, peer, tag, group, site));
}

enum quick trace_quick_sum(void *state, tensor *t, enum dist_op how, uint32_t site)
{
    struct trace *trace = trace_here();
    struct dist_work op;
    quick_describe(trace, &op, CALL_ALL_REDUCE, t->type, site);
    op.op = how;
    op.in = op.out = (struct span){ t->data, t->numel };
    uint32_t event = quick_begin(trace, EVENT_COLLECTIVE, &op);
    return quick_end(trace, event, &op, trace->inner->quick_sum(state, t, how, site));
}

enum quick trace_quick_barrier(void *state, uint32_t site)
{
    struct trace *trace = trace_here();
    struct dist_work op;
    quick_describe(trace, &op, CALL_BARRIER, DIST_F32, site);
    op.in = op.out = (struct span){ NULL, 0 };
    uint32_t event = quick_begin(trace, EVENT_COLLECTIVE, &op);
    return quick_end(trace, event, &op, trace->inner->quick_barrier(state, site));
}
