/* order.c: see order.h. */
#include "order.h"

#include <stdlib.h>
#include <string.h>

/* An op that no stream has waited for yet. */
struct pending {
    struct dist_work *op;
    uint64_t behind[DEVICE_STREAMS]; /* what its stream knew when it was posted */
    bool started;                    /* the call let nobody wait */
    struct handle handle;
};

struct order {
    struct stretch *touches; /* of earlier ones only what still counts */
    uint64_t number;         /* of touches, ever */
    struct handles pending;
};

void order_open(struct gpu *gpu)
{
    if (setting_is("DIST_CHECK", "1"))
        gpu->order = calloc(1, sizeof *gpu->order);
}

/* ---- clocks ----------------------------------------------------------------------------- */

void order_learn(const struct gpu *gpu, uint64_t *known, const uint64_t *more)
{
    for (int i = 0; gpu->order && i < DEVICE_STREAMS; i++)
        if (known[i] < more[i])
            known[i] = more[i];
}

static bool order_knows(const struct gpu *gpu, int stream, const struct touched *touch)
{
    int other = touch->stream;
    return touch->count <= gpu->streams[stream].clock[other] || touch->count <= gpu->clock[other];
}

/* ---- touches ---------------------------------------------------------------------------- */

/* Addresses in the library's view, whichever view they came from. */
static struct touched order_touch_of(const struct gpu *gpu, enum touch touch, const void *data, size_t bytes)
{
    uintptr_t begin = (uintptr_t)world_open_view(&gpu->self->world, data);
    return (struct touched){ .bytes = { .begin = begin, .end = begin + bytes },
                             .touch = touch,
                             .stream = gpu->current->number };
}

/* The next one over these bytes, behind `after` (NULL: the first). NULL: there is none. */
static struct touched *order_next_over(const struct order *order, const struct stretch *bytes,
                                       const struct touched *after)
{
    struct stretch *next = stretch_find(order->touches, after ? &after->bytes : NULL, bytes->begin);
    return next && next->begin < bytes->end ? (struct touched *)next : NULL;
}

/* The newest touch that `now` comes too early for; NULL: there is none. */
static struct touched *order_too_early_for(const struct gpu *gpu, const struct touched *now)
{
    struct touched *newest = NULL;
    for (struct touched *at = NULL; (at = order_next_over(gpu->order, &now->bytes, at));)
        if ((touch_changes(at->touch) || touch_changes(now->touch)) && !(at->pardoned & 1u << now->stream) &&
            !order_knows(gpu, now->stream, at) && (!newest || newest->bytes.number < at->bytes.number))
            newest = at;
    return newest;
}

/* False: it was told, which is done once; tried again, the touch is let pass. */
static bool order_may(struct gpu *gpu, const struct touched *now)
{
    struct touched *before = now->bytes.begin < now->bytes.end ? order_too_early_for(gpu, now) : NULL;
    if (before) {
        before->pardoned |= 1u << now->stream;
        order_tell(gpu, before, now);
    }
    return !before;
}

/* Leave of a touch what lies in [begin, end). */
static void order_leave(struct order *order, const struct touched *touch, uintptr_t begin, uintptr_t end)
{
    struct touched *rest = begin < end ? malloc(sizeof *rest) : NULL;
    if (rest) {
        *rest = *touch;
        rest->bytes = (struct stretch){ .begin = begin, .end = end, .number = touch->bytes.number };
        stretch_add(&order->touches, &rest->bytes);
    }
}

/* Take these bytes out of a touch, which may leave two parts of it, one, or none. */
static void order_cut(struct order *order, struct touched *touch, const struct stretch *bytes)
{
    stretch_remove(&order->touches, &touch->bytes);
    order_leave(order, touch, touch->bytes.begin, bytes->begin);
    order_leave(order, touch, bytes->end, touch->bytes.end);
    free(touch);
}

/* Whoever knows of `now` knows of `before`, or was told: then that need not be kept. */
static bool order_replaces(const struct gpu *gpu, const struct touched *now, const struct touched *before)
{
    return touch_changes(now->touch) ||
           (!touch_changes(before->touch) && order_knows(gpu, now->stream, before));
}

/* Note a touch, as the newest of its stream. */
static void order_add(struct gpu *gpu, const struct touched *now)
{
    struct order *order = gpu->order;
    struct touched *touch = now->bytes.begin < now->bytes.end ? malloc(sizeof *touch) : NULL;
    if (!touch)
        return;
    for (struct touched *before = order_next_over(order, &now->bytes, NULL), *next; before; before = next) {
        next = order_next_over(order, &now->bytes, before);
        if (order_replaces(gpu, now, before))
            order_cut(order, before, &now->bytes);
    }
    *touch = *now;
    touch->count = ++gpu->streams[now->stream].clock[now->stream];
    touch->bytes.number = ++order->number;
    stretch_add(&order->touches, &touch->bytes);
}

bool order_touch(struct gpu *gpu, const char *call, struct dist_at at, const void *data, size_t bytes,
                 bool writes)
{
    if (!gpu->order)
        return true;
    struct touched now = order_touch_of(gpu, writes ? TOUCH_WRITE : TOUCH_READ, data, bytes);
    now.call = call;
    now.at = at;
    if (!order_may(gpu, &now))
        return false;
    order_add(gpu, &now);
    return true;
}

void order_forget(struct gpu *gpu, const struct storage *storage)
{
    if (!gpu->order)
        return;
    struct touched all = order_touch_of(gpu, TOUCH_WRITE, storage->data, storage->bytes);
    for (struct touched *touch; (touch = order_next_over(gpu->order, &all.bytes, NULL));)
        order_cut(gpu->order, touch, &all.bytes);
}

/* ---- operations --------------------------------------------------------------------------- */

/* What an op reads and writes, each empty where there is no such thing. */
static void order_touches_of(const struct gpu *gpu, const struct dist_work *op, struct touched *in,
                             struct touched *out)
{
    size_t size = dtype_size(op->type);
    *in = order_touch_of(gpu, op->p2p ? TOUCH_SEND : TOUCH_READ, op->in.data,
                         checked_reads(op) ? (size_t)op->in.count * size : 0);
    *out = order_touch_of(gpu, op->p2p ? TOUCH_RECEIVE : TOUCH_WRITE, op->out.data,
                          checked_writes(op) ? (size_t)op->out.count * size : 0);
    in->call = out->call = call_name(op->call);
    in->at = out->at = op->at;
}

bool order_post(struct gpu *gpu, const struct dist_work *op)
{
    struct touched in, out;
    if (!gpu->order)
        return true;
    order_touches_of(gpu, op, &in, &out);
    return order_may(gpu, &in) && order_may(gpu, &out);
}

void order_begin(struct gpu *gpu, struct dist_work *op, bool started)
{
    struct order *order = gpu->order;
    struct pending *pending = op->pending = order ? malloc(sizeof *pending) : NULL;
    if (!pending)
        return;
    pending->op = op;
    pending->started = started;
    memcpy(pending->behind, gpu->current->clock, sizeof pending->behind);
    handle_open(&order->pending, &pending->handle);
}

/* It is waited for now: whoever waits knows what its stream knew. */
static void order_end(struct gpu *gpu, struct pending *pending, uint64_t *known)
{
    order_learn(gpu, known, pending->behind);
    pending->op->pending = NULL;
    handle_close(&gpu->order->pending, &pending->handle);
    free(pending);
}

void order_follow(struct gpu *gpu, struct dist_work *op)
{
    struct touched in, out;
    if (!op->pending)
        return;
    order_touches_of(gpu, op, &in, &out);
    in.waited = out.waited = op->pending->started;
    order_end(gpu, op->pending, gpu->current->clock);
    order_add(gpu, &in);
    order_add(gpu, &out);
}

/* What the host knows, all that comes later knows. */
void order_over(struct gpu *gpu, struct dist_work *op)
{
    struct order *order = gpu->order;
    struct handle *any;
    if (op && op->pending) {
        checked_end(op);
        order_end(gpu, op->pending, gpu->clock);
    }
    while (!op && order && (any = order->pending.newest))
        order_over(gpu, HANDLE_OF(struct pending, any)->op);
}
