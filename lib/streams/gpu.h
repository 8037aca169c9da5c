/*
 * gpu.h: a rank's GPU: where its tensors lie, its streams, and what the host waits for.
 *
 *   gpu.c       opens the device, gives memory, puts kernels into the current stream
 *   look.c      the host waits: for a stream, for an operation, for everything; and for copies
 *   ops.c       the communication stream: starts operations in order, once the data are there, and opens their gates
 *   settle.c    what has become of them
 *   order.c     DIST_CHECK=1: do two streams touch the same data, with nothing that orders them?
 *
 * All of it belongs to the rank's own thread, but for ops.c's thread, which says what it shares.
 */
#ifndef STREAMS_GPU_H
#define STREAMS_GPU_H

#include "../context.h"
#include "../devices/device.h"

#define STREAM_LIVE 0x57e4u
#define EVENT_LIVE 0xe7e47u

struct dist_stream {
    uint32_t live;
    int number;
    struct stream *stream; /* the device's */
    uint64_t
        clock[DEVICE_STREAMS]; /* order.c: what it knows of each; it goes on where the stream is made anew */
    struct dist_at made_at;
};

struct dist_event {
    uint32_t live;
    struct dist_at made_at;
    struct gpu *gpu;
    struct event *event;            /* the device's */
    struct dist_stream *stream;     /* in which it was recorded */
    uint64_t clock[DEVICE_STREAMS]; /* order.c */
    struct handle handle;
};

struct gpu {
    struct launch_self *self;
    bool wanted;                                /* new tensors are made here */
    bool silent;                                /* no handler is called now: native.c */
    const struct device *device;                /* NULL: not opened yet */
    void *state;                                /* the device's */
    struct dist_stream streams[DEVICE_STREAMS]; /* the first is the default stream */
    int made; /* the number of the last one that the program made; 0: none */
    struct dist_stream *current;
    void *scratch;                  /* device memory for one number */
    struct dist_stream *copying;    /* where a copy needs staging memory or `scratch`; NULL: nowhere */
    const void *awaited;            /* what the host waited for last: an op that it is is not forgotten */
    struct gpu_ops *ops;            /* NULL: nothing was communicated yet */
    struct order *order;            /* NULL: nobody checks */
    uint64_t clock[DEVICE_STREAMS]; /* order.c: the host's, which all that is put in later knows, too */
    struct handles events;          /* open ones, and the queue of freed ones */
};

/* Where new tensors lie: NULL for the host. False: DEVICE makes no sense or the device cannot be had; reported. */
bool gpu_for_tensors(const char *call, struct dist_at at, struct gpu **gpu);

/* The rank's GPU, opened; NULL: reported. And if it was opened, else NULL. */
struct gpu *gpu_open(const char *call, struct dist_at at);
static inline struct gpu *gpu_if_open(const struct launch_self *self)
{
    struct gpu *gpu = self->gpu;
    return gpu && gpu->device ? gpu : NULL;
}

/* Has the device refused? Then that is reported. */
bool gpu_refused(const char *call, struct dist_at at, int status);

/* Has the GPU failed? Then that is reported: its streams seem to be empty, and what they should have written is not there. */
bool gpu_has_failed(const struct gpu *gpu, const char *call, struct dist_at at);

void *gpu_alloc(struct gpu *gpu, struct storage *storage, struct dist_at at);
void gpu_free(struct gpu *gpu, struct storage *storage);

/* A new event, to be recorded in the current stream, and back. NULL: no memory. */
struct dist_event *gpu_take_event(struct gpu *gpu, struct dist_at at);
void gpu_give_event(struct gpu *gpu, struct dist_event *event);

/* Put a kernel into the current stream; names and place are filled in. False: reported. */
bool gpu_launch(struct gpu *gpu, const char *call, struct dist_at at, struct kernel kernel);

static inline void gpu_range_begin(const struct gpu *gpu, const char *call)
{
    if (gpu->device->range_begin)
        gpu->device->range_begin(call);
}
static inline void gpu_range_end(const struct gpu *gpu)
{
    if (gpu->device->range_end)
        gpu->device->range_end();
}

/* ---- look.c: the host waits ------------------------------------------------------------ */

/* Wait until passed(argument); `held_up` is the stream that it waits for, or NULL. Whoever makes it true notifies the rank's
 * event count. Then report what has failed meanwhile. 0, or what report() gave. */
int gpu_await(struct gpu *gpu, const char *call, struct dist_at at, bool (*passed)(void *argument),
              void *argument, struct dist_stream *held_up);

/* The two steps of which that is made, again and again. False: something has failed, and what is waited for may never come. Between
 * them the caller puts in order what is its own: a handler, which the second calls, may leave by longjmp. */
bool gpu_await_news(struct gpu *gpu, const char *call, struct dist_at at, bool (*passed)(void *argument),
                    void *argument, struct dist_stream *held_up);
int gpu_tell_news(struct gpu *gpu);

int gpu_await_stream(struct gpu *gpu, const char *call, struct dist_at at, struct dist_stream *stream);
int gpu_await_streams(struct gpu *gpu, const char *call, struct dist_at at); /* all of them */
int gpu_await_all(struct gpu *gpu, const char *call, struct dist_at at);     /* and all communication */

/* Before staging memory or `scratch` is used: if a handler has left the last wait for a copy by longjmp, wait for that. */
void gpu_finish_copy(struct gpu *gpu, const char *call, struct dist_at at);

/* Between host memory and a tensor's, in the order of the current stream; the host waits. False: reported. */
bool gpu_read(struct gpu *gpu, const char *call, struct dist_at at, void *host, const void *device,
              size_t bytes);
bool gpu_write(struct gpu *gpu, const char *call, struct dist_at at, void *device, const void *host,
               size_t bytes);

/* ---- ops.c: operations on device tensors -------------------------------------------------- */

/* Give an op, filled in, to the communication stream. Status; the op has the words. */
int ops_post(struct context *context, struct dist_work *op);

/* Let the current stream wait for it, and forget it. The op's result, as of dist_wait. */
int ops_follow(struct context *context, const char *call, struct dist_work *op);

bool ops_is_over(struct dist_work *op);

/* The host waits until all that was posted has been started (before calls that go to the backend directly); until all of a
 * group (NULL: of all groups) is over. */
int ops_flush(struct gpu *gpu, const char *call, struct dist_at at);
int ops_finish(struct gpu *gpu, const char *call, struct dist_at at, const struct dist_group *group);

/* Is there an op that has failed, and that nobody was told of? */
bool ops_has_failed(struct gpu *gpu);

/* Forget what is over. 0; or what has failed is reported, and the first report's result given. */
int ops_settle(struct gpu *gpu);

/* The operation in the backend that this stream (NULL: the host itself) waits for in the end; NULL: none. */
struct dist_work *ops_stuck(struct gpu *gpu, struct dist_stream *stream);

/* Leaving, all streams being empty: leave to the backend what nobody waited for; once that was left, wait for what it has given to
 * the device; and once it is closed, forget it. */
void ops_stop(struct gpu *gpu);
void ops_drain(struct gpu *gpu);
void ops_close(struct gpu *gpu);

#endif
