/*
 * native.c: the same for a backend that works on streams itself (backend.on_streams): it needs no thread.
 *
 * The backend's call is made at once and never blocks. From then on the rank's own calls look what has become of its ops: a
 * backend that has news for a rank that sleeps notifies it, like a stream.
 *
 *   posted   ->   flying    ->   over
 *            begun          test()
 */
#define _GNU_SOURCE
#include "ops.h"

#include <time.h>

#define DRAIN_NAP 50000L /* ns */

static struct dist_work *native_at_posted(struct gpu_ops *ops)
{
    struct dist_work *op = ops->lists[LIST_POSTED].first;
    bool failed = world_failed(&ops->gpu->self->world);
    return op && (failed || atomic_load(&op->begun)) ? op_take(&ops->lists[LIST_POSTED], op) : NULL;
}

/* It is done: so the backend's wait returns at once. */
static int native_status(const struct gpu_ops *ops, struct dist_work *op)
{
    return op->status = ops->context->backend->wait(ops->context->state, op);
}

/* Of those that fly, all before `last` (NULL: all). */
static void native_end_done_before(struct gpu_ops *ops, const struct dist_work *last)
{
    for (struct dist_work *op = ops->lists[LIST_FLYING].first, *next; op != last; op = next) {
        next = op->next_posted;
        if (!ops_is_done(ops, op))
            continue;
        native_status(ops, op);
        ops_end(ops, op_take(&ops->lists[LIST_FLYING], op));
    }
}

/* Of two that have failed the earlier is told. It may have done so only after it was looked at: so all before one that has failed are
 * looked at once more. */
static void native_end_if_done(struct gpu_ops *ops, struct dist_work *op)
{
    if (!ops_is_done(ops, op))
        return;
    if (native_status(ops, op) != DIST_OK)
        native_end_done_before(ops, op);
    ops_end(ops, op_take(&ops->lists[LIST_FLYING], op));
}

static void native_let_fly(struct gpu_ops *ops)
{
    for (struct dist_work *op; (op = native_at_posted(ops));)
        op_append(&ops->lists[LIST_FLYING], op);
}

void native_look(struct gpu_ops *ops)
{
    native_let_fly(ops);
    for (struct dist_work *op = ops->lists[LIST_FLYING].first, *next; op; op = next) {
        next = op->next_posted;
        native_end_if_done(ops, op);
    }
}

/* Ops begin in the order in which they were posted: so this one flies if it has begun. */
void native_look_at(struct gpu_ops *ops, struct dist_work *op)
{
    native_let_fly(ops);
    if (!atomic_load(&op->over) && (atomic_load(&op->begun) || world_failed(&ops->gpu->self->world)))
        native_end_if_done(ops, op);
}

/* It never flew, or is over already. */
static void native_end_at_once(struct gpu_ops *ops, struct dist_work *op, int status)
{
    if (status != DIST_OK)
        native_end_done_before(ops, NULL);
    if (atomic_load(&op->over)) /* the job has failed meanwhile */
        return;
    op->status = status; /* op->why has the words */
    ops_tell_refusal(ops, op);
    ops->gpu->device->gate_open(op->gate);
    atomic_store(&op->begun, 1);
    ops_end(ops, op_take(&ops->lists[LIST_POSTED], op));
}

/* The backend was left: all that it has given to the device passes there by itself, also where peers' streams do it. */
void ops_drain(struct gpu *gpu)
{
    struct gpu_ops *ops = gpu->ops;
    ops_look(ops);
    while (ops && ops->native && ops->lists[LIST_FLYING].first && !world_failed(&gpu->self->world)) {
        nanosleep(&(struct timespec){ .tv_nsec = DRAIN_NAP }, NULL);
        native_look(ops);
    }
}

void native_post(struct gpu_ops *ops, struct dist_work *op)
{
    struct context *context = ops->context;
    const struct backend *backend = context->backend;
    bool host_does_it = backend->on_host && backend->on_host(context->state, op);
    atomic_store(&op->begun, 0);
    op_append(&ops->lists[LIST_POSTED], op);
    int status = host_does_it ? on_host(ops, op) : backend_start(backend, context->state, op);
    if (host_does_it || status != DIST_OK)
        native_end_at_once(ops, op, status);
}
