/* dist_p2p.c: send, receive, and batches of them. dist_wait.c waits for what was started here. */
#include "checked.h"
#include "noted.h"
#include "p2p.h"
#include "streams/order.h"

/* Does `peer` name somebody to talk to? False: it was reported. */
static bool check_peer(struct context *context, const struct p2p *ask, const struct dist_group *group)
{
    const char *name = ask->sends ? "dst" : "src";
    int size = context->world.size;
    if (!ask->sends && ask->peer == DIST_ANY_SOURCE)
        return true;
    if (ask->peer < 0 || ask->peer >= size) {
        report(ask->call, ask->at, DIST_ERR_ARGUMENT,
               "%s is %d, but the ranks of this job are 0 to %d; name one of them", name, ask->peer,
               size - 1);
        return false;
    }
    if (group_index(group, ask->peer) < 0) {
        report(ask->call, ask->at, DIST_ERR_ARGUMENT,
               "%s is %d, and rank %d is not a member of this group; name a member by its world rank", name,
               ask->peer, ask->peer);
        return false;
    }
    return true;
}

/* The group of a message with which all is well. NULL: something is wrong with it, and was reported. */
static struct dist_group *check(struct context *context, const struct p2p *ask)
{
    struct dist_group *group = context_group(context, ask->call, ask->at, ask->group, true);
    if (!group || !context_tensor(context, ask->call, ask->at, "tensor", ask->tensor) ||
        !check_peer(context, ask, group))
        return NULL;
    if (ask->tag < 0) {
        report(ask->call, ask->at, DIST_ERR_ARGUMENT, "tag is %d; a tag must be 0 or more", ask->tag);
        return NULL;
    }
    /* What goes to the room directly must not overtake what waits for its stream. */
    if (context->gpu && !ask->tensor->gpu)
        comm_flush(context->gpu, call_name(ask->call), ask->at);
    return group;
}

/* The same answer in a few instructions, for the most common message: false means only that `check` is to be asked. */
static bool plainly_good(const struct context *context, const struct p2p *ask)
{
    return !ask->group && !context->gpu && ask->tensor && ask->tensor->reach == context->self->world.header &&
           (ask->tag | ask->peer) >= 0 && ask->peer < context->world.size;
}

/* Fill in an op from what was asked. False: something was wrong with it, and was reported. */
static bool prepare(struct context *context, const struct p2p *ask, uint32_t site, struct dist_work *op)
{
    struct dist_group *group = plainly_good(context, ask) ? &context->world : check(context, ask);
    if (!group)
        return false;
    work_begin(op);
    op->call = ask->call;
    op->at.file = ask->at.file;
    op->at.line = ask->at.line;
    op->site = site;
    op->group = group;
    op->type = ask->tensor->type;
    op->peer = ask->peer;
    op->tag = ask->tag;
    op->p2p = true;
    op->sends = ask->sends;
    op->op = DIST_SUM;
    op->block = 0;
    op->timeout = 0;
    op->gpu = ask->tensor->gpu;
    op->from = -1;
    op->in.data = ask->sends ? ask->tensor->data : NULL;
    op->in.count = ask->sends ? ask->tensor->numel : 0;
    op->out.data = ask->sends ? NULL : ask->tensor->data;
    op->out.count = ask->sends ? 0 : ask->tensor->numel;
    return (!op->gpu || order_post(op->gpu, op)) && checked_begin(context, op);
}

static int hand_on(struct context *context, const struct p2p *ask, struct dist_work *op)
{
    const struct backend *backend = context->backend;
    if (op->gpu)
        return comm_post(context, op->gpu, op);
    return ask->sends ? backend->send(context->room, op) : backend->recv(context->room, op);
}

/* A blocking call on a GPU's tensor: the stream waits for it, the host does not. */
static int in_stream(struct context *context, const struct p2p *ask, uint32_t site)
{
    struct dist_work *op = work_new(context);
    int result = -DIST_ERR_ARGUMENT;
    if (!op)
        return report(ask->call, ask->at, DIST_ERR_MEMORY, "the system gives no memory for one more work");
    if (prepare(context, ask, site, op)) {
        noted_message(context, op);
        if (hand_on(context, ask, op) == DIST_OK)
            return comm_follow(context, op->gpu, call_name(op->call), op);
        result = report_op(op);
    }
    work_free(context, op);
    return result;
}

int p2p_blocking(struct p2p *ask, enum call call, bool begun)
{
    uint32_t site;
    ask->call = call;
    ask->sends = call == CALL_SEND;
    struct context *context = context_enter_from(ask->call, ask->at.file, ask->at.line, &site);
    if (!context)
        return -DIST_ERR_STATE;
    struct dist_work
        op; /* `prepare` writes what is read: clearing all of it would cost as much as a small message */
    int result = -DIST_ERR_ARGUMENT;
    op.async = false;
    op.begun_quickly = begun;
    if (!plainly_good(context, ask) && tensor_on_gpu(ask->tensor)) {
        result = in_stream(context, ask, site);
    } else if (prepare(context, ask, site, &op)) {
        noted_message(context, &op);
        result = hand_on(context, ask, &op) != DIST_OK ? report_op(&op) : ask->sends ? 0 : op.from;
        noted_source(context, &op);
    }
    context_exit(context);
    return result;
}

/* Start an operation inside a call that was entered. NULL: reported. */
static dist_work *start(struct context *context, const struct p2p *ask, uint32_t site)
{
    struct dist_work *op = work_new(context);
    if (!op) {
        report(ask->call, ask->at, DIST_ERR_MEMORY, "the system gives no memory for one more work");
        return NULL;
    }
    op->async = true;
    op->begun_quickly = false;
    if (!prepare(context, ask, site, op)) {
        work_free(context, op);
        return NULL;
    }
    op->group->pending++;
    noted_message(context, op);
    if (hand_on(context, ask, op) == DIST_OK)
        return op;
    checked_end(op);
    report_op(op);
    op->group->pending--;
    work_free(context, op);
    return NULL;
}

static dist_work *starting(const struct p2p *ask)
{
    uint32_t site;
    struct context *context = context_enter_from(ask->call, ask->at.file, ask->at.line, &site);
    if (!context)
        return NULL;
    dist_work *op = start(context, ask, site);
    context_exit(context);
    return op;
}

dist_work *dist_isend_from(const char *file, int line, tensor *tensor, int dst, int tag, dist_group *group)
{
    return starting(&(struct p2p){ CALL_ISEND, true, { file, line }, tensor, dst, tag, group });
}

dist_work *dist_irecv_from(const char *file, int line, tensor *tensor, int src, int tag, dist_group *group)
{
    return starting(&(struct p2p){ CALL_IRECV, false, { file, line }, tensor, src, tag, group });
}

int dist_batch_isend_irecv_at(struct dist_at at, const dist_p2p_op *ops, int count, dist_work **works)
{
    uint32_t site;
    struct context *context = context_enter_from(CALL_BATCH, at.file, at.line, &site);
    if (!context)
        return -DIST_ERR_STATE;
    int result = 0;
    if (count < 0 || (count > 0 && (!ops || !works)))
        result = report(CALL_BATCH, at, DIST_ERR_ARGUMENT,
                        "count is %d, ops %s, works %s; pass two arrays of count entries", count,
                        ops ? "given" : "NULL", works ? "given" : "NULL");
    for (int i = 0; result == 0 && i < count; i++)
        if (ops[i].kind != DIST_ISEND && ops[i].kind != DIST_IRECV)
            result = report(CALL_BATCH, at, DIST_ERR_ARGUMENT,
                            "the kind of entry %d is %d; it must be DIST_ISEND or DIST_IRECV", i,
                            (int)ops[i].kind);
    for (int i = 0; result == 0 && i < count; i++) {
        struct p2p ask = { CALL_BATCH,  ops[i].kind == DIST_ISEND, at, ops[i].tensor, ops[i].peer, ops[i].tag,
                           ops[i].group };
        works[i] = start(context, &ask, site);
        if (!works[i])
            result = -DIST_ERR_ARGUMENT;
    }
    context_exit(context);
    return result;
}
