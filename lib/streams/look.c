/*
 * look.c: the host waits for its GPU.
 *
 * It sleeps on the rank's event count, like one that waits for a message, and notes what its stream is held up by: so the
 * watcher sees a rank that waits in that operation, and, in host_call, where in the program the host got stuck.
 */
#include "order.h"

#include <stdio.h>
#include <string.h>

#define NAP 100           /* ms after which a sleeper looks whether the job still stands */
#define STAGED (4u << 20) /* bytes that one copy between host and device moves at most */

struct awaited {
    struct gpu *gpu;
    bool (*passed)(void *argument);
    void *argument;
};

static bool look_news(void *argument)
{
    const struct awaited *awaited = argument;
    return awaited->passed(awaited->argument) || ops_has_failed(awaited->gpu);
}

/* Where the host waits: the watcher reads it. NULL: nowhere. */
static void look_note_call(struct gpu *gpu, const char *call, struct dist_at at)
{
    struct rank_notes *notes = launch_notes(gpu->self);
    if (call)
        notes->host_site = world_site(&gpu->self->world, gpu->self->env.rank, at);
    snprintf(notes->host_call, sizeof notes->host_call, "%s", call ? call : "");
}

/* Spin, then note what holds the rank up, if that is known, and sleep, until it has passed. False: an op has failed, and what is waited for
 * may never come then. */
static bool look_wait(struct gpu *gpu, struct awaited *awaited, struct dist_stream *held_up)
{
    struct eventcount *eventcount = &launch_slot(gpu->self)->eventcount;
    const struct context *context = gpu->self->context;
    struct backoff backoff = { 0 };
    while (!awaited->passed(awaited->argument)) {
        if (backoff_spin(&backoff))
            continue;
        if (ops_has_failed(gpu))
            return false;
        struct sleep_note *note = launch_note_on(gpu->self, eventcount, false);
        if (context && context->backend && context->backend->note)
            context->backend->note(context->state, ops_stuck(gpu, held_up)); /* it may say `timed` */
        eventcount_sleep(eventcount, look_news, awaited, NAP, note);
        launch_look_around(gpu->self);
    }
    return true;
}

/* Of a program that its report ends it is told where it was: without a handler the note stays until then. */
bool gpu_await_news(struct gpu *gpu, const char *call, struct dist_at at, bool (*passed)(void *argument),
                    void *argument, struct dist_stream *held_up)
{
    struct awaited awaited = { gpu, passed, argument };
    gpu->awaited = argument;
    const struct context *context = gpu->self->context;
    look_note_call(gpu, call, at);
    gpu_range_begin(gpu, call);
    bool over = look_wait(gpu, &awaited, held_up);
    gpu_range_end(gpu);
    if (context && context->handler)
        look_note_call(gpu, NULL, at);
    return over;
}

int gpu_tell_news(struct gpu *gpu)
{
    int result = ops_settle(gpu);
    look_note_call(gpu, NULL, (struct dist_at){ 0 });
    return result;
}

int gpu_await(struct gpu *gpu, const char *call, struct dist_at at, bool (*passed)(void *argument),
              void *argument, struct dist_stream *held_up)
{
    int first = 0;
    for (bool over = false; !over;) {
        over = gpu_await_news(gpu, call, at, passed, argument, held_up);
        int failed = gpu_tell_news(gpu);
        first = first ? first : failed;
    }
    return first;
}

static bool look_stream_is_empty(void *argument)
{
    struct gpu *gpu = ((void **)argument)[0];
    struct dist_stream *stream = ((void **)argument)[1];
    return gpu->device->stream_passed(stream->stream);
}

int gpu_await_stream(struct gpu *gpu, const char *call, struct dist_at at, struct dist_stream *stream)
{
    void *both[] = { gpu, stream };
    int result = gpu_await(gpu, call, at, look_stream_is_empty, both, stream);
    order_learn(gpu, gpu->clock, stream->clock);
    return result;
}

int gpu_await_streams(struct gpu *gpu, const char *call, struct dist_at at)
{
    int first = 0;
    for (int i = 0; i < DEVICE_STREAMS; i++)
        if (gpu->streams[i].live == STREAM_LIVE) {
            int result = gpu_await_stream(gpu, call, at, &gpu->streams[i]);
            first = first ? first : result;
        }
    return first;
}

int gpu_await_all(struct gpu *gpu, const char *call, struct dist_at at)
{
    int streams = gpu_await_streams(gpu, call, at), ops = ops_finish(gpu, call, at, NULL);
    order_over(gpu, NULL);
    if (gpu_has_failed(gpu, call, at))
        return -DIST_ERR_SYSTEM;
    return streams ? streams : ops;
}

/* ---- copies between the host and a tensor, through memory that a GPU can reach --------------------------------- */

/* A stream that was freed meanwhile was empty. */
void gpu_finish_copy(struct gpu *gpu, const char *call, struct dist_at at)
{
    struct dist_stream *stream = gpu->copying;
    if (stream && stream->live == STREAM_LIVE)
        gpu_await_stream(gpu, call, at, stream);
    gpu->copying = NULL;
}

/* Move bytes through the staging memory, a part at a time. What has failed meanwhile is told while the host waits, and
 * is no reason to leave the elements out. */
static bool look_move(struct gpu *gpu, const char *call, struct dist_at at, void *host, char *device,
                      size_t bytes, enum copy_way way)
{
    gpu_finish_copy(gpu, call, at);
    for (size_t done = 0, part; done < bytes; done += part) {
        part = bytes - done < STAGED ? bytes - done : STAGED;
        void *staging = gpu->device->staging(gpu->state, part);
        if (!staging)
            return !report_tensor(call, at, DIST_ERR_MEMORY, "the host has no memory for a copy of %zu bytes",
                                  part);
        bool in = way == COPY_TO_DEVICE;
        if (in)
            memcpy(staging, (char *)host + done, part);
        if (gpu_refused(call, at,
                        gpu->device->copy(gpu->current->stream, in ? device + done : staging,
                                          in ? staging : device + done, part, way)))
            return false;
        gpu->copying = gpu->current;
        gpu_await_stream(gpu, call, at, gpu->current);
        gpu->copying = NULL;
        if (gpu_has_failed(gpu, call, at))
            return false;
        if (!in)
            memcpy((char *)host + done, staging, part);
    }
    return true;
}

bool gpu_read(struct gpu *gpu, const char *call, struct dist_at at, void *host, const void *device,
              size_t bytes)
{
    bool good = !gpu->order || device == gpu->scratch || order_touch(gpu, call, at, device, bytes, false);
    return good && look_move(gpu, call, at, host, (char *)(uintptr_t)device, bytes, COPY_TO_HOST);
}

bool gpu_write(struct gpu *gpu, const char *call, struct dist_at at, void *device, const void *host,
               size_t bytes)
{
    bool good = !gpu->order || order_touch(gpu, call, at, device, bytes, true);
    return good && look_move(gpu, call, at, (void *)(uintptr_t)host, device, bytes, COPY_TO_DEVICE);
}
