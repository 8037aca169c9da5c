/*
 * quick.c: the quick ways of the room inside, recorded. A call that the quick way does not end goes the long way, which finds its
 * event begun.
 */
#include "room.h"

_Thread_local uint32_t trace_begun;

/* What a record wants to know of a call: of an op only that is filled in. */
static inline void describe(const struct trace *trace, struct dist_work *op, enum call call,
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

static inline uint32_t begin(struct trace *trace, enum event_kind kind, const struct dist_work *op)
{
    uint32_t event = record_begin_op(trace->record, kind, op->call, op);
    record_before(trace->record, event, op);
    return event;
}

static inline enum quick end(struct trace *trace, uint32_t event, const struct dist_work *op, enum quick went)
{
    if (went == QUICK_DONE) {
        record_after(trace->record, event, op);
        record_end(trace->record, event);
    } else {
        trace_begun = event + 1; /* one that was lost is begun, and lost, once more */
    }
    return went;
}

enum quick trace_quick_send(void *room, const tensor *t, int peer, int tag, uint32_t site)
{
    struct trace *trace = room;
    struct dist_work op;
    describe(trace, &op, CALL_SEND, t->type, site);
    op.peer = peer;
    op.tag = tag;
    op.in = (struct span){ t->data, t->numel };
    uint32_t event = begin(trace, EVENT_MESSAGE, &op);
    return end(trace, event, &op, trace->inner->quick_send(trace->room, t, peer, tag, site));
}

enum quick trace_quick_recv(void *room, tensor *t, int peer, int tag, uint32_t site)
{
    struct trace *trace = room;
    struct dist_work op;
    describe(trace, &op, CALL_RECV, t->type, site);
    op.peer = op.from = peer;
    op.tag = tag;
    op.out = (struct span){ t->data, t->numel };
    uint32_t event = begin(trace, EVENT_MESSAGE, &op);
    return end(trace, event, &op, trace->inner->quick_recv(trace->room, t, peer, tag, site));
}

enum quick trace_quick_sum(void *room, tensor *t, enum dist_op how, uint32_t site)
{
    struct trace *trace = room;
    struct dist_work op;
    describe(trace, &op, CALL_ALL_REDUCE, t->type, site);
    op.op = how;
    op.in = op.out = (struct span){ t->data, t->numel };
    uint32_t event = begin(trace, EVENT_COLLECTIVE, &op);
    return end(trace, event, &op, trace->inner->quick_sum(trace->room, t, how, site));
}

enum quick trace_quick_barrier(void *room, uint32_t site)
{
    struct trace *trace = room;
    struct dist_work op;
    describe(trace, &op, CALL_BARRIER, DIST_F32, site);
    op.in = op.out = (struct span){ NULL, 0 };
    uint32_t event = begin(trace, EVENT_COLLECTIVE, &op);
    return end(trace, event, &op, trace->inner->quick_barrier(trace->room, site));
}
