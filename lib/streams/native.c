/*
 * native.c: the same for a backend that works on streams itself (backend.on_streams): it needs no thread.
 *
 * The backend's call is made at once and never blocks. From then on the rank's own calls look what has become of its ops, which fly once
 * `begun` says so: a backend that has news for a rank that sleeps notifies it, like a stream.
 */
#define _GNU_SOURCE
#include "ops.h"
#include "../devices/host.h"

#include <time.h>

#define DRAIN_NAP 50000L /* ns */

/* Of those that fly, all before `last` (NULL: all). */
static void native_end_done_before(struct gpu_ops *ops, const struct dist_work *last)
{
    for (struct dist_work *op = ops->lists[LIST_FLYING].first, *next; op != last; op = next) {
        next = op->next_posted;
        if (!ops_is_done(ops, op))
            continue;
        op->status = ops->context->backend->wait(ops->context->state, op); /* returns at once */
        ops_end(ops, op_take(&ops->lists[LIST_FLYING], op));
    }
}

/* Of two that have failed the earlier is told. It may have done so only after it was looked at: so all before one that has failed are
 * looked at once more. */
static void native_end_if_done(struct gpu_ops *ops, struct dist_work *op)
{
    if (!ops_is_done(ops, op))
        return;
    op->status = ops->context->backend->wait(ops->context->state, op);
    if (op->status != DIST_OK)
        native_end_done_before(ops, op);
    ops_end(ops, op_take(&ops->lists[LIST_FLYING], op));
}

static void native_let_fly(struct gpu_ops *ops)
{
    bool failed = world_failed(&ops->gpu->self->world);
    for (struct dist_work *op; (op = ops->lists[LIST_POSTED].first) && (failed || atomic_load(&op->begun));)
        op_append(&ops->lists[LIST_FLYING], op_take(&ops->lists[LIST_POSTED], op));
}

void native_look(struct gpu_ops *ops)
{
    native_let_fly(ops);
    for (struct dist_work *op = ops->lists[LIST_FLYING].first, *next; op; op = next) {
        next = op->next_posted;
        native_end_if_done(ops, op);
    }
}

/* Whoever asks wants it to begin: a backend may have put off the start of messages, to let several go together. Ops begin in the order in
 * which they were posted: so this one flies if it has begun. */
void native_look_at(struct gpu_ops *ops, struct dist_work *op)
{
    if (!atomic_load(&op->begun))
        ops->context->backend->test(ops->context->state, op);
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
    mark_open(op->gate);
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

/* ---- on the host: a collective that is done by messages, on tensors that only a GPU can see (backend.on_host) -------
 *
 * The algorithms compute on the host. So the host waits for the stream, brings the tensors over, has it done, and brings the
 * result back: even an asynchronous call returns only then. In between no handler is called, which might leave by longjmp: the op is in
 * the list of what has been posted, and others would wait behind it for ever. What has failed meanwhile is told where the host waits next.
 */

/* False: no memory, or it was reported. */
static bool native_host_read(struct gpu *gpu, const struct dist_work *op, struct span *copy)
{
    size_t bytes = bytes_of(op, *copy);
    const void *data = copy->data;
    if (!data || bytes == 0)
        return true;
    copy->data = host_alloc(gpu->self, bytes);
    return copy->data && gpu_read(gpu, call_name(op->call), op->at, copy->data, data, bytes);
}

static int native_on_host(struct gpu_ops *ops, struct dist_work *op)
{
    struct context *context = ops->context;
    struct gpu *gpu = ops->gpu;
    struct dist_work host;
    bool one = work_has_one_tensor(op);
    work_copy_asked(&host, op);
    host.gpu = NULL;
    host.async = false;
    host.status = DIST_ERR_MEMORY;
    why_say(&host.why, "the host has no memory for a copy of the tensor");
    gpu->silent = context->handler != NULL;
    bool good = native_host_read(gpu, op, &host.in) && (one || native_host_read(gpu, op, &host.out));
    if (one)
        host.out = host.in;
    if (good && backend_start(context->backend, context->state, &host) == DIST_OK && op->out.data &&
        op->out.count > 0)
        gpu_write(gpu, call_name(op->call), op->at, op->out.data, host.out.data, bytes_of(op, op->out));
    gpu->silent = false;
    if (host.in.data != op->in.data)
        host_free(gpu->self, host.in.data);
    if (!one && host.out.data != op->out.data)
        host_free(gpu->self, host.out.data);
    op->status = host.status;
    op->speaker = host.speaker;
    op->why = host.why;
    return op->status;
}

/* ---- posting ------------------------------------------------------------------------------------ */

void native_post(struct gpu_ops *ops, struct dist_work *op)
{
    struct context *context = ops->context;
    const struct backend *backend = context->backend;
    bool host_does_it = backend->on_host && backend->on_host(context->state, op);
    op_append(&ops->lists[LIST_POSTED], op);
    int status = host_does_it ? native_on_host(ops, op) : backend_start(backend, context->state, op);
    if (host_does_it || status != DIST_OK)
        native_end_at_once(ops, op, status);
}
