/* collective.c: what all collectives have in common: check what one rank can check alone, and hand it on. */
#include "checked.h"
#include "collective.h"
#include "noted.h"
#include "streams/order.h"

static int group_root(struct context *context, const struct collective *c, const struct dist_group *group)
{
    int index = c->root < 0 ? -1 : group_index(group, c->root);
    if (index >= 0)
        return index;
    if (c->root < 0 || c->root >= context->world.size)
        report(c->call, c->at, DIST_ERR_ARGUMENT,
               "%s is %d, but the ranks of this job are 0 to %d; name one of them", c->root_name, c->root,
               context->world.size - 1);
    else
        report(c->call, c->at, DIST_ERR_ARGUMENT,
               "%s is %d, and rank %d is not a member of this group; name a member by its world rank",
               c->root_name, c->root, c->root);
    return -1;
}

/* Only the in-place rule of dist.h may let two tensors touch: the small one is block `rank` of the big one. */
static bool check_overlap(const struct collective *c, const struct dist_group *group)
{
    const char *in = c->in->data, *out = c->out->data;
    size_t in_bytes = (size_t)c->in->numel * dtype_size(c->in->type);
    size_t out_bytes = (size_t)c->out->numel * dtype_size(c->out->type);
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
    report(c->call, c->at, DIST_ERR_ARGUMENT, "%s and %s share memory; use two tensors%s", c->in_name,
           c->out_name,
           c->out_has_blocks != c->in_has_blocks ? ", or exactly this rank's own block of the larger" : "");
    return false;
}

/* Do the two tensors fit each other? */
static bool check_pair(const struct collective *c, const struct dist_group *group)
{
    if (c->in->type != c->out->type) {
        report(c->call, c->at, DIST_ERR_ARGUMENT, "%s is of %s, %s of %s; give both one type", c->in_name,
               dtype_name(c->in->type), c->out_name, dtype_name(c->out->type));
        return false;
    }
    int64_t n = group->size;
    int64_t in_needed = c->in_has_blocks && !c->out_has_blocks ? c->out->numel * n : c->in->numel;
    int64_t out_needed = c->out_has_blocks && !c->in_has_blocks ? c->in->numel * n : c->out->numel;
    if (c->in_has_blocks && c->out_has_blocks)
        out_needed = c->in->numel;
    bool in_wrong = c->in->numel != in_needed;
    if (in_wrong || c->out->numel != out_needed) {
        report(c->call, c->at, DIST_ERR_ARGUMENT,
               "%s has %lld elements; with %d ranks and %s of %lld it needs %lld",
               in_wrong ? c->in_name : c->out_name, (long long)(in_wrong ? c->in->numel : c->out->numel),
               (int)n, in_wrong ? c->out_name : c->in_name,
               (long long)(in_wrong ? c->out->numel : c->in->numel),
               (long long)(in_wrong ? in_needed : out_needed));
        return false;
    }
    if (c->in_has_blocks && c->out_has_blocks && c->in->numel % n != 0) {
        report(c->call, c->at, DIST_ERR_ARGUMENT,
               "%s has %lld elements, which %d ranks cannot share evenly; pad it", c->in_name,
               (long long)c->in->numel, (int)n);
        return false;
    }
    return check_overlap(c, group);
}

static bool check_tensors(struct context *context, const struct collective *c, const struct dist_group *group)
{
    if (c->in_name && !context_tensor(context, c->call, c->at, c->in_name, c->in))
        return false;
    if (c->out_name && !context_tensor(context, c->call, c->at, c->out_name, c->out))
        return false;
    if ((int)c->op < DIST_SUM || c->op > DIST_MAX) {
        report(c->call, c->at, DIST_ERR_ARGUMENT, "op is %d; it must be DIST_SUM, AVG, PRODUCT, MIN or MAX",
               (int)c->op);
        return false;
    }
    if (c->in_name && c->out_name && c->in->gpu != c->out->gpu) {
        report(c->call, c->at, DIST_ERR_ARGUMENT,
               "%s lies on the %s and %s on the other; bring them together with tensor_to", c->in_name,
               c->in->gpu ? "GPU" : "host", c->out_name);
        return false;
    }
    return !c->in_name || !c->out_name || check_pair(c, group);
}

static int64_t block_of(const struct collective *c, const struct dist_group *group)
{
    if (c->in_name && !c->in_has_blocks)
        return c->in->numel;
    if (c->out_name && !c->out_has_blocks)
        return c->out->numel;
    return c->in_name ? c->in->numel / group->size : 0;
}

/* A call that goes to the room directly must not overtake what waits for its stream, and a barrier is one for the current
 * stream, too. If something has failed there it is told, and this call goes on: the others wait for it. */
static void let_streams_come(struct context *context, const struct collective *c)
{
    struct gpu *gpu = gpu_if_open(context->self);
    bool barrier = c->call == CALL_BARRIER || c->call == CALL_MONITORED_BARRIER;
    if (gpu && barrier)
        gpu_await_stream(gpu, call_name(c->call), c->at, gpu->current);
    if (gpu)
        comm_flush(gpu, call_name(c->call), c->at);
}

static bool fill(struct context *context, const struct collective *c, double timeout, struct dist_work *op)
{
    struct dist_group *group = context_group(context, c->call, c->at, c->group, true);
    if (!group)
        return false;
    int root = c->root_name ? group_root(context, c, group) : 0;
    if (root < 0 || !check_tensors(context, c, group))
        return false;
    work_begin(op);
    op->tag = 0;
    op->p2p = op->sends = false;
    op->call = c->call;
    op->at = c->at;
    op->site = context_site(context, c->at.file, c->at.line);
    op->group = group;
    op->op = c->op;
    op->peer = root;
    op->timeout = timeout;
    op->from = -1;
    op->block = block_of(c, group);
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
    if (op->gpu && !order_post(op->gpu, op))
        return false;
    if (!op->gpu)
        let_streams_come(context, c);
    return checked_begin(context, op);
}

static int hand_on(struct context *context, struct dist_work *op)
{
    noted_collective(context, op);
    if (op->gpu)
        return comm_post(context, op->gpu, op);
    return backend_collective(context->backend, op->call)(context->room, op);
}

/* Run it to the end: 0, or what report() gave. */
int collective_run(struct context *context, const struct collective *c, double timeout)
{
    struct dist_work op; /* `fill` writes what is read, as in dist_p2p.c */
    op.async = false;
    op.begun_quickly = c->begun;
    if (!fill(context, c, timeout, &op))
        return -DIST_ERR_ARGUMENT;
    return hand_on(context, &op) == DIST_OK ? 0 : report_op(&op);
}

/* A blocking call on tensors of a GPU: the stream waits for it, the host does not. */
static void in_stream(struct context *context, const struct collective *c)
{
    struct dist_work *op = work_new(context);
    if (!op) {
        report(c->call, c->at, DIST_ERR_MEMORY, "the system gives no memory for one more work");
        return;
    }
    if (fill(context, c, 0, op)) {
        if (hand_on(context, op) == DIST_OK) {
            comm_follow(context, op->gpu, call_name(op->call), op);
            return;
        }
        report_op(op);
    }
    work_free(context, op);
}

/* Start it. NULL: reported. */
static dist_work *start(struct context *context, const struct collective *c)
{
    struct dist_work *op = work_new(context);
    if (!op) {
        report(c->call, c->at, DIST_ERR_MEMORY, "the system gives no memory for one more work");
        return NULL;
    }
    op->async = true;
    if (fill(context, c, 0, op)) {
        op->group->pending++;
        if (hand_on(context, op) == DIST_OK)
            return op;
        checked_end(op);
        report_op(op);
        op->group->pending--;
    }
    work_free(context, op);
    return NULL;
}

dist_work *collective_call(const struct collective *c)
{
    struct context *context = context_enter(c->call, c->at);
    dist_work *op = NULL;
    if (!context)
        return NULL;
    if (c->async)
        op = start(context, c);
    else if ((c->in_name && tensor_on_gpu(c->in)) || (c->out_name && tensor_on_gpu(c->out)))
        in_stream(context, c);
    else
        collective_run(context, c, 0);
    context_exit(context);
    return op;
}
