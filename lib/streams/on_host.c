/*
 * on_host.c: a collective that is done by messages, on tensors that only a GPU can see (backend.on_host).
 *
 * The algorithms compute on the host. So the host waits for the stream, brings the tensors over, has it done, and brings the
 * result back: even an asynchronous call returns only then. In between no handler is called, which might leave by longjmp: the op is in
 * the list of what has been posted, and others would wait behind it for ever. What has failed meanwhile is told where the host waits next.
 */
#include "../devices/host.h"
#include "ops.h"

#include <string.h>

static bool on_host_read(struct gpu *gpu, const struct dist_work *op, struct span *copy)
{
    size_t bytes = (size_t)copy->count * dtype_size(op->type);
    const void *data = copy->data;
    if (!data || bytes == 0)
        return true;
    copy->data = host_alloc(gpu->self, bytes);
    return copy->data && gpu_read(gpu, call_name(op->call), op->at, copy->data, data, bytes);
}

static bool on_host_write(struct gpu *gpu, const struct dist_work *op, const struct span *copy)
{
    size_t bytes = (size_t)copy->count * dtype_size(op->type);
    return bytes == 0 || gpu_write(gpu, call_name(op->call), op->at, op->out.data, copy->data, bytes);
}

/* Free a copy, if it is one. */
static void on_host_forget(struct gpu *gpu, const struct span *tensor, const struct span *copy)
{
    if (copy->data != tensor->data)
        host_free(gpu->self, copy->data);
}

int on_host(struct gpu_ops *ops, struct dist_work *op)
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
    bool good = on_host_read(gpu, op, &host.in);
    if (one)
        host.out = host.in;
    else
        good = good && on_host_read(gpu, op, &host.out);
    if (good && backend_start(context->backend, context->state, &host) == DIST_OK)
        good = !op->out.data || on_host_write(gpu, op, &host.out);
    gpu->silent = false;
    on_host_forget(gpu, &op->in, &host.in);
    if (!one)
        on_host_forget(gpu, &op->out, &host.out);
    op->status = host.status;
    op->speaker = host.speaker;
    op->why = host.why;
    return op->status;
}
