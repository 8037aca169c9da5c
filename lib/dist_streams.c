/* dist_streams.c: streams and events, as programs see them. On a rank without a GPU they have nothing to wait for. */
#include "context.h"
#include "streams/order.h"

/* ---- a call begins: nothing is wrong with it yet ------------------------------------------- */

static struct gpu *dist_streams_open(const char *call, struct dist_at at)
{
    call_note.error = 0;
    return gpu_open(call, at);
}

/* NULL: nobody has asked for a GPU yet. */
static struct gpu *dist_streams_if_open(void)
{
    call_note.error = 0;
    return gpu_if_open(context_get()->self);
}

/* ---- which one ---------------------------------------------------------------------------- */

int dist_set_device_at(struct dist_at at, enum dist_device device)
{
    call_note.error = 0;
    if (device != DIST_HOST && device != DIST_GPU)
        return report_tensor("dist_set_device", at, DIST_ERR_ARGUMENT,
                             "device is %d; it must be DIST_HOST or DIST_GPU", (int)device);
    struct gpu *gpu = dist_streams_open("dist_set_device", at);
    if (!gpu)
        return call_note.error;
    gpu->wanted = device == DIST_GPU;
    return 0;
}

/* NULL stands for the default stream (where there is a GPU). NULL: it was freed, or belongs to another rank, which was reported. */
static struct dist_stream *dist_streams_named(struct gpu *gpu, const char *call, struct dist_at at,
                                              dist_stream *stream)
{
    struct dist_stream *which = stream ? stream : &gpu->streams[0];
    bool ours = gpu && which >= gpu->streams && which < gpu->streams + DEVICE_STREAMS;
    if (ours && which->live == STREAM_LIVE)
        return which;
    refuse(call, at,
           ours ? "the stream was freed; free it after its last use"
                : "this rank made no such stream; each rank makes its own with dist_stream_new");
    return NULL;
}

dist_stream *dist_stream_new_at(struct dist_at at)
{
    const char *call = "dist_stream_new";
    struct gpu *gpu = dist_streams_open(call, at);
    if (!gpu)
        return NULL;
    int number = gpu->made, others = 0;
    do /* that of a stream that was freed comes late again: so a second use of that is seen as what it is */
        number = number % (DEVICE_STREAMS - 1) + 1;
    while (gpu->streams[number].live == STREAM_LIVE && ++others < DEVICE_STREAMS - 1);
    if (gpu->streams[number].live == STREAM_LIVE)
        return report_tensor(
                   call, at, DIST_ERR_MEMORY,
                   "no room for one more stream; a rank has at most %d, so free those that are done",
                   DEVICE_STREAMS),
               NULL;
    struct stream *stream = gpu->device->stream_new(gpu->state, number);
    if (!stream)
        return report_tensor(call, at, DIST_ERR_MEMORY, "the device \"%s\" has no memory left",
                             gpu->device->name),
               NULL;
    struct dist_stream *made = &gpu->streams[number];
    made->live = STREAM_LIVE;
    made->number = gpu->made = number;
    made->stream = stream;
    made->made_at = at;
    return made;
}

int dist_stream_free_at(struct dist_at at, dist_stream *stream)
{
    struct gpu *gpu = dist_streams_if_open();
    if (!stream || !dist_streams_named(gpu, "dist_stream_free", at, stream))
        return call_note.error;
    if (stream == gpu->current || stream->number == 0)
        return report_tensor("dist_stream_free", at, DIST_ERR_STATE,
                             stream->number == 0
                                 ? "it is the default stream, which a rank always has; free others only"
                                 : "it is the current stream; call dist_stream_use(NULL) first");
    int result = gpu_await_stream(gpu, "dist_stream_free", at, stream);
    gpu->device->stream_free(stream->stream);
    stream->live = 0;
    return result;
}

dist_stream *dist_stream_use_at(struct dist_at at, dist_stream *stream)
{
    struct gpu *gpu = dist_streams_open("dist_stream_use", at);
    struct dist_stream *which = gpu ? dist_streams_named(gpu, "dist_stream_use", at, stream) : NULL;
    if (!which)
        return NULL;
    struct dist_stream *before = gpu->current;
    gpu->current = which;
    return before;
}

struct native {
    struct gpu *gpu;
    struct dist_stream *stream;
    void *found;
};

/* Not before all that stands in it was given to the runtime: what the program adds belongs behind that. */
static bool dist_streams_found(void *argument)
{
    struct native *native = argument;
    native->found = native->gpu->device->stream_native(native->stream->stream);
    return native->found != NULL;
}

void *dist_stream_native_with(struct dist_stream_args args)
{
    struct gpu *gpu = dist_streams_open("dist_stream_native", args.at);
    if (!gpu)
        return NULL;
    if (!gpu->device->stream_native)
        return report_tensor(
                   "dist_stream_native", args.at, DIST_ERR_ENVIRONMENT,
                   "DEVICE is \"%s\", where a stream is no CUDA stream; run it with DEVICE=cuda on a "
                   "machine with a GPU, or do this work with the tensor_ calls",
                   launch_device()),
               NULL;
    struct native native = { .gpu = gpu, .stream = gpu->current };
    if (args.stream && !(native.stream = dist_streams_named(gpu, "dist_stream_native", args.at, args.stream)))
        return NULL;
    gpu_await(gpu, "dist_stream_native", args.at, dist_streams_found, &native, native.stream);
    return native.found;
}

/* ---- the host waits -------------------------------------------------------------------------- */

int dist_stream_synchronize_at(struct dist_at at, dist_stream *stream)
{
    struct gpu *gpu = dist_streams_if_open();
    bool waits = gpu || stream;
    struct dist_stream *which = waits ? dist_streams_named(gpu, "dist_stream_synchronize", at, stream) : NULL;
    if (!which)
        return call_note.error;
    int result = gpu_await_stream(gpu, "dist_stream_synchronize", at, which);
    return gpu_has_failed(gpu, "dist_stream_synchronize", at) ? -DIST_ERR_SYSTEM : result;
}

int dist_synchronize_at(struct dist_at at)
{
    struct gpu *gpu = dist_streams_if_open();
    return gpu ? gpu_await_all(gpu, "dist_synchronize", at) : 0;
}

/* ---- events ------------------------------------------------------------------------------------ */

static bool dist_streams_usable(const struct gpu *gpu, const char *call, struct dist_at at,
                                const dist_event *event)
{
    if (event && event->live == EVENT_LIVE && event->gpu == gpu)
        return true;
    if (event && event->live == EVENT_LIVE)
        return refuse(call, at, "another rank recorded the event; ranks wait for each other with messages");
    return refuse(call, at, "the event %s; record one with dist_event_record first",
                  event ? "was freed" : "is NULL");
}

dist_event *dist_event_record_at(struct dist_at at)
{
    const char *call = "dist_event_record";
    struct gpu *gpu = dist_streams_open(call, at);
    struct dist_event *event = gpu ? gpu_take_event(gpu, at) : NULL;
    if (gpu && !event)
        report_tensor(call, at, DIST_ERR_MEMORY, "the system gives no memory for one more event");
    if (!event)
        return NULL;
    int status = mark_record(event->event, gpu->current->stream);
    if (status != DIST_OK)
        gpu_give_event(gpu, event);
    if (gpu_refused(call, at, status))
        return NULL;
    order_learn(gpu, event->clock, gpu->current->clock);
    return event;
}

int dist_event_wait_at(struct dist_at at, dist_event *event)
{
    const char *call = "dist_event_wait";
    struct gpu *gpu = dist_streams_open(call, at);
    if (!gpu || !dist_streams_usable(gpu, call, at, event))
        return call_note.error;
    order_learn(gpu, gpu->current->clock, event->clock);
    int status = mark_follow(event->event, gpu->current->stream);
    gpu_refused(call, at, status);
    return -status;
}

bool dist_event_passed_at(struct dist_at at, dist_event *event)
{
    struct gpu *gpu = dist_streams_open("dist_event_passed", at);
    if (!gpu || !dist_streams_usable(gpu, "dist_event_passed", at, event) || !mark_passed(event->event))
        return false;
    order_learn(gpu, gpu->clock, event->clock);
    return true;
}

static bool dist_streams_has_passed(void *argument)
{
    const struct dist_event *event = argument;
    return mark_passed(event->event);
}

static void dist_streams_await_event(struct gpu *gpu, const char *call, struct dist_at at, dist_event *event)
{
    gpu_await(gpu, call, at, dist_streams_has_passed, event, event->stream);
    order_learn(gpu, gpu->clock, event->clock);
}

double dist_event_elapsed_at(struct dist_at at, dist_event *from, dist_event *to)
{
    const char *call = "dist_event_elapsed";
    struct gpu *gpu = dist_streams_open(call, at);
    if (!gpu || !dist_streams_usable(gpu, call, at, from) || !dist_streams_usable(gpu, call, at, to))
        return 0;
    dist_streams_await_event(gpu, call, at, from);
    dist_streams_await_event(gpu, call, at, to);
    return gpu->device->event_elapsed(from->event, to->event);
}

int dist_event_free_at(struct dist_at at, dist_event *event)
{
    struct gpu *gpu = dist_streams_if_open();
    if (!event || !dist_streams_usable(gpu, "dist_event_free", at, event))
        return call_note.error;
    gpu_give_event(event->gpu, event);
    return 0;
}
