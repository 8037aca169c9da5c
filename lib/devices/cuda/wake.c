/*
 * wake.c: how the host learns that a GPU has come to some point.
 *
 * Whoever waits asks again and again, for a while; then it sleeps on its rank's event count. A GPU notifies nobody, so the last look
 * before the sleep orders that: on a stream of its own, which waits for the event and then lets CUDA call us. Until then
 * the rank owes its sleep to the GPU and not to other ranks: the note of its streams says so, else the
 * watcher could take a long computation for a deadlock.
 */
#include "cuda.h"

#include <sys/prctl.h>

/* ---- how far a stream is ------------------------------------------------------------------ */

/* Has the tail passed? `done` is known only so far as somebody marked it. */
static void wake_look(struct stream *stream)
{
    if (stream->done < stream->tail_at && event_is_past(stream->tail))
        stream->done = stream->tail_at;
    if (stream->rank->gpu->broken)
        stream->done = stream->given;
}

static void wake_move_tail(struct stream *stream)
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
    wake_look(stream);
    if (stream->done >= stream->tail_at && stream->done < stream->given)
        wake_move_tail(stream);
}

/* Is something in it that nobody has counted? */
static bool wake_is_busy(struct stream *stream)
{
    struct cuda_gpu *gpu = stream->rank->gpu;
    return !gpu->broken && !cuda_is_past(gpu, cudaStreamQuery(stream->cuda));
}

/* What waits here belongs in front of it. */
void stream_foreign(struct stream *stream)
{
    if (stream->foreign && !stream->first)
        stream->put = ++stream->given;
}

/* Is all done that was given? Else its tail marks the end of that. */
static bool wake_is_done(struct stream *stream)
{
    wake_look(stream);
    if (stream->foreign && stream->done == stream->given && wake_is_busy(stream))
        stream_foreign(stream);
    if (stream->done < stream->given && stream->tail_at < stream->given)
        wake_move_tail(stream);
    return stream->done == stream->given;
}

bool cuda_stream_passed(struct stream *stream)
{
    cuda_lock();
    bool given = !stream->first, passed = given && wake_is_done(stream);
    if (given && !passed)
        wake_at(stream->tail);
    cuda_unlock();
    return passed;
}

/* Work that the program itself puts into a stream is not counted when it is put in: we are not asked. So once the program has a stream,
 * whoever wants to know whether it is empty counts one more piece of work in it, which passes when all before it has. */
void *cuda_stream_native(struct stream *stream)
{
    cuda_lock();
    stream->foreign = true;
    cuda_use_gpu(stream->rank->gpu); /* a kernel is started on the GPU that is the thread's */
    cuda_unlock();
    return cuda_stream_of(stream);
}

/* ---- waking ------------------------------------------------------------------------------- */

static struct sleep_note *wake_note_of(const struct cuda *rank)
{
    return &world_notes(&rank->self->world, rank->self->env.rank)->streams[1];
}

/* The driver starts a thread for these calls, and gives it no name: it would pass for one of the program's, which may send what
 * all others wait for, and no deadlock would be told any more (diagnose/tasks.c). */
static void wake_name_thread(void)
{
    static _Thread_local bool named;
    if (!named)
        prctl(PR_SET_NAME, "cuda-notify");
    named = true;
}

/* CUDA calls it on that thread, which must not call CUDA. The event count first: the rank may not look as if it slept with
 * nobody to wake it, at any moment. */
static void CUDART_CB wake_notify(void *argument)
{
    struct cuda *rank = argument;
    wake_name_thread();
    eventcount_notify(&rank->slot->eventcount);
    atomic_fetch_sub(&wake_note_of(rank)->epoch, 2);
}

/* eventcount_sleep counts the sleeper before it looks for the last time: so that look comes here with a count above 0. */
void wake_at(struct event *event)
{
    struct cuda *rank = cuda_of_caller();
    if (!rank || rank->gpu->broken || atomic_load(&rank->slot->eventcount.sleepers) == 0 ||
        (event->notified == rank && event->notified_for == event->given))
        return;
    event->notified = rank;
    event->notified_for = event->given;
    cuda_use_gpu(rank->gpu);
    atomic_fetch_add(&wake_note_of(rank)->epoch, 2);
    cudaError_t error = cudaStreamWaitEvent(rank->waker, event->cuda, 0);
    if (error == cudaSuccess)
        error = cudaLaunchHostFunc(rank->waker, wake_notify, rank);
    if (error != cudaSuccess) {
        atomic_fetch_sub(&wake_note_of(rank)->epoch, 2);
        cuda_break(rank->gpu, error);
    }
}

void wake_all(void)
{
    for (struct cuda *rank = cuda_all.ranks; rank; rank = rank->next)
        eventcount_notify(&rank->slot->eventcount);
}
