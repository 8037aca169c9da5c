/*
 * mark.c: events and gates: what marks how far a stream has come, and what makes it wait. A gate is an event with one mark, that
 * also the host can make pass; CUDA's event it gets only when a stream shall open it.
 */
#include "cuda.h"

#include <stdlib.h>

#define LONGEST 64 /* streams that wait for each other in a row, as far as anybody looks */

/* ---- events that nobody uses ------------------------------------------------------------ */

struct event *event_take(struct cuda_gpu *gpu, bool timed)
{
    struct event *event = gpu->spare[timed];
    if (event) {
        gpu->spare[timed] = event->next;
    } else {
        event = calloc(1, sizeof *event);
        cuda_use_gpu(gpu);
        unsigned kind = timed ? cudaEventDefault : cudaEventDisableTiming;
        if (!event || !cuda_gave(gpu, cudaEventCreateWithFlags(&event->cuda, kind))) {
            free(event);
            return NULL;
        }
    }
    *event = (struct event){ .gpu = gpu, .timed = timed, .users = 1, .cuda = event->cuda };
    return event;
}

/* CUDA remembers itself what it was told to wait for: an event can be used again at once. */
void event_unuse(struct event *event)
{
    if (!event || --event->users > 0)
        return;
    if (!event->gpu) {
        free(event);
        return;
    }
    event->next = event->gpu->spare[event->timed];
    event->gpu->spare[event->timed] = event;
}

bool event_is_past(const struct event *event)
{
    return event->open || event->gpu->broken || cuda_is_past(event->gpu, cudaEventQuery(event->cuda));
}

/* ---- events ------------------------------------------------------------------------------- */

struct event *cuda_event_new(void *state, bool timed)
{
    struct cuda *rank = state;
    cuda_lock();
    struct event *event = event_take(rank->gpu, timed);
    cuda_unlock();
    return event;
}

void cuda_event_free(struct event *event)
{
    cuda_lock();
    event_unuse(event);
    cuda_unlock();
}

/* A mark that an item still names may not be overtaken: it is not given itself, or a stream will be told later to wait for it,
 * and CUDA knows only the newest mark of an event. So in another stream, the next one first follows it. */
int cuda_event_record(struct event *event, struct stream *stream)
{
    int status = DIST_OK;
    cuda_lock();
    uint64_t last = event->marks, mark = ++event->marks;
    bool named = event->users > 1, moves = event->stream && event->stream != stream && named;
    event->stream = stream;
    if (moves)
        status = stream_put(stream, &(struct item){ .kind = ITEM_FOLLOW, .event = event, .mark = last });
    if (status == DIST_OK)
        status = stream_put(stream, &(struct item){ .kind = ITEM_RECORD, .event = event, .mark = mark });
    if (status != DIST_OK && event->given < mark)
        event->marks = last; /* nobody shall wait for one that is not there */
    cuda_unlock();
    return status;
}

int cuda_event_follow(struct event *event, struct stream *stream)
{
    int status = DIST_OK;
    cuda_lock();
    if (event->marks > 0)
        status =
            stream_put(stream, &(struct item){ .kind = ITEM_FOLLOW, .event = event, .mark = event->marks });
    cuda_unlock();
    return status;
}

/* Of an event whose newest mark was given; the caller may want to sleep until it passes. */
static bool mark_has_passed(struct event *event)
{
    if (event_is_past(event))
        return true;
    wake_at(event);
    return false;
}

bool cuda_event_passed(struct event *event)
{
    cuda_lock();
    bool passed = event->marks == 0 || (event->given == event->marks && mark_has_passed(event));
    cuda_unlock();
    return passed;
}

/* What was given to CUDA comes to its end by itself. */
bool cuda_event_sure(struct event *event)
{
    cuda_lock();
    bool sure = event->given == event->marks;
    cuda_unlock();
    return sure;
}

double cuda_event_elapsed(struct event *from, struct event *to)
{
    float milliseconds = 0;
    cuda_lock();
    cuda_use_gpu(from->gpu);
    if (cudaEventElapsedTime(&milliseconds, from->cuda, to->cuda) != cudaSuccess) {
        cudaGetLastError();
        milliseconds = 0;
    }
    cuda_unlock();
    return (double)milliseconds * 1e-3;
}

/* ---- gates -------------------------------------------------------------------------------- */

struct event *cuda_gate_new(void *state)
{
    (void)state;
    struct event *gate = calloc(1, sizeof *gate);
    if (gate)
        *gate = (struct event){ .users = 1, .marks = 1, .gate = true };
    return gate;
}

/* It takes what CUDA has given for a spare one. */
static bool mark_can_open(struct event *gate, struct cuda_gpu *gpu)
{
    struct event *spare = gate->gpu ? NULL : event_take(gpu, false);
    if (spare) {
        gate->gpu = gpu;
        gate->cuda = spare->cuda;
        free(spare);
    }
    return gate->gpu;
}

int cuda_gate_open_behind(struct event *gate, struct stream *stream)
{
    int status = DIST_ERR_MEMORY;
    cuda_lock();
    if (mark_can_open(gate, stream->rank->gpu)) {
        gate->stream = stream;
        status = stream_put(stream, &(struct item){ .kind = ITEM_RECORD, .event = gate, .mark = 1 });
    } else {
        device_fail(status, "CUDA gives no event for one more operation");
    }
    cuda_unlock();
    return status;
}

void cuda_gate_open(struct event *gate)
{
    cuda_lock();
    gate->open = true;
    gate->given = 1;
    stream_go_on();
    wake_all();
    cuda_unlock();
}

/* What a stream holds back on the host begins with a gate, or with the event of a stream that holds back more. */
struct event *cuda_stream_held(struct stream *stream)
{
    struct event *gate = NULL;
    cuda_lock();
    for (int i = 0; i < LONGEST && stream && stream->first && !gate; i++) {
        struct event *event = stream->first->event;
        gate = event->gate ? event : NULL;
        stream = event->stream;
    }
    cuda_unlock();
    return gate;
}
