/* dist_collectives.c: the collectives: a table of what each is, and what a call adds to that. */
#include "collective.h"
#include "streams/gpu.h"

static const struct collective kinds[CALL_COUNT] = {
    [CALL_BROADCAST] = { .root_name = "src", .in_name = "tensor", .out_name = "tensor" },
    [CALL_REDUCE] = { .root_name = "dst", .in_name = "tensor", .out_name = "tensor" },
    [CALL_ALL_REDUCE] = { .in_name = "tensor", .out_name = "tensor" },
    [CALL_SCATTER] = { .root_name = "src", .in_name = "input", .out_name = "output", .in_has_blocks = true },
    [CALL_GATHER] = { .root_name = "dst", .in_name = "input", .out_name = "output", .out_has_blocks = true },
    [CALL_ALL_GATHER] = { .in_name = "input", .out_name = "output", .out_has_blocks = true },
    [CALL_REDUCE_SCATTER] = { .in_name = "input", .out_name = "output", .in_has_blocks = true },
    [CALL_ALL_TO_ALL] = { .in_name = "input",
                          .out_name = "output",
                          .in_has_blocks = true,
                          .out_has_blocks = true },
};

static inline struct collective collectives_asked(enum call call, struct dist_at at, dist_group *group,
                                                  bool async, tensor *in, tensor *out)
{
    struct collective c = kinds[call];
    c.call = call;
    c.at = at;
    c.group = group;
    c.async = async;
    c.in = in;
    c.out = out;
    return c;
}

dist_work *dist_broadcast_with(struct dist_broadcast_args a)
{
    struct collective c = collectives_asked(CALL_BROADCAST, a.at, a.group, a.async_op, a.tensor, a.tensor);
    c.root = a.src;
    return collective_call(&c);
}

dist_work *dist_reduce_with(struct dist_reduce_args a)
{
    struct collective c = collectives_asked(CALL_REDUCE, a.at, a.group, a.async_op, a.tensor, a.tensor);
    c.op = a.op;
    c.root = a.dst;
    return collective_call(&c);
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
    struct collective c = collectives_asked(CALL_ALL_REDUCE, a.at, a.group, a.async_op, a.tensor, a.tensor);
    c.begun = went == QUICK_BEGUN;
    c.op = a.op;
    return collective_call(&c);
}

/* Is the caller the root? Its big tensor counts only then. */
static bool collectives_i_am(int root)
{
    struct launch_self *self = launch_self_if_any();
    return self && self->env.rank == root;
}

dist_work *dist_scatter_with(struct dist_scatter_args a)
{
    struct collective c = collectives_asked(CALL_SCATTER, a.at, a.group, a.async_op, a.input, a.output);
    c.root = a.src;
    if (!collectives_i_am(a.src))
        c.in_name = NULL;
    return collective_call(&c);
}

dist_work *dist_gather_with(struct dist_gather_args a)
{
    struct collective c = collectives_asked(CALL_GATHER, a.at, a.group, a.async_op, a.input, a.output);
    c.root = a.dst;
    if (!collectives_i_am(a.dst))
        c.out_name = NULL;
    return collective_call(&c);
}

dist_work *dist_all_gather_with(struct dist_exchange_args a)
{
    struct collective c = collectives_asked(CALL_ALL_GATHER, a.at, a.group, a.async_op, a.input, a.output);
    return collective_call(&c);
}

dist_work *dist_all_to_all_with(struct dist_all_to_all_args a)
{
    struct collective c = collectives_asked(CALL_ALL_TO_ALL, a.at, a.group, a.async_op, a.input, a.output);
    c.in_splits = a.input_splits;
    c.out_splits = a.output_splits;
    return collective_call(&c);
}

dist_work *dist_reduce_scatter_with(struct dist_reduce_scatter_args a)
{
    struct collective c =
        collectives_asked(CALL_REDUCE_SCATTER, a.at, a.group, a.async_op, a.input, a.output);
    c.op = a.op;
    return collective_call(&c);
}

/* The quick way, unless something on a GPU must come first. */
static enum quick collectives_barrier_quickly(struct dist_barrier_args a)
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
    enum quick went = collectives_barrier_quickly(a);
    if (went == QUICK_DONE)
        return NULL;
    struct collective c = collectives_asked(CALL_BARRIER, a.at, a.group, a.async_op, NULL, NULL);
    c.begun = went == QUICK_BEGUN;
    return collective_call(&c);
}

int dist_monitored_barrier_with(struct dist_monitored_barrier_args a)
{
    struct context *context = context_enter(CALL_MONITORED_BARRIER, a.at);
    if (!context)
        return -DIST_ERR_STATE;
    const struct collective c = collectives_asked(CALL_MONITORED_BARRIER, a.at, a.group, false, NULL, NULL);
    int result = collective_run(context, &c, a.timeout > 0 ? a.timeout : 30);
    context_exit(context);
    return result;
}
