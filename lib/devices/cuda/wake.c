/*
 * wake.c: how the host learns that a GPU has come to some point.
 *
 * Whoever waits asks again and again, for a while; then it sleeps on its rank's bell. A GPU rings no bell, so the last look
 * before the sleep orders a ring: on a stream of its own, which waits for the event and then lets CUDA call us. Until then
 * the rank owes its sleep to the GPU and not to other ranks: the note of its streams says so, else the
 * watcher could take a long computation for a deadlock.
 */
#include "cuda.h"

/* ---- how far a stream is ------------------------------------------------------------------ */

/* Has the tail passed? `done` is known only so far as somebody marked it. */
static void look(struct stream *stream)
{
    if (stream->done < stream->tail_at && event_is_past(stream->tail))
        stream->done = stream->tail_at;
    if (stream->rank->card->broken)
        stream->done = stream->given;
}

static void move_tail(struct stream *stream)
{
    card_use(stream->rank->card);
    cudaError_t error = cudaEventRecord(stream->tail->cuda, stream->cuda);
    stream->tail->given = ++stream->tail->marks;
    stream->tail_at = stream->given;
    if (error != cudaSuccess)
        cuda_break(stream->rank->card, error);
}

/* The tail stays where it is until the stream has come there. Else a host that runs ahead would push it on for ever. */
void stream_look(struct stream *stream)
{
    look(stream);
    if (stream->done >= stream->tail_at && stream->done < stream->given)
        move_tail(stream);
}

/* Is something in it that nobody has counted? */
static bool is_busy(struct stream *stream)
{
    cudaError_t error = stream->rank->card->broken ? cudaSuccess : cudaStreamQuery(stream->cuda);
    if (error != cudaSuccess && error != cudaErrorNotReady)
        cuda_break(stream->rank->card, error);
    return error == cudaErrorNotReady;
}

bool stream_is_done(struct stream *stream)
{
    look(stream);
    if (stream->foreign && stream->done == stream->given && is_busy(stream))
        stream_foreign(stream);
    if (stream->done < stream->given && stream->tail_at < stream->given)
        move_tail(stream);
    return stream->done == stream->given;
}

bool cuda_stream_passed(struct stream *stream)
{
    cuda_lock();
    bool given = !stream->first, passed = given && stream_is_done(stream);
    if (given && !passed)
        wake_at(stream->tail);
    cuda_unlock();
    return passed;
}

/* ---- waking ------------------------------------------------------------------------------- */

static struct sleep_note *note_of(const struct cuda *rank)
{
    return &world_notes(&rank->self->world, rank->self->env.rank)->streams[1];
}

/* CUDA calls it on a thread of its own, which must not call CUDA. The bell first: the rank may not look as if it slept with
 * nobody to wake it, at any moment. */
static void CUDART_CB ring(void *argument)
{
    struct cuda *rank = argument;
    bell_ring(&rank->slot->bell);
    atomic_fetch_sub(&note_of(rank)->epoch, 2);
}

/* bell_sleep counts the sleeper before it looks for the last time: so that look comes here with a count above 0. */
void wake_at(struct event *event)
{
    struct cuda *rank = cuda_of_caller();
    if (!rank || rank->card->broken || atomic_load(&rank->slot->bell.sleepers) == 0 ||
        (event->rung == rank && event->rung_for == event->given))
        return;
    event->rung = rank;
    event->rung_for = event->given;
    card_use(rank->card);
    atomic_fetch_add(&note_of(rank)->epoch, 2);
    cudaError_t error = cudaStreamWaitEvent(rank->waker, event->cuda, 0);
    if (error == cudaSuccess)
        error = cudaLaunchHostFunc(rank->waker, ring, rank);
    if (error != cudaSuccess) {
        atomic_fetch_sub(&note_of(rank)->epoch, 2);
        cuda_break(rank->card, error);
    }
}

void wake_all(void)
{
    for (struct cuda *rank = cuda_all.ranks; rank; rank = rank->next)
        bell_ring(&rank->slot->bell);
}
