/*
 * stream.c: what stands in a stream, and when it is handed to CUDA. cuda.h has the rule.
 *
 *     put        ............................
 *     given      ................|            the first item behind it is a gate that nobody has said when it opens, or
 *     done       .......|                     an event that has not been given itself
 */
#include "cuda.h"
#include "kernels.h"

#include <stdlib.h>

/* ---- giving ----------------------------------------------------------------------------- */

static bool stream_may_give(const struct item *item)
{
    return item->kind != ITEM_FOLLOW || item->event->given >= item->mark;
}

/* What is past already need not be waited for. */
static cudaError_t stream_follow(struct stream *stream, const struct event *event)
{
    return event_is_past(event) ? cudaSuccess : cudaStreamWaitEvent(stream->cuda, event->cuda, 0);
}

static cudaError_t stream_give(struct stream *stream, const struct item *item)
{
    cuda_use_gpu(stream->rank->gpu);
    switch (item->kind) {
    case ITEM_KERNEL:
        return work_kernel(stream, &item->kernel);
    case ITEM_COPY:
        return work_copy(stream, item);
    case ITEM_RECORD:
        return cudaEventRecord(item->event->cuda, stream->cuda);
    case ITEM_FOLLOW:
        return stream_follow(stream, item->event);
    }
    return cudaSuccess;
}

/* An item that fails counts as given, so that nothing waits for it for ever. */
static cudaError_t stream_give_item(struct stream *stream, const struct item *item)
{
    cudaError_t error = stream->rank->gpu->broken ? cudaSuccess : stream_give(stream, item);
    if (item->kind == ITEM_RECORD)
        item->event->given = item->mark;
    stream->given++;
    if (item->kind == ITEM_COPY && item->copy.aside)
        memory_retire(stream->rank, item->copy.aside);
    return error;
}

static void stream_give_first(struct stream *stream)
{
    struct item *item = stream->first;
    cudaError_t error = stream_give_item(stream, item);
    stream->first = item->next;
    if (!stream->first)
        stream->end = &stream->first;
    event_unuse(item->event);
    free(item);
    if (error != cudaSuccess)
        cuda_break(stream->rank->gpu, error);
}

/* Once round is not always enough: what was given in one stream may be what an earlier one waits for. */
void stream_go_on(void)
{
    bool any = false, moved = cuda_all.held != NULL;
    while (moved) {
        moved = false;
        for (struct stream **at = &cuda_all.held; *at;) {
            struct stream *stream = *at;
            for (; stream->first && stream_may_give(stream->first); moved = true)
                stream_give_first(stream);
            if (stream->first)
                at = &stream->next_held;
            else
                *at = stream->next_held;
        }
        any |= moved;
    }
    if (any)
        wake_all();
}

/* ---- putting ------------------------------------------------------------------------------ */

static int stream_keep(struct stream *stream, const struct item *what)
{
    struct item *item = malloc(sizeof *item);
    if (!item)
        return device_fail(DIST_ERR_MEMORY, "the system gives no memory for one more entry of a stream");
    *item = *what;
    item->next = NULL;
    if (item->event)
        item->event->users++;
    if (!stream->first) {
        stream->next_held = cuda_all.held;
        cuda_all.held = stream;
    }
    *stream->end = item;
    stream->end = &item->next;
    stream->put++;
    return DIST_OK;
}

int stream_put(struct stream *stream, const struct item *item)
{
    struct cuda_gpu *gpu = stream->rank->gpu;
    int status = cuda_check(gpu);
    if (status != DIST_OK)
        return status;
    if (stream->first || !stream_may_give(item))
        return stream_keep(stream, item);
    stream->put++;
    cudaError_t error = stream_give_item(stream, item);
    if (item->kind == ITEM_RECORD)
        stream_go_on();
    return error == cudaSuccess ? DIST_OK : cuda_refuse(gpu, "work was refused", error);
}

static int stream_put_item(struct stream *stream, struct item item)
{
    cuda_lock();
    int status = stream_put(stream, &item);
    cuda_unlock();
    return status;
}

/* What takes memory, or may wait for the GPU, is done before it is put into the stream. */
int cuda_launch(struct stream *stream, const struct kernel *kernel)
{
    if (work_is_copy(kernel))
        return cuda_copy(stream, kernel->out, kernel->in[0], (size_t)kernel->count * dtype_size(kernel->type),
                         COPY_INSIDE);
    blas_begin(stream, kernel);
    return stream_put_item(stream, (struct item){ .kind = ITEM_KERNEL, .kernel = *kernel });
}

/* CUDA sees by the addresses which way it goes. */
int cuda_copy(struct stream *stream, void *to, const void *from, size_t bytes, enum copy_way way)
{
    struct item item = { .kind = ITEM_COPY, .copy = { to, from, bytes, NULL } };
    const struct cuda_gpu *gpu = stream->rank->gpu;
    (void)way;
    if (work_overlaps(to, from, bytes) && !(item.copy.aside = cuda_alloc(stream->rank, bytes)))
        return cuda_refuse(gpu, "a copy", cudaErrorMemoryAllocation);
    return stream_put_item(stream, item);
}

cudaStream_t cuda_stream_of(struct stream *stream)
{
    cuda_lock();
    bool free = !stream->first;
    stream->put += free;
    stream->given += free;
    cuda_unlock();
    return free ? stream->cuda : NULL;
}

/* ---- making them ---------------------------------------------------------------------------- */

/* Where the backend communicates, work goes first: others may wait for it. */
static cudaError_t stream_make(cudaStream_t *stream, int number)
{
    int least = 0, greatest = 0;
    if (number >= 0)
        return cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
    cudaError_t error = cudaDeviceGetStreamPriorityRange(&least, &greatest);
    return error == cudaSuccess ? cudaStreamCreateWithPriority(stream, cudaStreamNonBlocking, greatest)
                                : error;
}

struct stream *cuda_stream_new(void *state, int number)
{
    struct cuda *rank = state;
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    cuda_lock();
    *stream = (struct stream){ .rank = rank, .number = number, .end = &stream->first };
    stream->tail = event_take(rank->gpu, false);
    stream->partial = memory_take(rank, SUM_BLOCKS * sizeof(double));
    cuda_use_gpu(rank->gpu);
    bool made = cuda_gave(rank->gpu, stream_make(&stream->cuda, number));
    if (made && stream->tail && stream->partial) {
        rank->streams[1 + number] = stream;
    } else {
        if (made)
            cudaStreamDestroy(stream->cuda);
        event_unuse(stream->tail);
        if (stream->partial)
            pool_give(&rank->pool, stream->partial);
        free(stream);
        stream = NULL;
    }
    cuda_unlock();
    return stream;
}

static void stream_drop_items(struct stream *stream)
{
    struct stream **at = &cuda_all.held;
    while (stream->first && *at != stream)
        at = &(*at)->next_held;
    if (stream->first)
        *at = stream->next_held;
    while (stream->first) {
        struct item *item = stream->first;
        stream->first = item->next;
        if (item->kind == ITEM_COPY && item->copy.aside)
            pool_give(&stream->rank->pool, item->copy.aside);
        event_unuse(item->event);
        free(item);
    }
}

void cuda_stream_free(struct stream *stream)
{
    struct cuda *rank = stream->rank;
    cuda_use_gpu(rank->gpu);
    blas_end(stream);
    cuda_lock();
    stream_drop_items(stream);
    cudaStreamDestroy(stream->cuda);
    event_unuse(stream->tail);
    pool_give(&rank->pool, stream->partial);
    rank->streams[1 + stream->number] = NULL;
    for (struct retired *retired = rank->retired; retired; retired = retired->next)
        retired->until[1 + stream->number] = 0;
    free(stream);
    cuda_unlock();
}
