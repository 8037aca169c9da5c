/* order.c: see order.h. */
#include "order.h"
#include "../checked.h"

#include <stdlib.h>
#include <string.h>

/* An op that no stream has waited for yet. */
struct pending {
    struct dist_work *op;
    uint64_t behind[DEVICE_STREAMS]; /* what its stream knew when it was posted */
    bool started;                    /* the call let nobody wait */
    struct pending *next;
};

struct order {
    uint64_t known[DEVICE_STREAMS][DEVICE_STREAMS]; /* to a stream: of each stream, itself too */
    uint64_t host[DEVICE_STREAMS]; /* to the host, and so to all that is put in from now on */
    struct touched *touches;       /* newest first; of earlier ones only what still counts */
    struct pending *pending;
};

void order_open(struct gpu *gpu)
{
    const char *check = getenv("DIST_CHECK");
    if (check && strcmp(check, "1") == 0)
        gpu->order = calloc(1, sizeof *gpu->order);
}

/* ---- clocks ----------------------------------------------------------------------------- */

static void learn(uint64_t *known, const uint64_t *more)
{
    for (int i = 0; i < DEVICE_STREAMS; i++)
        if (known[i] < more[i])
            known[i] = more[i];
}

static bool knows(const struct order *order, int stream, const struct touched *touch)
{
    int other = touch->stream;
    return touch->count <= order->known[stream][other] || touch->count <= order->host[other];
}

void order_record(struct gpu *gpu, struct dist_event *event)
{
    if (gpu->order)
        memcpy(event->clock, gpu->order->known[gpu->current->number], sizeof event->clock);
}

void order_wait(struct gpu *gpu, const struct dist_event *event)
{
    if (gpu->order)
        learn(gpu->order->known[gpu->current->number], event->clock);
}

void order_host_passed(struct gpu *gpu, const struct dist_event *event)
{
    if (gpu->order)
        learn(gpu->order->host, event->clock);
}

void order_host_waited(struct gpu *gpu, const struct dist_stream *stream)
{
    if (gpu->order)
        learn(gpu->order->host, gpu->order->known[stream->number]);
}

/* ---- touches ---------------------------------------------------------------------------- */

/* Addresses in the program's view, whichever view they came from. */
static struct touched touch_of(const struct gpu *gpu, enum deed deed, const void *data, size_t bytes)
{
    uint64_t offset = world_offset(&gpu->self->world, data);
    uintptr_t begin =
        offset == UINT64_MAX ? (uintptr_t)data : (uintptr_t)gpu->self->world.header + (uintptr_t)offset;
    return (
        struct touched){ .begin = begin, .end = begin + bytes, .deed = deed, .stream = gpu->current->number };
}

static bool meet(const struct touched *a, const struct touched *b)
{
    return a->begin < b->end && b->begin < a->end;
}

/* The newest touch that `now` comes too early for; NULL: there is none. */
static struct touched *too_early_for(const struct order *order, const struct touched *now)
{
    struct touched *before = order->touches;
    while (before && (!meet(before, now) || (!deed_writes(before->deed) && !deed_writes(now->deed)) ||
                      before->pardoned & 1u << now->stream || knows(order, now->stream, before)))
        before = before->next;
    return before;
}

/* False: it was told, which is done once; tried again, the touch is let pass. */
static bool may(struct gpu *gpu, const struct touched *now)
{
    struct touched *before = now->begin < now->end ? too_early_for(gpu->order, now) : NULL;
    if (!before)
        return true;
    before->pardoned |= 1u << now->stream;
    order_tell(gpu, before, now);
    return false;
}

/* Take [begin, end) out of a touch, which may leave two parts of it, one, or none. Gives where the list goes on. */
static struct touched **cut(struct touched **at, uintptr_t begin, uintptr_t end)
{
    struct touched *touch = *at;
    if (begin <= touch->begin && touch->end <= end) {
        *at = touch->next;
        free(touch);
        return at;
    }
    struct touched *rest = begin > touch->begin && end < touch->end ? malloc(sizeof *rest) : NULL;
    if (rest) {
        *rest = *touch;
        rest->begin = end;
        touch->next = rest;
        touch->end = begin;
        return &rest->next;
    }
    if (begin <= touch->begin)
        touch->begin = end;
    else
        touch->end = begin;
    return &touch->next;
}

/* Whoever knows of `now` knows of `before`, or was told: then that need not be kept. */
static bool replaces(const struct order *order, const struct touched *now, const struct touched *before)
{
    return deed_writes(now->deed) || (!deed_writes(before->deed) && knows(order, now->stream, before));
}

/* Note a touch, as the newest of its stream. */
static void add(struct order *order, const struct touched *now)
{
    struct touched *touch = now->begin < now->end ? malloc(sizeof *touch) : NULL;
    if (!touch)
        return;
    for (struct touched **at = &order->touches; *at;)
        at = meet(*at, now) && replaces(order, now, *at) ? cut(at, now->begin, now->end) : &(*at)->next;
    *touch = *now;
    touch->count = ++order->known[now->stream][now->stream];
    touch->next = order->touches;
    order->touches = touch;
}

bool order_touch(struct gpu *gpu, const char *call, struct dist_at at, const void *data, size_t bytes,
                 bool writes)
{
    if (!gpu->order)
        return true;
    struct touched now = touch_of(gpu, writes ? DEED_WRITE : DEED_READ, data, bytes);
    now.call = call;
    now.at = at;
    if (!may(gpu, &now))
        return false;
    add(gpu->order, &now);
    return true;
}

void order_forget(struct gpu *gpu, const struct storage *storage)
{
    if (!gpu->order)
        return;
    struct touched all = touch_of(gpu, DEED_WRITE, storage->data, storage->bytes);
    for (struct touched **at = &gpu->order->touches; *at;)
        at = meet(*at, &all) ? cut(at, all.begin, all.end) : &(*at)->next;
}

/* ---- operations --------------------------------------------------------------------------- */

/* What an op reads and writes, each empty where there is no such thing. */
static void touches_of(const struct gpu *gpu, const struct dist_work *op, struct touched *in,
                       struct touched *out)
{
    bool writes = op->out.data && checked_writes(op),
         reads = op->in.data && (op->in.data != op->out.data || !writes);
    size_t size = dtype_size(op->type);
    *in =
        touch_of(gpu, op->p2p ? DEED_SEND : DEED_READ, op->in.data, reads ? (size_t)op->in.count * size : 0);
    *out = touch_of(gpu, op->p2p ? DEED_RECEIVE : DEED_WRITE, op->out.data,
                    writes ? (size_t)op->out.count * size : 0);
    in->call = out->call = call_name(op->call);
    in->at = out->at = op->at;
}

bool order_post(struct gpu *gpu, const struct dist_work *op)
{
    struct touched in, out;
    if (!gpu->order)
        return true;
    touches_of(gpu, op, &in, &out);
    return may(gpu, &in) && may(gpu, &out);
}

void order_begin(struct gpu *gpu, struct dist_work *op, bool started)
{
    struct order *order = gpu->order;
    struct pending *pending = order ? malloc(sizeof *pending) : NULL;
    if (!pending)
        return;
    *pending = (struct pending){ .op = op, .started = started, .next = order->pending };
    memcpy(pending->behind, order->known[gpu->current->number], sizeof pending->behind);
    order->pending = pending;
}

/* Take an op (NULL: any) from those that are waited for by nobody. NULL: it is not there. */
static struct pending *take(struct order *order, const struct dist_work *op)
{
    struct pending **at = order ? &order->pending : NULL;
    while (at && *at && op && (*at)->op != op)
        at = &(*at)->next;
    struct pending *pending = at ? *at : NULL;
    if (pending)
        *at = pending->next;
    return pending;
}

void order_follow(struct gpu *gpu, const struct dist_work *op)
{
    struct touched in, out;
    struct pending *pending = take(gpu->order, op);
    if (!pending)
        return;
    touches_of(gpu, op, &in, &out);
    in.waited = out.waited = pending->started;
    learn(gpu->order->known[gpu->current->number], pending->behind);
    add(gpu->order, &in);
    add(gpu->order, &out);
    free(pending);
}

/* What the host knows, all that comes later knows: so its touches need not be noted. */
void order_over(struct gpu *gpu, const struct dist_work *op)
{
    for (struct pending *pending; (pending = take(gpu->order, op)); free(pending)) {
        learn(gpu->order->host, pending->behind);
        checked_end(pending->op);
    }
}
