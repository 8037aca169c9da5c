/*
 * event.c: CUDA's events, and how the host learns that a GPU has come to some point.
 *
 * Whoever waits asks again and again, for a while; then it sleeps on its rank's event count. A GPU notifies nobody, so the last look
 * before the sleep orders that: on a stream of its own, which waits for the event and then lets CUDA call us. Until then
 * the rank owes its sleep to the GPU and not to other ranks: the note of its streams says so, else the
 * watcher could take a long computation for a deadlock.
 */
#include "cuda.h"

#include <stdlib.h>
#include <sys/prctl.h>

/* ---- events that nobody uses ------------------------------------------------------------ */

struct event *event_take(struct cuda_gpu *gpu, bool timed)
{
    struct event *event = gpu->spare[timed];
    cudaEvent_t made;
    if (event) {
        gpu->spare[timed] = event->next;
        made = event->cuda;
    } else {
        event = calloc(1, sizeof *event);
        cuda_use_gpu(gpu);
        unsigned kind = timed ? cudaEventDefault : cudaEventDisableTiming;
        if (!event || !cuda_gave(gpu, cudaEventCreateWithFlags(&made, kind))) {
            free(event);
            return NULL;
        }
    }
    *event = (struct event){ .engine = &cuda_engine, .users = 1, .gpu = gpu, .timed = timed, .cuda = made };
    return event;
}

/* CUDA remembers itself what it was told to wait for: an event can be used again at once. */
void event_drop(struct event *event)
{
    if (!event->gpu) {
        free(event);
        return;
    }
    event->next = event->gpu->spare[event->timed];
    event->gpu->spare[event->timed] = event;
}

/* ---- events ------------------------------------------------------------------------------- */

bool event_is_past(const struct event *event)
{
    return event->open || event->gpu->broken || cuda_is_past(event->gpu, cudaEventQuery(event->cuda));
}

struct event *cuda_event_new(void *state, bool timed)
{
    struct cuda *rank = state;
    streams_lock();
    struct event *event = event_take(rank->gpu, timed);
    streams_unlock();
    return event;
}

double cuda_event_elapsed(struct event *from, struct event *to)
{
    float milliseconds = 0;
    streams_lock();
    cuda_use_gpu(from->gpu);
    if (cudaEventElapsedTime(&milliseconds, from->cuda, to->cuda) != cudaSuccess) {
        cudaGetLastError();
        milliseconds = 0;
    }
    streams_unlock();
    return (double)milliseconds * 1e-3;
}

struct event *cuda_gate_new(void *state)
{
    (void)state;
    struct event *gate = calloc(1, sizeof *gate);
    if (gate)
        *gate = (struct event){ .engine = &cuda_engine, .users = 1, .marks = 1, .gate = true };
    return gate;
}

/* It takes what CUDA has given for a spare one. */
int event_prepare_gate(struct event *gate, const struct stream *stream)
{
    struct event *spare = gate->gpu ? NULL : event_take(stream->rank->gpu, false);
    if (spare) {
        gate->gpu = spare->gpu;
        gate->cuda = spare->cuda;
        free(spare);
    }
    return gate->gpu ? DIST_OK : device_fail(DIST_ERR_MEMORY, "CUDA gives no event for one more operation");
}

/* ---- how far a stream is ------------------------------------------------------------------ */

/* Has the tail passed? `done` is known only so far as somebody marked it. */
static void event_look(struct stream *stream)
{
    if (stream->done < stream->tail_at && event_is_past(stream->tail))
        stream->done = stream->tail_at;
    if (stream->rank->gpu->broken)
        stream->done = stream->given;
}

static void event_move_tail(struct stream *stream)
{
    cuda_use_gpu(stream->rank->gpu);
    cudaError_t error = cudaEventRecord(stream->tail->cuda, stream->cuda);
    stream->tail->given = ++stream->tail->marks;
    stream->tail_at = stream->given;
    if (error != cudaSuccess)
        cuda_break(stream->rank->gpu, error);
}

/* The tail stays where it is until the stream has come there. Else a host that runs ahead would push it on for ever. */
void stream_look(struct stream *stream)
{
    event_look(stream);
    if (stream->done >= stream->tail_at && stream->done < stream->given)
        event_move_tail(stream);
}

/* What waits here belongs in front of it. */
void stream_foreign(struct stream *stream)
{
    if (stream->foreign && !stream->first)
        stream->put = ++stream->given;
}

/* Is all done that was given? Else its tail marks the end of that. Something may be in it that nobody has counted. */
static bool event_is_done(struct stream *stream)
{
    struct cuda_gpu *gpu = stream->rank->gpu;
    event_look(stream);
    if (stream->foreign && stream->done == stream->given && !gpu->broken &&
        !cuda_is_past(gpu, cudaStreamQuery(stream->cuda)))
        stream_foreign(stream);
    if (stream->done < stream->given && stream->tail_at < stream->given)
        event_move_tail(stream);
    return stream->done == stream->given;
}

/* Work that the program itself puts into a stream is not counted when it is put in: we are not asked. So once the program has a stream,
 * whoever wants to know whether it is empty counts one more piece of work in it, which passes when all before it has. */
void *cuda_stream_native(struct stream *stream)
{
    streams_lock();
    stream->foreign = true;
    cuda_use_gpu(stream->rank->gpu); /* a kernel is started on the GPU that is the thread's */
    streams_unlock();
    return cuda_stream_of(stream);
}

/* ---- waking ------------------------------------------------------------------------------- */

static struct sleep_note *event_note_of(const struct cuda *rank)
{
    return &launch_notes(rank->self)->streams[1];
}

/* The driver starts a thread for these calls, and gives it no name: it would pass for one of the program's, which may send what
 * all others wait for, and no deadlock would be told any more (diagnose/tasks.c). */
static void event_name_thread(void)
{
    static _Thread_local bool named;
    if (!named)
        prctl(PR_SET_NAME, "cuda-notify");
    named = true;
}

/* CUDA calls it on that thread, which must not call CUDA. The event count first: the rank may not look as if it slept with
 * nobody to wake it, at any moment. */
static void CUDART_CB event_notify(void *argument)
{
    struct cuda *rank = argument;
    event_name_thread();
    eventcount_notify(&launch_slot(rank->self)->eventcount);
    atomic_fetch_sub(&event_note_of(rank)->epoch, 2);
}

/* eventcount_sleep counts the sleeper before it looks for the last time: so that look comes here with a count above 0. */
static void event_wake_at(struct event *event)
{
    struct cuda *rank = cuda_of_caller();
    if (!rank || rank->gpu->broken || atomic_load(&launch_slot(rank->self)->eventcount.sleepers) == 0 ||
        (event->notified == rank && event->notified_for == event->given))
        return;
    event->notified = rank;
    event->notified_for = event->given;
    cuda_use_gpu(rank->gpu);
    atomic_fetch_add(&event_note_of(rank)->epoch, 2);
    cudaError_t error = cudaStreamWaitEvent(rank->waker, event->cuda, 0);
    if (error == cudaSuccess)
        error = cudaLaunchHostFunc(rank->waker, event_notify, rank);
    if (error != cudaSuccess) {
        atomic_fetch_sub(&event_note_of(rank)->epoch, 2);
        cuda_break(rank->gpu, error);
    }
}

bool cuda_stream_passed(struct stream *stream)
{
    streams_lock();
    bool given = !stream->first, passed = given && event_is_done(stream);
    if (given && !passed)
        event_wake_at(stream->tail);
    streams_unlock();
    return passed;
}

/* Of an event whose newest mark was given; the caller may want to sleep until it passes. */
bool event_past(struct event *event)
{
    if (event_is_past(event))
        return true;
    event_wake_at(event);
    return false;
}

void event_wake_all(const struct event *gate)
{
    (void)gate;
    for (struct cuda *rank = cuda_all.ranks; rank; rank = rank->next)
        eventcount_notify(&launch_slot(rank->self)->eventcount);
}
