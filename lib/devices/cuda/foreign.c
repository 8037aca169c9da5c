/*
 * foreign.c: work that the program itself puts into a stream (dist_stream_native).
 *
 * It is not counted when it is put in: we are not asked. So once the program has a stream, whoever wants to know whether the
 * stream is empty counts one more piece of work in it, which passes when all before it has.
 */
#include "cuda.h"

/* What waits here belongs in front of it. */
void stream_foreign(struct stream *stream)
{
    if (stream->foreign && !stream->first)
        stream->put = ++stream->given;
}

void *cuda_stream_native(struct stream *stream)
{
    cuda_lock();
    stream->foreign = true;
    cuda_use_gpu(stream->rank->gpu); /* a kernel is started on the GPU that is the thread's */
    cuda_unlock();
    return cuda_stream_of(stream);
}
