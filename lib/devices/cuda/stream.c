/* stream.c: kernels, copies and marks, as CUDA is given them. ../stream.h says when. */
#include "cuda.h"
#include "kernels.h"

#include <stdlib.h>

/* ---- copies ------------------------------------------------------------------------------- */

/* CUDA copies between GPUs, too, and by way of the host where they do not reach each other. */
static cudaError_t stream_copy(const struct stream *stream, const struct item *item)
{
    size_t bytes = item->copy.bytes;
    if (item->copy.to == item->copy.from || bytes == 0)
        return cudaSuccess;
    return cudaMemcpyAsync(item->copy.to, item->copy.from, bytes, cudaMemcpyDefault, stream->cuda);
}

/* ---- kernels ------------------------------------------------------------------------------- */

static bool stream_is_copy(const struct kernel *k)
{
    bool divides = k->op == DIST_AVG && k->ways > 1;
    return (k->kind == KERNEL_CONVERT && k->from == k->type) ||
           (k->kind == KERNEL_REDUCE && k->inputs == 1 && k->copies == 0 && !divides);
}

static cudaError_t stream_kernel(struct stream *stream, const struct kernel *k)
{
    cudaError_t error;
    if (k->kind == KERNEL_MATMUL && blas_multiply(stream, k, &error))
        return error;
    return kernels_start(k, stream->cuda, stream->rank->gpu->multiprocessors, stream->partial);
}

/* ---- giving ----------------------------------------------------------------------------- */

static int stream_check(struct stream *stream)
{
    return cuda_check(stream->rank->gpu);
}

static int stream_give_cuda(struct stream *stream, const struct item *item)
{
    if (stream->rank->gpu->broken)
        return cudaSuccess;
    cuda_use_gpu(stream->rank->gpu);
    switch (item->kind) {
    case ITEM_KERNEL:
        return (int)stream_kernel(stream, &item->kernel);
    case ITEM_COPY:
        return (int)stream_copy(stream, item);
    case ITEM_RECORD:
        return (int)cudaEventRecord(item->event->cuda, stream->cuda);
    case ITEM_FOLLOW:
        if (!event_is_past(item->event)) /* else it need not be waited for */
            return (int)cudaStreamWaitEvent(stream->cuda, item->event->cuda, 0);
    }
    return cudaSuccess;
}

static int stream_refused(struct stream *stream, int error, bool late)
{
    if (late)
        cuda_break(stream->rank->gpu, (cudaError_t)error);
    return late ? DIST_ERR_SYSTEM : cuda_refuse(stream->rank->gpu, "work was refused", (cudaError_t)error);
}

const struct engine cuda_engine = {
    .check = stream_check,
    .give = stream_give_cuda,
    .refused = stream_refused,
    .past = event_past,
    .prepare = event_prepare_gate,
    .news = event_wake_all,
    .drop = event_drop,
};

/* ---- putting ------------------------------------------------------------------------------ */

static int stream_put_item(struct stream *stream, struct item item)
{
    streams_lock();
    int status = stream_put(stream, &item);
    streams_unlock();
    return status;
}

/* What takes memory, or may wait for the GPU, is done before it is put into the stream. */
int cuda_launch(struct stream *stream, const struct kernel *kernel)
{
    if (stream_is_copy(kernel))
        return cuda_copy(stream, kernel->out, kernel->in[0], (size_t)kernel->count * dtype_size(kernel->type),
                         COPY_INSIDE);
    blas_begin(stream, kernel);
    return stream_put_item(stream, (struct item){ .kind = ITEM_KERNEL, .kernel = *kernel });
}

static bool stream_overlaps(const void *a, const void *b, size_t bytes)
{
    return a != b && (const char *)a < (const char *)b + bytes && (const char *)b < (const char *)a + bytes;
}

/* Regions that overlap CUDA leaves to us: they go by way of a third, which is free again behind that. */
int cuda_copy(struct stream *stream, void *to, const void *from, size_t bytes, enum copy_way way)
{
    struct cuda *rank = stream->rank;
    if (!stream_overlaps(to, from, bytes))
        return stream_put_item(stream, (struct item){ .kind = ITEM_COPY, .copy = { to, from, bytes, way } });
    void *aside = cuda_alloc(rank, bytes);
    if (!aside)
        return cuda_refuse(rank->gpu, "a copy", cudaErrorMemoryAllocation);
    int status = cuda_copy(stream, aside, from, bytes, way);
    if (status == DIST_OK)
        status = cuda_copy(stream, to, aside, bytes, way);
    cuda_free(rank, aside);
    return status;
}

cudaStream_t cuda_stream_of(struct stream *stream)
{
    streams_lock();
    bool free = !stream->first;
    stream->put += free;
    stream->given += free;
    streams_unlock();
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

/* It takes and gives nothing any more. With the lock held. */
static void stream_forget(struct stream *stream)
{
    if (stream->cuda)
        cudaStreamDestroy(stream->cuda);
    mark_unuse(stream->tail);
    pool_give(&stream->rank->pool, stream->partial);
    free(stream);
}

struct stream *cuda_stream_new(void *state, int number)
{
    struct cuda *rank = state;
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    streams_lock();
    *stream =
        (struct stream){ .engine = &cuda_engine, .rank = rank, .number = number, .end = &stream->first };
    stream->tail = event_take(rank->gpu, false);
    stream->partial = memory_take(rank, SUM_BLOCKS * sizeof(double));
    cuda_use_gpu(rank->gpu);
    cudaStream_t cuda;
    if (cuda_gave(rank->gpu, stream_make(&cuda, number)))
        stream->cuda = cuda;
    if (stream->cuda && stream->tail && stream->partial) {
        rank->streams[1 + number] = stream;
    } else {
        stream_forget(stream);
        stream = NULL;
    }
    streams_unlock();
    return stream;
}

void cuda_stream_free(struct stream *stream)
{
    struct cuda *rank = stream->rank;
    cuda_use_gpu(rank->gpu);
    blas_end(stream);
    streams_lock();
    stream_end(stream, rank->streams, &rank->retired);
    stream_forget(stream);
    streams_unlock();
}
