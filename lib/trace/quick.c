/*
 * quick.c: the quick ways of the backend inside, recorded. A call that the quick way does not end goes the long way, which finds its
 * event begun.
 */
#include "wrap.h"

_Thread_local uint32_t trace_begun;

/* Begin the event of a call. What a record wants to know of it is told as an op, of which only that is filled in. */
static inline void quick_begin(struct trace *trace, struct dist_work *op, enum call call, const tensor *t,
                               int peer, int tag, const struct dist_group *group, enum dist_op how,
                               uint32_t site)
{
    struct span all = { t ? t->data : NULL, t ? t->numel : 0 }, none = { NULL, 0 };
    bool message = call == CALL_SEND || call == CALL_RECV;
    op->call = call;
    op->site = site;
    op->group = (struct dist_group *)(uintptr_t)group;
    op->type = t ? t->type : DIST_F32;
    op->op = how;
    op->peer = peer;
    op->tag = tag;
    op->in = call == CALL_RECV ? none : all;
    op->out = call == CALL_SEND ? none : all;
    op->status = DIST_OK;
    op->from = call == CALL_RECV ? peer : -1;
    record_begin_op(trace->record, message ? EVENT_MESSAGE : EVENT_COLLECTIVE, call, op);
    record_before(trace->record, op);
}

static inline enum quick quick_end(struct trace *trace, const struct dist_work *op, enum quick went)
{
    if (went == QUICK_DONE) {
        record_after(trace->record, op);
        record_end(trace->record, op->traced);
    } else {
        trace_begun = op->traced + 1; /* one that was lost is begun, and lost, once more */
    }
    return went;
}

enum quick trace_quick_send(void *state, const tensor *t, int peer, int tag, const struct dist_group *group,
                            uint32_t site)
{
    struct trace *trace = trace_here();
    struct dist_work op;
    quick_begin(trace, &op, CALL_SEND, t, peer, tag, group, DIST_SUM, site);
    return quick_end(trace, &op, trace->inner->quick_send(state, t, peer, tag, group, site));
}

enum quick trace_quick_recv(void *state, tensor *t, int peer, int tag, const struct dist_group *group,
                            uint32_t site)
{
    struct trace *trace = trace_here();
    struct dist_work op;
    quick_begin(trace, &op, CALL_RECV, t, peer, tag, group, DIST_SUM, site);
    return quick_end(trace, &op, trace->inner->quick_recv(state, t, peer, tag, group, site));
}

enum quick trace_quick_sum(void *state, tensor *t, enum dist_op how, uint32_t site)
{
    struct trace *trace = trace_here();
    struct dist_work op;
    quick_begin(trace, &op, CALL_ALL_REDUCE, t, 0, 0, trace->world, how, site);
    return quick_end(trace, &op, trace->inner->quick_sum(state, t, how, site));
}

enum quick trace_quick_barrier(void *state, uint32_t site)
{
    struct trace *trace = trace_here();
    struct dist_work op;
    quick_begin(trace, &op, CALL_BARRIER, NULL, 0, 0, trace->world, DIST_SUM, site);
    return quick_end(trace, &op, trace->inner->quick_barrier(state, site));
}
