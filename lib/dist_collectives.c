/* dist_collectives.c: the collectives: a table of what each is, what all have in common, and what each call adds. */
#include "checked.h"
#include "collective.h"
#include "devices/host.h"
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

/* Both lists, one behind the other, in memory that peers can read. False: reported. */
static bool collective_copy_splits(struct context *context, const struct collective *c, struct dist_work *op)
{
    int size = op->group->size;
    int64_t *splits = op->splits = host_alloc(context->self, 2 * (size_t)size * sizeof *splits);
    for (int i = 0; splits && i < size; i++) {
        splits[i] = c->in_splits ? c->in_splits[i] : c->in->numel / size;
        splits[size + i] = c->out_splits ? c->out_splits[i] : c->out->numel / size;
    }
    if (splits)
        return true;
    checked_end(op);
    return !report(c->call, c->at, DIST_ERR_MEMORY, "there is no memory left for a copy of the splits");
}

static int64_t collective_block_of(const struct collective *c, const struct dist_group *group)
{
    if (c->in_splits || c->out_splits)
        return BLOCK_SPLITS;
    if (c->in && !c->in_has_blocks)
        return c->in->numel;
    if (c->out && !c->out_has_blocks)
        return c->out->numel;
    return c->in ? c->in->numel / group->size : 0;
}

/* A call that goes to the backend directly must not overtake what waits for its stream, and a barrier is one for the current
 * stream, too. If something has failed there it is told, and this call goes on: the others wait for it. */
static void collective_let_streams_come(struct context *context, const struct collective *c)
{
    struct gpu *gpu = gpu_if_open(context->self);
    bool barrier = c->call == CALL_BARRIER || c->call == CALL_MONITORED_BARRIER;
    if (gpu && barrier)
        gpu_await_stream(gpu, call_name(c->call), c->at, gpu->current);
    if (gpu)
        ops_flush(gpu, call_name(c->call), c->at);
}

static struct span collective_span(const tensor *t)
{
    return t ? (struct span){ t->data, t->numel } : (struct span){ NULL, 0 };
}

static bool collective_fill(struct context *context, const struct collective *c, struct dist_work *op)
{
    const tensor *one = c->in ? c->in : c->out;
    op->async = c->async;
    op->begun_quickly = c->begun;
    op->tag = 0;
    op->p2p = op->sends = false;
    op->call = c->call;
    op->at = c->at;
    op->site = context_site(context, c->at.file, c->at.line);
    op->op = c->op;
    op->peer = c->place;
    op->timeout = c->timeout;
    op->block = collective_block_of(c, op->group);
    op->splits = NULL;
    op->in = collective_span(c->in);
    op->out = collective_span(c->out);
    op->type = one ? one->type : DIST_F32;
    op->gpu = one ? one->gpu : NULL;
    work_begin(op);
    return checked_begin(context, op) &&
           (op->block != BLOCK_SPLITS || collective_copy_splits(context, c, op));
}

/* What its kind is, for this rank: only the root's big tensor counts. */
static void collective_complete(struct collective *c, int rank)
{
    const struct collective *kind = &kinds[c->call];
    c->root_name = kind->root_name;
    c->in_name = c->call == CALL_SCATTER && c->root != rank ? NULL : kind->in_name;
    c->out_name = c->call == CALL_GATHER && c->root != rank ? NULL : kind->out_name;
    c->in_has_blocks = kind->in_has_blocks;
    c->out_has_blocks = kind->out_has_blocks;
    c->in = c->in_name ? c->in : NULL;
    c->out = c->out_name ? c->out : NULL;
}

/* Do it. One on the host is over then; on a GPU's tensors only the stream waits for it. An asynchronous one is started, and gives its
 * work. */
static dist_work *collective_call(struct collective *c)
{
    struct context *context = context_enter(c->call, c->at);
    c->result = -DIST_ERR_STATE;
    if (!context)
        return NULL;
    collective_complete(c, context->self->env.rank);
    struct dist_work here, *op = &here, *given = NULL; /* `fill` writes what is read, as in dist_p2p.c */
    bool gpu = tensor_on_gpu(c->in) || tensor_on_gpu(c->out), over = !gpu && !c->async;
    struct dist_group *group = collective_check(context, c);
    if (group && !gpu)
        collective_let_streams_come(context, c);
    here.group = group;
    if (group && !over)
        op = work_new(context, group);
    if (!op)
        work_lacks_memory(c->call, c->at);
    bool good = group && op && collective_fill(context, c, op);
    c->result = good && over ? start_and_wait(context, op) : call_note.error;
    if (good && !over)
        given = start_work(context, op, &c->result);
    context_exit(context);
    return given;
}

/* ---- the calls ---------------------------------------------------------------------------- */

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
    struct context *context = context_quick(CALL_ALL_REDUCE, a.at.file, a.at.line, &site);
    enum quick went = QUICK_NOT;
    if (context && context_reaches(context, a.tensor) && !a.group && !a.async_op &&
        (unsigned)a.op <= DIST_MAX)
        went = context->backend->quick_sum(context->state, a.tensor, a.op, site);
    if (went == QUICK_DONE)
        return NULL;
    return collective_call(&(struct collective){ CALL_ALL_REDUCE, a.at, a.group, a.async_op, a.tensor,
                                                 a.tensor, .op = a.op, .begun = went == QUICK_BEGUN });
}

/* The quick way, unless something on a GPU must come first. */
dist_work *dist_barrier_with(struct dist_barrier_args a)
{
    uint32_t site;
    struct context *context = context_quick(CALL_BARRIER, a.at.file, a.at.line, &site);
    enum quick went = QUICK_NOT;
    if (context && context->quick_reach == context->self->world.header && !a.group && !a.async_op &&
        !gpu_if_open(context->self))
        went = context->backend->quick_barrier(context->state, site);
    if (went == QUICK_DONE)
        return NULL;
    return collective_call(
        &(struct collective){ CALL_BARRIER, a.at, a.group, a.async_op, .begun = went == QUICK_BEGUN });
}

int dist_monitored_barrier_with(struct dist_monitored_barrier_args a)
{
    struct collective c = { CALL_MONITORED_BARRIER, a.at, a.group,
                            .timeout = a.timeout == 0 ? 30 : a.timeout };
    collective_call(&c);
    return c.result;
}
