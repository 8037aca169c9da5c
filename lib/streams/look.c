/*
 * look.c: the host waits for its GPU.
 *
 * It sleeps on the rank's event count, like one that waits for a message, and notes what its stream is held up by: so the
 * watcher sees a rank that waits in that operation, and, in host_call, where in the program the host got stuck.
 */
#include "order.h"

#include <stdio.h>

#define NAP 100 /* ms after which a sleeper looks whether the job still stands */

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

/* Note what holds the rank up, if that is known, and sleep. */
static void look_sleep_until(struct gpu *gpu, struct awaited *awaited, struct dist_stream *held_up)
{
    struct eventcount *eventcount = &gpu->slot->eventcount;
    const struct context *context = gpu->self->context;
    struct sleep_note *note = launch_note_on(gpu->self, eventcount, false);
    if (context && context->backend && context->backend->note && ops_may_note(gpu))
        context->backend->note(context->state, ops_stuck(gpu, held_up)); /* it may say `timed` */
    eventcount_sleep(eventcount, look_news, awaited, NAP, note);
    launch_look_around(gpu->self);
}

int gpu_await(struct gpu *gpu, const char *call, struct dist_at at, bool (*passed)(void *argument),
              void *argument, struct dist_stream *held_up)
{
    struct awaited awaited = { gpu, passed, argument };
    struct backoff backoff = { 0 };
    uint32_t site = world_site(&gpu->self->world, gpu->self->env.rank, at);
    struct rank_notes *notes = world_notes(&gpu->self->world, gpu->self->env.rank);
    snprintf(notes->host_call, sizeof notes->host_call, "%s", call);
    notes->host_site = site;
    int first = 0;
    gpu_range_begin(gpu, call);
    while (!passed(argument)) {
        if (backoff_spin(&backoff))
            continue;
        int failed = ops_settle(gpu); /* what it waits for may never come then: tell at once */
        first = first ? first : failed;
        look_sleep_until(gpu, &awaited, held_up);
    }
    gpu_range_end(gpu);
    int last = ops_settle(gpu);
    notes->host_call[0] = '\0'; /* only now: a report may end the program here */
    return first ? first : last;
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
    int streams = gpu_await_streams(gpu, call, at), ops = ops_finish(gpu, call, at, NULL);
    order_over(gpu, NULL);
    return streams ? streams : ops;
}
