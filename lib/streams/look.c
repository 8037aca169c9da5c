/*
 * look.c: the host waits for its GPU.
 *
 * It sleeps on the rank's bell, like one that waits for a message, and pins up what its stream is held up by: so the
 * watcher sees a rank that waits in that operation, and, in host_call, where in the program the host got stuck.
 */
#include "order.h"

#include <stdio.h>

#define NAP 100 /* ms after which a sleeper looks whether the job still stands */

struct hope {
    struct gpu *gpu;
    bool (*passed)(void *argument);
    void *argument;
};

static bool news(void *argument)
{
    const struct hope *hope = argument;
    return hope->passed(hope->argument) || comm_has_failed(hope->gpu);
}

/* Pin up what holds the rank up, if that is known, and sleep. */
static void sleep_until(struct gpu *gpu, struct hope *hope, struct dist_stream *held_up)
{
    struct rank_slot *slot = gpu->slot;
    const struct context *context = gpu->self->context;
    atomic_store(&slot->sleep.bell, world_offset(&gpu->self->world, &slot->bell));
    atomic_store(&slot->sleep.timed, 0); /* a room whose GPU is at work may set it: not all is at rest then */
    if (context && context->backend && context->backend->note && comm_may_note(gpu))
        context->backend->note(context->room, comm_stuck(gpu, held_up));
    bell_sleep(&slot->bell, news, hope, NAP, &slot->sleep);
    launch_look_around(gpu->self);
}

int gpu_await(struct gpu *gpu, const char *call, struct dist_at at, bool (*passed)(void *argument),
              void *argument, struct dist_stream *held_up)
{
    struct hope hope = { gpu, passed, argument };
    struct patience patience = { 0 };
    uint32_t site = world_site(&gpu->self->world, gpu->self->env.rank, at);
    struct rank_notes *notes = world_notes(&gpu->self->world, gpu->self->env.rank);
    snprintf(notes->host_call, sizeof notes->host_call, "%s", call);
    notes->host_site = site;
    int first = 0;
    gpu_range_begin(gpu, call);
    while (!passed(argument)) {
        if (patience_spin(&patience))
            continue;
        int failed = comm_settle(gpu); /* what it waits for may never come then: tell at once */
        first = first ? first : failed;
        sleep_until(gpu, &hope, held_up);
    }
    gpu_range_end(gpu);
    int last = comm_settle(gpu);
    notes->host_call[0] = '\0'; /* only now: a report may end the program here */
    return first ? first : last;
}

static bool stream_is_empty(void *argument)
{
    struct gpu *gpu = ((void **)argument)[0];
    struct dist_stream *stream = ((void **)argument)[1];
    return gpu->device->stream_passed(stream->stream);
}

int gpu_await_stream(struct gpu *gpu, const char *call, struct dist_at at, struct dist_stream *stream)
{
    void *both[] = { gpu, stream };
    int result = gpu_await(gpu, call, at, stream_is_empty, both, stream);
    order_host_waited(gpu, stream);
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
    int streams = gpu_await_streams(gpu, call, at), comm = comm_finish(gpu, call, at, NULL);
    order_over(gpu, NULL);
    return streams ? streams : comm;
}
