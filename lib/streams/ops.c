/* ops.c: operations on device tensors, as the calls of dist.h see them. ops.h has the rules. */
#include "ops.h"
#include "order.h"

#include <stdlib.h>

/* ---- opening ---------------------------------------------------------------------------- */

static int ops_open(struct context *context, struct gpu *gpu, struct why *why)
{
    struct gpu_ops *ops = calloc(1, sizeof *ops + (size_t)context->world.size * sizeof ops->met[0]);
    int status = ops ? setting_check("DIST_CONNECT", why) : DIST_ERR_MEMORY;
    if (status == DIST_OK)
        status = link_read(&ops->link, why);
    if (status == DIST_ERR_MEMORY)
        why_say(why, "the system gives no memory for communication in the background");
    if (status != DIST_OK) {
        free(ops);
        return status;
    }
    ops->gpu = gpu;
    ops->context = context;
    ops->native = context->backend->on_streams;
    ops->lazy = setting_is("DIST_CONNECT", "lazy");
    for (int i = 0; i < OP_LISTS; i++)
        ops->lists[i].end = &ops->lists[i].first;
    pthread_mutex_init(&ops->lock, NULL);
    gpu->ops = ops;
    context->gpu = gpu;
    context->quick_reach = context; /* a message must not overtake what waits for its stream */
    return DIST_OK;
}

void ops_give_back(struct dist_work *op)
{
    mark_free(op->ready);
    mark_free(op->gate);
    op->ready = op->gate = NULL;
}

void ops_close(struct gpu *gpu)
{
    struct gpu_ops *ops = gpu->ops;
    if (!ops)
        return;
    order_over(gpu, NULL);
    for (int i = 0; i < OP_LISTS; i++)
        while (ops->lists[i].first) {
            struct dist_work *op = op_take(&ops->lists[i], ops->lists[i].first);
            ops_give_back(op);
            if (op->live != WORK_LIVE)
                work_recycle(ops->context, op);
        }
    pthread_mutex_destroy(&ops->lock);
    ops->context->gpu = NULL;
    free(ops);
    gpu->ops = NULL;
}

/* ---- posting ------------------------------------------------------------------------------ */

static int ops_prepare(struct gpu *gpu, struct dist_work *op)
{
    const struct device *device = gpu->device;
    op->in.data = world_open_view(&gpu->self->world, op->in.data);
    op->out.data = world_open_view(&gpu->self->world, op->out.data);
    op->async = true;
    op->stream = 1 + (uint32_t)gpu->current->number;
    op->asked = gpu->self->seen_on_stream ? launch_clock_ns() : 0;
    op->ready = device->event_new(gpu->state, false);
    op->gate = device->gate_new(gpu->state);
    return op->ready && op->gate
               ? mark_record(op->ready, gpu->current->stream)
               : device_fail(DIST_ERR_MEMORY, "the device \"%s\" has no memory left", device->name);
}

static int ops_enqueue(struct context *context, struct dist_work *op)
{
    struct gpu *gpu = op->gpu;
    if (!gpu->ops && (op->status = ops_open(context, gpu, &op->why)) != DIST_OK)
        return op->status;
    struct gpu_ops *ops = gpu->ops;
    bool started = op->async;
    if (!ops->native && !ops_thread_start(ops))
        return op->status = why_fail(DIST_ERR_SYSTEM, &op->why, BACKEND_NO_THREAD);
    int status = ops_prepare(gpu, op);
    if (status != DIST_OK) {
        ops_give_back(op);
        return op->status = why_fail(status, &op->why, "%s", device_why());
    }
    order_begin(gpu, op, started);
    if (ops->native) {
        native_post(ops, op);
        return DIST_OK;
    }
    pthread_mutex_lock(&ops->lock);
    op_append(&ops->lists[LIST_POSTED], op);
    pthread_mutex_unlock(&ops->lock);
    eventcount_notify(&launch_slot(gpu->self)->eventcount);
    return DIST_OK;
}

int ops_post(struct context *context, struct dist_work *op)
{
    gpu_range_begin(op->gpu, call_name(op->call));
    int status = ops_enqueue(context, op);
    gpu_range_end(op->gpu);
    return status;
}

/* ---- waiting -------------------------------------------------------------------------------- */

static bool ops_passed(void *argument)
{
    return ops_is_over(argument);
}

bool ops_is_over(struct dist_work *op)
{
    struct gpu_ops *ops = op->gpu->ops;
    if (ops && ops->native)
        native_look_at(ops, op);
    return atomic_load(&op->over) != 0;
}

/* Lazy: is this the first message between two ranks, or the first collective of a group? It then makes the connection. */
static bool ops_makes_connection(struct gpu_ops *ops, const struct dist_work *op)
{
    bool *met = op->p2p ? &ops->met[op->peer] : &op->group->met;
    bool first = ops->lazy && !*met;
    *met = true;
    return first;
}

/* Who sent, must be known before the call can return; all else the stream can wait for alone. */
int ops_follow(struct context *context, const char *call, struct dist_work *op)
{
    struct gpu *gpu = op->gpu;
    bool host_waits = (op->p2p && op->peer == DIST_ANY_SOURCE) || ops_makes_connection(gpu->ops, op);
    bool receives = op->p2p && !op->sends;
    work_forget(context, op);
    if (!host_waits) {
        ops_is_over(op);
        host_waits = mark_follow(op->gate, gpu->current->stream) != DIST_OK;
    }
    if (host_waits) {             /* also in place of a stream that has no room for the gate */
        ops_unwant(gpu->ops, op); /* now: a handler may leave by longjmp */
        gpu_await(gpu, call, op->at, ops_passed, op, NULL);
        noted_source(context, op);
        int status = op->status, from = op->from;
        gpu->awaited = NULL;
        ops_settle(gpu);
        return status != DIST_OK ? -status : receives ? from : 0;
    }
    int peer = op->peer;
    order_follow(gpu, op);
    ops_unwant(gpu->ops, op); /* what is left of it belongs to ops_settle */
    ops_tidy(gpu->ops);
    return receives ? peer : 0;
}
