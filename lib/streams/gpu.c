/* gpu.c: see gpu.h. */
#include "gpu.h"
#include "order.h"

#include <stdlib.h>
#include <string.h>

bool gpu_refused(const char *call, struct dist_at at, int status)
{
    if (status != DIST_OK)
        report_tensor(call, at, (enum dist_error)status, "%s", device_why());
    return status != DIST_OK;
}

bool gpu_has_failed(const struct gpu *gpu, const char *call, struct dist_at at)
{
    return gpu->device->failed && gpu_refused(call, at, gpu->device->failed(gpu->state));
}

/* ---- opening ------------------------------------------------------------------------- */

static void *gpu_make(struct launch_self *self)
{
    struct gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu)
        return NULL;
    gpu->self = self;
    gpu->wanted = strcmp(launch_device(), "host") != 0;
    return gpu;
}

static struct gpu *gpu_of(const char *call, struct dist_at at)
{
    struct launch_self *self = launch_self_if_any();
    if (!self || !self->gpu)
        self = context_get()->self;
    struct gpu *gpu = launch_once(&self->gpu, gpu_make, self);
    if (!gpu)
        report_tensor(call, at, DIST_ERR_MEMORY, "the system gives no memory for this rank's state");
    return gpu;
}

bool gpu_for_tensors(const char *call, struct dist_at at, struct gpu **gpu)
{
    struct gpu *any = gpu_of(call, at);
    bool wanted = any && any->wanted;
    *gpu = wanted ? gpu_open(call, at) : NULL;
    return wanted ? *gpu != NULL : any != NULL;
}

/* Which device? Streams on the host are simulated, too. NULL: DEVICE makes no sense, which was reported. */
static const struct device *gpu_choose(const char *call, struct dist_at at)
{
    struct why why;
    if (setting_check("DEVICE", &why) == DIST_OK)
        return strcmp(launch_device(), "cuda") == 0 ? &device_cuda : &device_sim;
    report_tensor(call, at, DIST_ERR_ENVIRONMENT, "%s", why.text);
    return NULL;
}

struct gpu *gpu_open(const char *call, struct dist_at at)
{
    struct gpu *gpu = gpu_of(call, at);
    if (!gpu || gpu->device)
        return gpu;
    const struct device *device = gpu_choose(call, at);
    if (!device)
        return NULL;
    guard_open(&gpu->self->world, checked_tell);
    if (gpu_refused(call, at, device->open(gpu->self, &gpu->state)))
        return NULL;
    struct stream *stream = device->stream_new(gpu->state, 0);
    gpu->scratch = stream ? device->alloc(gpu->state, sizeof(double)) : NULL;
    if (!gpu->scratch) {
        if (stream)
            device->stream_free(stream);
        device->close(gpu->state);
        report_tensor(call, at, DIST_ERR_MEMORY, "the device \"%s\" has no memory left", device->name);
        return NULL;
    }
    gpu->streams[0] = (struct dist_stream){ .live = STREAM_LIVE, .stream = stream };
    gpu->current = &gpu->streams[0];
    gpu->device = device;
    order_open(gpu);
    return gpu;
}

/* ---- memory -------------------------------------------------------------------------- */

/* The host shall not touch it: guard.c closes the pages, or at least knows whose they are. */
void *gpu_alloc(struct gpu *gpu, struct storage *storage, struct dist_at at)
{
    storage->gpu = gpu;
    storage->data = gpu->device->alloc(gpu->state, storage->bytes);
    if (storage->data)
        guard_take(&storage->guarded,
                   &(struct guarded){ .bytes = { .begin = (uintptr_t)storage->data,
                                                 .end = (uintptr_t)storage->data + storage->bytes },
                                      .written = true,
                                      .device = true,
                                      .rank = gpu->self->env.rank,
                                      .call = CALL_TENSOR,
                                      .at = at });
    return storage->data;
}

void gpu_free(struct gpu *gpu, struct storage *storage)
{
    order_forget(gpu, storage);
    guard_release(&storage->guarded); /* before it is free: then another thread may take and touch it */
    gpu->device->free(gpu->state, storage->data);
}

/* ---- events: freed handles wait in a queue, so that their second use is seen as what it is -------------- */

struct dist_event *gpu_take_event(struct gpu *gpu, struct dist_at at)
{
    struct handle *again = handle_again(&gpu->events, false);
    struct dist_event *event = again ? HANDLE_OF(struct dist_event, again) : malloc(sizeof *event);
    if (!event)
        return NULL;
    *event = (struct dist_event){ .live = EVENT_LIVE, .made_at = at, .gpu = gpu, .stream = gpu->current };
    event->event = gpu->device->event_new(gpu->state, true);
    if (!event->event) {
        free(event);
        return NULL;
    }
    handle_open(&gpu->events, &event->handle);
    return event;
}

void gpu_give_event(struct gpu *gpu, struct dist_event *event)
{
    mark_free(event->event);
    event->live = 0;
    handle_close(&gpu->events, &event->handle);
    handle_queue(&gpu->events, &event->handle);
}

/* ---- work ------------------------------------------------------------------------------ */

static bool gpu_in_order(struct gpu *gpu, const char *call, struct dist_at at, const struct kernel *k)
{
    size_t out =
        k->kind == KERNEL_SUM ? 0 : (size_t)k->count * dtype_size(k->type); /* its out is our scratch */
    for (int i = 0; i < k->inputs; i++)
        if (k->in[i] != k->out && !order_touch(gpu, call, at, k->in[i], k->in_bytes[i], false))
            return false;
    for (int i = 0; i < k->copies; i++)
        if (!order_touch(gpu, call, at, k->copy[i], out, true))
            return false;
    return out == 0 || order_touch(gpu, call, at, k->out, out, true);
}

bool gpu_launch(struct gpu *gpu, const char *call, struct dist_at at, struct kernel kernel)
{
    kernel.name = call;
    kernel.at = at;
    if (gpu->order && !gpu_in_order(gpu, call, at, &kernel))
        return false;
    gpu_range_begin(gpu, call);
    int status = gpu->device->launch(gpu->current->stream, &kernel);
    gpu_range_end(gpu);
    return !gpu_refused(call, at, status);
}
