/* dist_collectives.c: the collectives: what a call adds to the table of what each is (collective.c). */
#include "collective.h"
#include "streams/gpu.h"

dist_work *dist_broadcast_with(struct dist_broadcast_args a)
{
    return collective_call(
        &(struct collective){ CALL_BROADCAST, a.at, a.group, a.async_op, a.tensor, a.tensor, .root = a.src });
}

dist_work *dist_reduce_with(struct dist_reduce_args a)
{
    return collective_call(&(struct collective){ CALL_REDUCE, a.at, a.group, a.async_op, a.tensor, a.tensor,
                                                 .root = a.dst, .op = a.op });
}

dist_work *dist_scatter_with(struct dist_scatter_args a)
{
    return collective_call(
        &(struct collective){ CALL_SCATTER, a.at, a.group, a.async_op, a.input, a.output, .root = a.src });
}

dist_work *dist_gather_with(struct dist_gather_args a)
{
    return collective_call(
        &(struct collective){ CALL_GATHER, a.at, a.group, a.async_op, a.input, a.output, .root = a.dst });
}

dist_work *dist_all_gather_with(struct dist_exchange_args a)
{
    return collective_call(
        &(struct collective){ CALL_ALL_GATHER, a.at, a.group, a.async_op, .in = a.input, .out = a.output });
}

dist_work *dist_all_to_all_with(struct dist_all_to_all_args a)
{
    return collective_call(&(struct collective){ CALL_ALL_TO_ALL, a.at, a.group, a.async_op, a.input,
                                                 a.output, .in_splits = a.input_splits,
                                                 .out_splits = a.output_splits });
}

dist_work *dist_reduce_scatter_with(struct dist_reduce_scatter_args a)
{
    return collective_call(&(struct collective){ CALL_REDUCE_SCATTER, a.at, a.group, a.async_op, a.input,
                                                 a.output, .op = a.op });
}

dist_work *dist_all_reduce_with(struct dist_all_reduce_args a)
{
    uint32_t site;
    struct context *context = context_quick(CALL_ALL_REDUCE, a.at.file, a.at.line, a.group, &site);
    enum quick went = QUICK_NOT;
    if (context && context_reaches(context, a.tensor) && !a.async_op && (unsigned)a.op <= DIST_MAX)
        went = context->backend->quick_sum(context->room, a.tensor, a.op, site);
    if (went == QUICK_DONE)
        return NULL;
    return collective_call(&(struct collective){ CALL_ALL_REDUCE, a.at, a.group, a.async_op, a.tensor,
                                                 a.tensor, .op = a.op, .begun = went == QUICK_BEGUN });
}

/* The quick way, unless something on a GPU must come first. */
dist_work *dist_barrier_with(struct dist_barrier_args a)
{
    uint32_t site;
    struct context *context = context_quick(CALL_BARRIER, a.at.file, a.at.line, a.group, &site);
    enum quick went = QUICK_NOT;
    if (context && context->quick_reach == context->self->world.header && !a.async_op &&
        !gpu_if_open(context->self))
        went = context->backend->quick_barrier(context->room, site);
    if (went == QUICK_DONE)
        return NULL;
    return collective_call(
        &(struct collective){ CALL_BARRIER, a.at, a.group, a.async_op, .begun = went == QUICK_BEGUN });
}

int dist_monitored_barrier_with(struct dist_monitored_barrier_args a)
{
    struct context *context = context_enter(CALL_MONITORED_BARRIER, a.at);
    if (!context)
        return -DIST_ERR_STATE;
    struct collective c = { CALL_MONITORED_BARRIER, a.at, a.group,
                            .timeout = a.timeout > 0 ? a.timeout : 30 };
    int result = collective_run(context, &c);
    context_exit(context);
    return result;
}
