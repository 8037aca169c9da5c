/* dist_p2p.c: send, receive, and batches of them. dist_wait.c waits for what was started here. */
#include "checked.h"
#include "streams/gpu.h"

/* A send or a receive as it was asked for. */
struct p2p {
    enum call call; /* as reports name it */
    bool sends;
    const char *file; /* and line: in a struct gcc would keep them in memory */
    int line;
    tensor *tensor;
    int peer;
    int tag;
    dist_group *group;
};

/* The group of a message with which all is well. NULL: something is wrong with it, and was reported. No work is made before: a handler may
 * leave by longjmp. */
static __attribute__((noinline)) struct dist_group *p2p_check_all(struct context *context, struct p2p ask)
{
    struct dist_at at = { ask.file, ask.line };
    struct dist_group *group = context_group(context, ask.call, at, ask.group, true);
    bool any = !ask.sends && ask.peer == DIST_ANY_SOURCE;
    if (!group || !context_tensor(context, ask.call, at, "tensor", ask.tensor) ||
        (!any && context_rank(context, ask.call, at, ask.sends ? "dst" : "src", ask.peer, group) < 0))
        return NULL;
    if (ask.tag < 0)
        return report(ask.call, at, DIST_ERR_ARGUMENT, "tag is %d; a tag must be 0 or more", ask.tag), NULL;
    /* What goes to the backend directly must not overtake what waits for its stream. */
    if (context->gpu && !ask.tensor->gpu)
        ops_flush(context->gpu, call_name(ask.call), at);
    return group;
}

/* Of the most common message a few instructions tell. */
static inline struct dist_group *p2p_check(struct context *context, const struct p2p *ask)
{
    if (!ask->group && !context->gpu && ask->tensor && ask->tensor->reach == context->self->world.header &&
        (ask->tag | ask->peer) >= 0 && ask->peer < context->world.size)
        return &context->world;
    return p2p_check_all(context, *ask);
}

/* Fill in an op from what was asked. False: DIST_CHECK=1 has something against it, which was reported. */
static inline bool p2p_prepare(struct context *context, const struct p2p *ask, uint32_t site,
                               struct dist_work *op)
{
    op->call = ask->call;
    op->at.file = ask->file;
    op->at.line = ask->line;
    op->site = site;
    op->type = ask->tensor->type;
    op->peer = ask->peer;
    op->tag = ask->tag;
    op->p2p = true;
    op->sends = ask->sends;
    op->op = DIST_SUM;
    op->block = 0;
    op->timeout = 0;
    op->gpu = ask->tensor->gpu;
    op->in.data = ask->sends ? ask->tensor->data : NULL;
    op->in.count = ask->sends ? ask->tensor->numel : 0;
    op->out.data = ask->sends ? NULL : ask->tensor->data;
    op->out.count = ask->sends ? 0 : ask->tensor->numel;
    work_begin(op);
    return checked_begin(context, op);
}

/* A work of what was asked, ready to be started, inside a call that was entered. NULL: reported. */
static inline dist_work *p2p_make(struct context *context, const struct p2p *ask, struct dist_group *group,
                                  uint32_t site, bool async)
{
    struct dist_work *op = group ? work_new(context, group) : NULL;
    if (!op)
        return group ? work_lacks_memory(ask->call, (struct dist_at){ ask->file, ask->line }) : NULL;
    op->async = async;
    return p2p_prepare(context, ask, site, op) ? op : NULL;
}

/* A blocking call, the long way. `begun`: the quick way gave QUICK_BEGUN. */
static __attribute__((noinline)) int p2p_blocking(struct p2p *ask, enum call call, bool begun)
{
    uint32_t site;
    ask->call = call;
    ask->sends = call == CALL_SEND;
    struct context *context = context_enter_from(ask->call, ask->file, ask->line, &site);
    if (!context)
        return -DIST_ERR_STATE;
    struct dist_work op; /* not cleared, which would take its time: p2p_prepare writes what is read */
    int result;
    op.async = false;
    op.begun_quickly = begun;
    op.splits = NULL;
    if (tensor_on_gpu(ask->tensor)) { /* the stream waits, the host does not */
        struct dist_work *work = p2p_make(context, ask, p2p_check(context, ask), site, false);
        result = call_note.error;
        if (work)
            start_work(context, work, &result);
    } else {
        op.group = p2p_check(context, ask);
        bool good = op.group && p2p_prepare(context, ask, site, &op);
        result = good ? start_and_wait(context, &op) : call_note.error;
    }
    context_exit(context);
    return result;
}

/* ---- send and receive: every nanosecond of a small one counts. First the backend's quick way, in as few instructions as can be. */

/* What was asked waits in memory until the quick way has said whether it is needed: in registers it would have to be saved and
 * brought back around that call, on the way of every message. */
static inline void p2p_fill(struct p2p *ask, const char *file, int line, tensor *tensor, int peer, int tag,
                            dist_group *group)
{
    ask->file = file;
    ask->line = line;
    ask->tensor = tensor;
    ask->peer = peer;
    ask->tag = tag;
    ask->group = group;
    __asm__("" : "+m"(*ask));
}

int dist_send_from(const char *file, int line, tensor *tensor, int dst, int tag, dist_group *group)
{
    uint32_t site;
    struct p2p ask;
    p2p_fill(&ask, file, line, tensor, dst, tag, group);
    struct context *context = context_quick(CALL_SEND, file, line, &site);
    const struct dist_group *in = context_quick_group(context, tensor, dst, tag, group);
    enum quick went =
        in ? context->backend->quick_send(context->state, tensor, dst, tag, in, site) : QUICK_NOT;
    return went == QUICK_DONE ? 0 : p2p_blocking(&ask, CALL_SEND, went == QUICK_BEGUN);
}

int dist_recv_from(const char *file, int line, tensor *tensor, int src, int tag, dist_group *group)
{
    uint32_t site;
    struct p2p ask;
    p2p_fill(&ask, file, line, tensor, src, tag, group);
    struct context *context = context_quick(CALL_RECV, file, line, &site);
    const struct dist_group *in = context_quick_group(context, tensor, src, tag, group);
    enum quick went =
        in ? context->backend->quick_recv(context->state, tensor, src, tag, in, site) : QUICK_NOT;
    return went == QUICK_DONE ? ask.peer : p2p_blocking(&ask, CALL_RECV, went == QUICK_BEGUN);
}

static inline dist_work *p2p_nonblocking(struct p2p ask)
{
    uint32_t site;
    int result;
    struct context *context = context_enter_from(ask.call, ask.file, ask.line, &site);
    if (!context)
        return NULL;
    dist_work *op = p2p_make(context, &ask, p2p_check(context, &ask), site, true);
    if (op)
        op = start_work(context, op, &result);
    context_exit(context);
    return op;
}

dist_work *dist_isend_from(const char *file, int line, tensor *tensor, int dst, int tag, dist_group *group)
{
    return p2p_nonblocking((struct p2p){ CALL_ISEND, true, file, line, tensor, dst, tag, group });
}

dist_work *dist_irecv_from(const char *file, int line, tensor *tensor, int src, int tag, dist_group *group)
{
    return p2p_nonblocking((struct p2p){ CALL_IRECV, false, file, line, tensor, src, tag, group });
}

/* ---- batches --------------------------------------------------------------------------- */

static struct p2p p2p_ask_of(const dist_p2p_op *entry, struct dist_at at)
{
    return (struct p2p){ CALL_BATCH,    entry->kind == DIST_ISEND,
                         at.file,       at.line,
                         entry->tensor, entry->peer,
                         entry->tag,    entry->group };
}

/* All works of a batch, ready to begin. 0, or the error of the first entry that is wrong: then there are none. */
static int p2p_make_all(struct context *context, struct dist_at at, uint32_t site, const dist_p2p_op *ops,
                        int count, dist_work **works)
{
    for (int i = 0; i < count; i++) {
        struct p2p ask = p2p_ask_of(&ops[i], at);
        bool good = ops[i].kind == DIST_ISEND || ops[i].kind == DIST_IRECV;
        call_note.entry = i + 1;
        if (!good)
            report(CALL_BATCH, at, DIST_ERR_ARGUMENT, "its kind is %d; it must be DIST_ISEND or DIST_IRECV",
                   (int)ops[i].kind);
        else
            good = p2p_check(context, &ask) != NULL;
        if (!good)
            return call_note.error;
    }
    for (int i = 0; i < count; i++) {
        struct p2p ask = p2p_ask_of(&ops[i], at);
        call_note.entry = i + 1;
        if (!p2p_make(context, &ask, ask.group ? ask.group : &context->world, site, true))
            return call_note.error;
    }
    call_note.entry = 0;
    for (int i = count; i-- > 0; call_note.made = works[i]->made)
        works[i] = call_note.made;
    return 0;
}

int dist_batch_isend_irecv_at(struct dist_at at, const dist_p2p_op *ops, int count, dist_work **works)
{
    uint32_t site;
    for (int i = 0; works && i < count; i++)
        works[i] = NULL;
    struct context *context = context_enter_from(CALL_BATCH, at.file, at.line, &site);
    if (!context)
        return -DIST_ERR_STATE;
    int result;
    if (count < 0 || (count > 0 && (!ops || !works)))
        result = report(CALL_BATCH, at, DIST_ERR_ARGUMENT,
                        "count is %d, ops %s, works %s; pass two arrays of count entries", count,
                        ops ? "given" : "NULL", works ? "given" : "NULL");
    else
        result = p2p_make_all(context, at, site, ops, count, works);
    for (int i = 0; result == 0 && i < count; i++)
        if ((works[i]->refused = start_op(context, works[i]) != DIST_OK) && !context->handler)
            report_op(works[i]); /* with a handler dist_wait tells; else peers that wait would seem stuck */
    context_exit(context);
    return result;
}
