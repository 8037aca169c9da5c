/* collective.c: what all collectives have in common: check what one rank can check alone, and hand it on. */
#include "checked.h"
#include "collective.h"
#include "devices/host.h"
#include "streams/order.h"

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

/* Only the in-place rule of dist.h may let two tensors touch: the small one is block `rank` of the big one. */
static bool collective_check_overlap(const struct collective *c, const struct dist_group *group)
{
    const char *in = c->in->data, *out = c->out->data;
    size_t in_bytes = c->in->bytes, out_bytes = c->out->bytes;
    bool one_tensor =
        c->in == c->out && !c->in_has_blocks && !c->out_has_blocks; /* broadcast, reduce, all_reduce */
    if (one_tensor || in + in_bytes <= out || out + out_bytes <= in || !in_bytes || !out_bytes)
        return true;
    if (c->out_has_blocks != c->in_has_blocks) {
        const char *big = c->out_has_blocks ? out : in, *small = c->out_has_blocks ? in : out;
        size_t block = c->out_has_blocks ? in_bytes : out_bytes;
        if (small == big + (size_t)group->rank * block)
            return true;
    }
    return !report(c->call, c->at, DIST_ERR_ARGUMENT, "%s and %s share memory; use two tensors%s", c->in_name,
                   c->out_name,
                   c->out_has_blocks != c->in_has_blocks ? ", or exactly this rank's own block of the larger"
                                                         : "");
}

/* Do the two tensors fit each other? */
static bool collective_check_pair(const struct collective *c, const struct dist_group *group)
{
    if (c->in->type != c->out->type)
        return !report(c->call, c->at, DIST_ERR_ARGUMENT, "%s is of %s, %s of %s; give both one type",
                       c->in_name, dtype_name(c->in->type), c->out_name, dtype_name(c->out->type));
    int64_t n = group->size;
    if (c->in_splits || c->out_splits)
        return splits_check(c, group->size) && collective_check_overlap(c, group);
    int64_t in_needed = c->in_has_blocks && !c->out_has_blocks ? c->out->numel * n : c->in->numel;
    int64_t out_needed = c->out_has_blocks && !c->in_has_blocks ? c->in->numel * n : c->out->numel;
    if (c->in_has_blocks && c->out_has_blocks)
        out_needed = c->in->numel;
    bool in_wrong = c->in->numel != in_needed;
    if (in_wrong || c->out->numel != out_needed)
        return !report(
            c->call, c->at, DIST_ERR_ARGUMENT,
            "%s has %lld elements; with %d ranks and %s of %lld it needs %lld",
            in_wrong ? c->in_name : c->out_name, (long long)(in_wrong ? c->in->numel : c->out->numel), (int)n,
            in_wrong ? c->out_name : c->in_name, (long long)(in_wrong ? c->out->numel : c->in->numel),
            (long long)(in_wrong ? in_needed : out_needed));
    if (c->in_has_blocks && c->out_has_blocks && !splits_even(c, c->in_name, c->in, group->size))
        return false;
    return collective_check_overlap(c, group);
}

/* Only the root needs the larger tensor: who gives none may well not know that the others take it for the root. */
static bool collective_check_root(const struct collective *c)
{
    bool takes = c->call == CALL_GATHER, gives = c->call == CALL_SCATTER;
    bool missing = (takes && c->out_name && !c->out) || (gives && c->in_name && !c->in);
    if (missing)
        report(
            c->call, c->at, DIST_ERR_ARGUMENT,
            "the %s is NULL, but %s is %d, which is this rank; pass a tensor, or name the rank that has one",
            takes ? "output" : "input", c->root_name, c->root);
    return !missing;
}

static bool collective_check_tensors(struct context *context, const struct collective *c,
                                     const struct dist_group *group)
{
    if (!collective_check_root(c))
        return false;
    if (c->in_name && !context_tensor(context, c->call, c->at, c->in_name, c->in))
        return false;
    if (c->out_name && !context_tensor(context, c->call, c->at, c->out_name, c->out))
        return false;
    if ((int)c->op < DIST_SUM || c->op > DIST_MAX)
        return !report(c->call, c->at, DIST_ERR_ARGUMENT,
                       "op is %d; it must be DIST_SUM, AVG, PRODUCT, MIN or MAX", (int)c->op);
    if (c->in_name && c->out_name && c->in->gpu != c->out->gpu)
        return !report(c->call, c->at, DIST_ERR_ARGUMENT,
                       "%s lies on the %s and %s on the %s; bring them together with tensor_to", c->in_name,
                       c->in->gpu ? "GPU" : "host", c->out_name, c->in->gpu ? "host" : "GPU");
    return !c->in_name || !c->out_name || collective_check_pair(c, group);
}

static int64_t collective_block_of(const struct collective *c, const struct dist_group *group)
{
    if (c->in_splits || c->out_splits)
        return BLOCK_SPLITS;
    if (c->in_name && !c->in_has_blocks)
        return c->in->numel;
    if (c->out_name && !c->out_has_blocks)
        return c->out->numel;
    return c->in_name ? c->in->numel / group->size : 0;
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

/* The group of a collective with which all is well, and the root's place in it. NULL: reported; no work is made before, since
 * a handler may leave by longjmp. */
static struct dist_group *collective_check(struct context *context, const struct collective *c, int *root)
{
    struct dist_group *group = context_group(context, c->call, c->at, c->group, true);
    if (!group)
        return NULL;
    *root = c->root_name ? context_rank(context, c->call, c->at, c->root_name, c->root, group) : 0;
    return *root >= 0 && collective_check_tensors(context, c, group) ? group : NULL;
}

static bool collective_fill(struct context *context, const struct collective *c, struct dist_group *group,
                            int root, struct dist_work *op)
{
    work_begin(op);
    op->tag = 0;
    op->p2p = op->sends = false;
    op->call = c->call;
    op->at = c->at;
    op->site = context_site(context, c->at.file, c->at.line);
    op->group = group;
    op->op = c->op;
    op->peer = root;
    op->timeout = c->timeout;
    op->block = collective_block_of(c, group);
    op->splits = op->block == BLOCK_SPLITS ? splits_copy(context, c, group->size) : NULL;
    if (op->block == BLOCK_SPLITS && !op->splits)
        return false;
    op->in = op->out = (struct span){ NULL, 0 };
    op->type = DIST_F32;
    op->gpu = NULL;
    if (c->in_name) {
        op->in = (struct span){ c->in->data, c->in->numel };
        op->type = c->in->type;
        op->gpu = c->in->gpu;
    }
    if (c->out_name) {
        op->out = (struct span){ c->out->data, c->out->numel };
        op->type = c->out->type;
        op->gpu = c->out->gpu;
    }
    if (op->gpu)
        work_begin_on_gpu(op);
    if (op->gpu && !order_post(op->gpu, op))
        return false;
    if (!op->gpu)
        collective_let_streams_come(context, c);
    return checked_begin(context, op);
}

/* Run it to the end: 0, or what report() gave. */
int collective_run(struct context *context, const struct collective *c)
{
    struct dist_work op; /* `fill` writes what is read, as in dist_p2p.c */
    op.async = false;
    op.begun_quickly = c->begun;
    int root;
    struct dist_group *group = collective_check(context, c, &root);
    if (!group || !collective_fill(context, c, group, root, &op))
        return -DIST_ERR_ARGUMENT;
    return start_and_wait(context, &op);
}

/* Start it. On tensors of a GPU also a blocking call: the stream waits for it, the host does not. Gives the work of an
 * asynchronous one. */
static dist_work *collective_start(struct context *context, const struct collective *c)
{
    int root, result;
    struct dist_group *group = collective_check(context, c, &root);
    struct dist_work *op = group ? work_new(context, c->call, c->at) : NULL;
    if (!op)
        return NULL;
    op->async = c->async;
    if (collective_fill(context, c, group, root, op))
        return start_work(context, op, &result);
    work_free(context, op);
    return NULL;
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
}

dist_work *collective_call(struct collective *c)
{
    struct context *context = context_enter(c->call, c->at);
    dist_work *op = NULL;
    if (!context)
        return NULL;
    collective_complete(c, context->self->env.rank);
    if (c->async || (c->in_name && tensor_on_gpu(c->in)) || (c->out_name && tensor_on_gpu(c->out)))
        op = collective_start(context, c);
    else
        collective_run(context, c);
    context_exit(context);
    return op;
}
