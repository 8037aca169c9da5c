/*
 * checked.c: DIST_CHECK=1, on the side of the calls. diagnose/guard.h tells what it does and why.
 *
 * Which tensors of a call are written depends on the call: the root of a broadcast only reads its tensor, and so do all
 * but the root in a reduce.
 */
#include "checked.h"
#include "streams/order.h"

#define WORDS 512

void checked_tell(struct misuse *misuse)
{
    char words[WORDS], text[2 * WORDS];
    misuse_say(misuse, words, sizeof words, text, sizeof text);
    report_block(misuse->call ? misuse->call : call_name(CALL_NONE), misuse->at, DIST_ERR_BUFFER, words,
                 text);
}

bool checked_open(struct context *context, struct dist_at at)
{
    struct why why;
    context->checked = false;
    if (setting_check("DIST_CHECK", &why) != DIST_OK)
        return !report(CALL_INIT, at, DIST_ERR_ENVIRONMENT, "%s", why.text);
    if (!setting_is("DIST_CHECK", "1"))
        return true;
    if (!guard_open(&context->self->world, checked_tell) && context->self->env.rank == 0)
        fprintf(stderr,
                "DIST_CHECK=1: address space is too small to watch plain C; only calls are checked\n");
    context->checked = true;
    return true;
}

static bool checked_may_touch(const char *call, struct dist_at at, const void *data, size_t bytes,
                              enum touch touch)
{
    const struct launch_self *self = guard_is_open() ? launch_self_if_any() : NULL;
    struct misuse misuse = { .rank = self ? self->env.rank : -1, .call = call, .at = at };
    if (!self || bytes == 0 || !guard_finds((uintptr_t)data, (uintptr_t)data + bytes, touch, &misuse))
        return true;
    checked_tell(&misuse);
    return false;
}

/* ---- the calls of dist.h ------------------------------------------------------------ */

bool checked_writes(const struct dist_work *op)
{
    bool root = op->peer == op->group->rank;
    return op->out.data && (op->call == CALL_BROADCAST ? !root : op->call != CALL_REDUCE || root);
}

bool checked_reads(const struct dist_work *op)
{
    return op->in.data && !(work_has_one_tensor(op) && checked_writes(op));
}

static bool checked_may_use(const struct dist_work *op, const struct span *span, enum touch touch)
{
    return checked_may_touch(call_name(op->call), op->at, span->data,
                             (size_t)span->count * dtype_size(op->type), touch);
}

static void checked_take_off(struct context *context, struct dist_work *op, const struct span *span,
                             bool written)
{
    uintptr_t begin = (uintptr_t)span->data;
    struct guarded guarded = { .bytes = { .begin = begin,
                                          .end = begin + (size_t)span->count * dtype_size(op->type) },
                               .written = written,
                               .blocks = !op->async,
                               .rank = context->self->env.rank,
                               .call = op->call,
                               .at = op->at,
                               .peer = op->p2p ? op->peer : -2 };
    guard_take(&op->guarded, &guarded);
}

bool checked_take(struct context *context, struct dist_work *op)
{
    if (op->gpu && !order_post(op->gpu, op))
        return false;
    bool reads = checked_reads(op), writes = checked_writes(op);
    if (reads && !checked_may_use(op, &op->in, op->p2p ? TOUCH_SEND : TOUCH_READ))
        return false;
    if (writes && !checked_may_use(op, &op->out, op->p2p ? TOUCH_RECEIVE : TOUCH_WRITE))
        return false;
    bool flies = op->async || !op->gpu; /* blocking, on a GPU: streams/order.h has it */
    if (flies && reads)
        checked_take_off(context, op, &op->in, false);
    if (flies && writes)
        checked_take_off(context, op, &op->out, true);
    op->in.data = world_open_view(&context->self->world, op->in.data);
    op->out.data = world_open_view(&context->self->world, op->out.data);
    return true;
}

/* ---- the calls of tensor.h ----------------------------------------------------------- */

bool tensor_may_read(const char *call, struct dist_at at, const tensor *t)
{
    return tensor_check(call, at, t) && checked_may_touch(call, at, t->data, t->bytes, TOUCH_READ);
}

bool tensor_may_write(const char *call, struct dist_at at, const tensor *t)
{
    return tensor_check(call, at, t) && checked_may_touch(call, at, t->data, t->bytes, TOUCH_WRITE);
}

bool tensor_may_touch_element(const char *call, struct dist_at at, const tensor *t, int64_t i, bool writes)
{
    if (!tensor_check(call, at, t) || !tensor_index(call, at, t, i))
        return false;
    size_t size = dtype_size(t->type);
    return checked_may_touch(call, at, (const char *)t->data + (size_t)i * size, size,
                             writes ? TOUCH_WRITE : TOUCH_READ);
}

/* A view may go at any time: the memory stays for the others. */
bool tensor_may_free(const char *call, struct dist_at at, const tensor *t)
{
    return tensor_check(call, at, t) &&
           (t->storage->users > 1 ||
            checked_may_touch(call, at, t->storage->data, t->storage->bytes, TOUCH_FREE));
}
