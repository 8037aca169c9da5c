/* dist_p2p.c: send, receive, batches of them, and waiting. */
#include "checked.h"
#include "noted.h"

struct p2p {
    enum call call; /* as reports name it */
    bool sends;
    struct dist_at at;
    tensor *tensor;
    int peer;
    int tag;
    dist_group *group;
};

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

/* Fill in an op from what was asked. False: something was wrong with it, and was reported. */
static bool prepare(struct context *context, const struct p2p *ask, struct dist_work *op)
{
    struct dist_group *group = context_group(context, ask->call, ask->at, ask->group, true);
    if (!group || !context_tensor(context, ask->call, ask->at, "tensor", ask->tensor) ||
        !check_peer(context, ask, group))
        return false;
    if (ask->tag < 0) {
        report(ask->call, ask->at, DIST_ERR_ARGUMENT, "tag is %d; a tag must be 0 or more", ask->tag);
        return false;
    }
    struct span span = { ask->tensor->data, ask->tensor->numel };
    op->call = ask->call;
    op->at = ask->at;
    op->site = world_site(&context->self->world, context->self->env.rank, ask->at);
    op->group = group;
    op->type = ask->tensor->type;
    op->peer = ask->peer;
    op->tag = ask->tag;
    op->p2p = true;
    op->sends = ask->sends;
    op->from = -1;
    *(ask->sends ? &op->in : &op->out) = span;
    return checked_begin(context, op);
}

static int hand_on(struct context *context, const struct p2p *ask, struct dist_work *op)
{
    const struct backend *backend = context->backend;
    return ask->sends ? backend->send(context->room, op) : backend->recv(context->room, op);
}

static int blocking(const struct p2p *ask)
{
    struct context *context = context_enter(ask->call, ask->at);
    if (!context)
        return -DIST_ERR_STATE;
    struct dist_work op = { 0 };
    int result = -DIST_ERR_ARGUMENT;
    if (prepare(context, ask, &op)) {
        noted_message(context, &op);
        result = hand_on(context, ask, &op) != DIST_OK ? report_op(&op) : ask->sends ? 0 : op.from;
        noted_source(context, &op);
    }
    context_exit(context);
    return result;
}

/* Start an operation inside a call that was entered. NULL: reported. */
static dist_work *start(struct context *context, const struct p2p *ask)
{
    struct dist_work *op = work_new(context);
    if (!op) {
        report(ask->call, ask->at, DIST_ERR_MEMORY, "the system gives no memory for one more work");
        return NULL;
    }
    op->async = true;
    if (!prepare(context, ask, op)) {
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
    struct context *context = context_enter(ask->call, ask->at);
    if (!context)
        return NULL;
    dist_work *op = start(context, ask);
    context_exit(context);
    return op;
}

int dist_send_with(struct dist_send_args a)
{
    return blocking(&(struct p2p){ CALL_SEND, true, a.at, a.tensor, a.dst, a.tag, a.group });
}

int dist_recv_with(struct dist_recv_args a)
{
    return blocking(&(struct p2p){ CALL_RECV, false, a.at, a.tensor, a.src, a.tag, a.group });
}

dist_work *dist_isend_with(struct dist_send_args a)
{
    return starting(&(struct p2p){ CALL_ISEND, true, a.at, a.tensor, a.dst, a.tag, a.group });
}

dist_work *dist_irecv_with(struct dist_recv_args a)
{
    return starting(&(struct p2p){ CALL_IRECV, false, a.at, a.tensor, a.src, a.tag, a.group });
}

int dist_batch_isend_irecv_at(struct dist_at at, const dist_p2p_op *ops, int count, dist_work **works)
{
    struct context *context = context_enter(CALL_BATCH, at);
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
        works[i] = start(context, &ask);
        if (!works[i])
            result = -DIST_ERR_ARGUMENT;
    }
    context_exit(context);
    return result;
}

/* ---- waiting ------------------------------------------------------------------- */

static bool check_work(enum call call, struct dist_at at, const dist_work *work)
{
    if (!work)
        report(call, at, DIST_ERR_ARGUMENT, "the work is NULL; only calls that start something give one");
    else if (work->live != WORK_LIVE)
        report(call, at, DIST_ERR_STATE, "the work was waited for already; wait exactly once for each");
    return work && work->live == WORK_LIVE;
}

static int wait_for(struct context *context, enum call call, struct dist_at at, dist_work *work)
{
    if (!check_work(call, at, work))
        return work ? -DIST_ERR_STATE : -DIST_ERR_ARGUMENT;
    noted_wait(context, work);
    int status = context->backend->wait(context->room, work);
    noted_source(context, work);
    checked_end(work);
    int result = work->from >= 0 ? work->from : 0;
    work->group->pending--;
    if (status != DIST_OK)
        result = report_op(work);
    work_free(context, work);
    return result;
}

int dist_wait_at(struct dist_at at, dist_work *work)
{
    struct context *context = context_enter(CALL_WAIT, at);
    if (!context)
        return -DIST_ERR_STATE;
    int result = wait_for(context, CALL_WAIT, at, work);
    context_exit(context);
    return result;
}

int dist_wait_all_at(struct dist_at at, dist_work **works, int count)
{
    struct context *context = context_enter(CALL_WAIT_ALL, at);
    if (!context)
        return -DIST_ERR_STATE;
    int first_error = 0;
    if (count < 0 || (count > 0 && !works))
        first_error = report(CALL_WAIT_ALL, at, DIST_ERR_ARGUMENT,
                             "count is %d and works is %s; pass an array of count works", count,
                             works ? "given" : "NULL");
    for (int i = 0; i < count && works; i++) {
        int result = wait_for(context, CALL_WAIT_ALL, at, works[i]);
        if (result < 0 && first_error == 0)
            first_error = result;
    }
    context_exit(context);
    return first_error;
}

bool dist_is_completed_at(struct dist_at at, dist_work *work)
{
    struct context *context = context_enter(CALL_IS_COMPLETED, at);
    if (!context)
        return false;
    bool done = check_work(CALL_IS_COMPLETED, at, work) && context->backend->test(context->room, work);
    if (done)
        checked_end(work);
    context_exit(context);
    return done;
}
