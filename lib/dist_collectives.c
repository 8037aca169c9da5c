/* dist_collectives.c: the collectives, each as a line of the common form in collective.h. */
#include "collective.h"
#include "streams/gpu.h"

dist_work *dist_broadcast_with(struct dist_broadcast_args a)
{
    return collective_call(&(struct collective){ .call = CALL_BROADCAST,
                                                 .at = a.at,
                                                 .group = a.group,
                                                 .async = a.async_op,
                                                 .root = a.src,
                                                 .root_name = "src",
                                                 .in = a.tensor,
                                                 .out = a.tensor,
                                                 .in_name = "tensor",
                                                 .out_name = "tensor" });
}

dist_work *dist_reduce_with(struct dist_reduce_args a)
{
    return collective_call(&(struct collective){ .call = CALL_REDUCE,
                                                 .at = a.at,
                                                 .group = a.group,
                                                 .async = a.async_op,
                                                 .op = a.op,
                                                 .root = a.dst,
                                                 .root_name = "dst",
                                                 .in = a.tensor,
                                                 .out = a.tensor,
                                                 .in_name = "tensor",
                                                 .out_name = "tensor" });
}

static dist_work *all_reduce(struct dist_all_reduce_args a, bool begun)
{
    return collective_call(&(struct collective){ .call = CALL_ALL_REDUCE,
                                                 .at = a.at,
                                                 .group = a.group,
                                                 .async = a.async_op,
                                                 .begun = begun,
                                                 .op = a.op,
                                                 .in = a.tensor,
                                                 .out = a.tensor,
                                                 .in_name = "tensor",
                                                 .out_name = "tensor" });
}

dist_work *dist_all_reduce_with(struct dist_all_reduce_args a)
{
    uint32_t site;
    struct context *context = context_quick(CALL_ALL_REDUCE, a.at.file, a.at.line, a.group, &site);
    enum quick went = QUICK_NOT;
    if (context && context_reaches(context, a.tensor) && !a.async_op && (unsigned)a.op <= DIST_MAX)
        went = context->backend->quick_sum(context->room, a.tensor, a.op, site);
    return went == QUICK_DONE ? NULL : all_reduce(a, went == QUICK_BEGUN);
}

/* Is the caller the root? Its big tensor counts only then. */
static bool i_am(int root)
{
    struct launch_self *self = launch_self_if_any();
    return self && self->env.rank == root;
}

dist_work *dist_scatter_with(struct dist_scatter_args a)
{
    return collective_call(&(struct collective){ .call = CALL_SCATTER,
                                                 .at = a.at,
                                                 .group = a.group,
                                                 .async = a.async_op,
                                                 .root = a.src,
                                                 .root_name = "src",
                                                 .in = a.input,
                                                 .out = a.output,
                                                 .in_name = i_am(a.src) ? "input" : NULL,
                                                 .out_name = "output",
                                                 .in_has_blocks = true });
}

dist_work *dist_gather_with(struct dist_gather_args a)
{
    return collective_call(&(struct collective){ .call = CALL_GATHER,
                                                 .at = a.at,
                                                 .group = a.group,
                                                 .async = a.async_op,
                                                 .root = a.dst,
                                                 .root_name = "dst",
                                                 .in = a.input,
                                                 .out = a.output,
                                                 .in_name = "input",
                                                 .out_name = i_am(a.dst) ? "output" : NULL,
                                                 .out_has_blocks = true });
}

dist_work *dist_all_gather_with(struct dist_exchange_args a)
{
    return collective_call(&(struct collective){ .call = CALL_ALL_GATHER,
                                                 .at = a.at,
                                                 .group = a.group,
                                                 .async = a.async_op,
                                                 .in = a.input,
                                                 .out = a.output,
                                                 .in_name = "input",
                                                 .out_name = "output",
                                                 .out_has_blocks = true });
}

dist_work *dist_all_to_all_with(struct dist_exchange_args a)
{
    return collective_call(&(struct collective){ .call = CALL_ALL_TO_ALL,
                                                 .at = a.at,
                                                 .group = a.group,
                                                 .async = a.async_op,
                                                 .in = a.input,
                                                 .out = a.output,
                                                 .in_name = "input",
                                                 .out_name = "output",
                                                 .in_has_blocks = true,
                                                 .out_has_blocks = true });
}

dist_work *dist_reduce_scatter_with(struct dist_reduce_scatter_args a)
{
    return collective_call(&(struct collective){ .call = CALL_REDUCE_SCATTER,
                                                 .at = a.at,
                                                 .group = a.group,
                                                 .async = a.async_op,
                                                 .op = a.op,
                                                 .in = a.input,
                                                 .out = a.output,
                                                 .in_name = "input",
                                                 .out_name = "output",
                                                 .in_has_blocks = true });
}

/* The quick way, unless something on a GPU must come first. */
static enum quick barrier_quickly(struct dist_barrier_args a)
{
    uint32_t site;
    struct context *context = context_quick(CALL_BARRIER, a.at.file, a.at.line, a.group, &site);
    if (!context || context->quick_reach != context->self->world.header || a.async_op ||
        gpu_if_open(context->self))
        return QUICK_NOT;
    return context->backend->quick_barrier(context->room, site);
}

dist_work *dist_barrier_with(struct dist_barrier_args a)
{
    enum quick went = barrier_quickly(a);
    if (went == QUICK_DONE)
        return NULL;
    return collective_call(&(struct collective){ .call = CALL_BARRIER,
                                                 .at = a.at,
                                                 .group = a.group,
                                                 .async = a.async_op,
                                                 .begun = went == QUICK_BEGUN });
}

int dist_monitored_barrier_with(struct dist_monitored_barrier_args a)
{
    struct context *context = context_enter(CALL_MONITORED_BARRIER, a.at);
    if (!context)
        return -DIST_ERR_STATE;
    const struct collective c = { .call = CALL_MONITORED_BARRIER, .at = a.at, .group = a.group };
    int result = collective_run(context, &c, a.timeout > 0 ? a.timeout : 30);
    context_exit(context);
    return result;
}
