/*
 * dist_streams.h: streams and events, for programs whose tensors lie on a GPU.
 *
 * A stream is a queue of work for the GPU. Calls on its tensors only put work in and return: the GPU does it in that
 * order, while the host (your program) goes on. A call that needs a number on the host, tensor_item() or
 * tensor_print(), waits for its stream first. So what a program prints is the same as on the host; only the time at which
 * things happen is not.
 *
 *     host        enqueue  enqueue  enqueue  ......  look
 *     stream      .......  matmul   matmul   send  |
 *
 * Communication on GPU tensors runs on a stream of its own, ordered behind the work that stood in the current stream
 * at the time of the call:
 *   - dist_send, dist_recv and collectives let the CURRENT STREAM wait for them, and return at once;
 *   - dist_isend, dist_irecv and .async_op = true let nobody wait, until dist_wait(work) lets the current stream wait.
 * Neither lets the host wait. dist_synchronize() does, for everything. Exceptions: dist_barrier() and
 * dist_monitored_barrier() let the host wait, for the current stream and then for all ranks; a receive from
 * DIST_ANY_SOURCE lets it wait until it is known who sent. The communication stream starts what it was given in order, and
 * starts nothing before what was given to it earlier could start.
 *
 * An error that only two ranks together can find (sizes that differ) is reported where the host waits next, with the place
 * of the call that was wrong. A program that goes on after it (dist_set_error_handler) gets it as the result of
 * dist_synchronize or dist_stream_synchronize; other calls that wait go on as if nothing had been.
 *
 * DEVICE=host|sim|cuda in the environment says where tensors lie; host is the default. sim is a simulated GPU, which needs
 * none: DIST_SIM=nvlink|pcie|ib slows its transfers down as such a link would (fifty times slower than in life, since
 * what computes here is slower, too). On host tensors these calls are allowed too, and have nothing to wait for. DIST_CONNECT=lazy lets
 * the first operation between two ranks (or of a group) block the host until it is over, as NCCL does while it makes
 * its connections; the default is init: connections are made in dist_init_process_group.
 */
#ifndef DIST_STREAMS_H
#define DIST_STREAMS_H

#include "tensor.h"

#if defined(__GNUC__) && !defined(DIST_OWN_WARNINGS)
#pragma GCC system_header /* as in tensor.h */
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dist_stream dist_stream;
typedef struct dist_event dist_event;

/* From now on this rank's tensors are made on the host, or on the GPU: the one that DEVICE names, else the simulated
 * one. Returns 0. Tensors that exist stay where they are. */
int dist_set_device_at(struct dist_at at, enum dist_device device);

/* A new stream (a rank has at most 16, the default stream included). Free it when it is no longer the current one; that
 * waits until it is empty. NULL is the default stream in all calls. */
dist_stream *dist_stream_new_at(struct dist_at at);
int dist_stream_free_at(struct dist_at at, dist_stream *stream);

/* Make it the current stream: calls from now on put their work there. Returns the one that was current. */
dist_stream *dist_stream_use_at(struct dist_at at, dist_stream *stream);

/* The cudaStream_t behind a stream (nothing, or NULL: the current one), for a kernel of your own on the tensor_data() of
 * tensors on a GPU:
 *
 *     scale<<<blocks, threads, 0, (cudaStream_t)dist_stream_native()>>>((float *)tensor_data(x), n);
 *
 * What is put into it next comes behind all that the library has put in, and before all that it puts in later. So ask again
 * for each launch, directly before it: a call of the library in between may still keep work here, behind which the kernel
 * belongs. The host waits until all that stands in the stream has been given to CUDA: if that is a collective, until the other
 * ranks have come to it (not until it is over). Do not destroy the stream, and let no kernel wait for another rank. DIST_CHECK=1
 * does not see what your kernels touch. On the host and on the simulated GPU there is no such stream: an error, and NULL. */
struct dist_stream_args {
    struct dist_at at;
    dist_stream *stream;
};
void *dist_stream_native_with(struct dist_stream_args args);

/* The host waits until this stream is empty; until all streams and all communication of this rank are done. */
int dist_stream_synchronize_at(struct dist_at at, dist_stream *stream);
int dist_synchronize_at(struct dist_at at);

/* An event marks a point: the end of what stands in the current stream now. wait: the current stream waits there until
 * that point is passed. Work put in earlier, or in other streams, does not wait. */
dist_event *dist_event_record_at(struct dist_at at);
int dist_event_wait_at(struct dist_at at, dist_event *event);

/* Has it passed? The host does not wait. */
bool dist_event_passed_at(struct dist_at at, dist_event *event);

/* Seconds between two points, on the GPU's clock. The host waits until both have passed. */
double dist_event_elapsed_at(struct dist_at at, dist_event *from, dist_event *to);

int dist_event_free_at(struct dist_at at, dist_event *event);

#ifdef __cplusplus
}

DIST_CPP(int dist_set_device(dist_device device, DIST_CALLER), dist_set_device_at(at, device))
DIST_CPP(dist_stream *dist_stream_new(DIST_CALLER), dist_stream_new_at(at))
DIST_CPP(int dist_stream_free(dist_stream *stream, DIST_CALLER), dist_stream_free_at(at, stream))
DIST_CPP(dist_stream *dist_stream_use(dist_stream *stream, DIST_CALLER), dist_stream_use_at(at, stream))
DIST_CPP(void *dist_stream_native(dist_stream *stream = nullptr, DIST_CALLER),
         dist_stream_native_with({ at, stream }))
DIST_CPP(int dist_stream_synchronize(dist_stream *stream, DIST_CALLER),
         dist_stream_synchronize_at(at, stream))
DIST_CPP(int dist_synchronize(DIST_CALLER), dist_synchronize_at(at))
DIST_CPP(dist_event *dist_event_record(DIST_CALLER), dist_event_record_at(at))
DIST_CPP(int dist_event_wait(dist_event *event, DIST_CALLER), dist_event_wait_at(at, event))
DIST_CPP(bool dist_event_passed(dist_event *event, DIST_CALLER), dist_event_passed_at(at, event))
DIST_CPP(double dist_event_elapsed(dist_event *from, dist_event *to, DIST_CALLER),
         dist_event_elapsed_at(at, from, to))
DIST_CPP(int dist_event_free(dist_event *event, DIST_CALLER), dist_event_free_at(at, event))

#else

#define dist_set_device(...) dist_set_device_at(DIST_AT, __VA_ARGS__)
#define dist_stream_new() dist_stream_new_at(DIST_AT)
#define dist_stream_free(...) dist_stream_free_at(DIST_AT, __VA_ARGS__)
#define dist_stream_use(...) dist_stream_use_at(DIST_AT, __VA_ARGS__)
#define dist_stream_native(...) dist_stream_native_with(DIST_ARGS(dist_stream_args, __VA_ARGS__))
#define dist_stream_synchronize(...) dist_stream_synchronize_at(DIST_AT, __VA_ARGS__)
#define dist_synchronize() dist_synchronize_at(DIST_AT)
#define dist_event_record() dist_event_record_at(DIST_AT)
#define dist_event_wait(...) dist_event_wait_at(DIST_AT, __VA_ARGS__)
#define dist_event_passed(...) dist_event_passed_at(DIST_AT, __VA_ARGS__)
#define dist_event_elapsed(...) dist_event_elapsed_at(DIST_AT, __VA_ARGS__)
#define dist_event_free(...) dist_event_free_at(DIST_AT, __VA_ARGS__)

#endif

#endif
