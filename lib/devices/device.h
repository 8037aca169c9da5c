/*
 * device.h: a place where tensors lie, and something that computes on them: one table of functions for each kind.
 *
 *   host    the program's own memory; kernels run inside the call (host.c, host_kernels.c)
 *   sim     a simulated GPU: memory that the program cannot touch, streams that are threads (sim.h)
 *   cuda    a real one (cuda/cuda.h); what both have alike is in stream.h
 *
 * A KERNEL is a loop over elements, described by a struct, so that each device can run it where its data are. A STREAM
 * is a queue: what is put in is done in that order, one after the other, while the host goes on. An EVENT marks a
 * point of a stream; another stream, or the host, can wait until that point has passed. A GATE holds a stream until
 * somebody opens it: that is how a stream waits for another rank, whom no event of this device could wait for.
 *
 * The interface is a part of the CUDA runtime's, under shorter names. Calls come from the rank that opened the device
 * (its own thread or one that the library started for it); but where ranks are threads, a backend may put things into the
 * streams of any of them, from any thread, and let a stream wait for another rank's event (backends/cuda). Calls
 * that can fail return enum dist_error, and leave a sentence in device_why().
 */
#ifndef DEVICES_DEVICE_H
#define DEVICES_DEVICE_H

#include "kernel.h"
#include "../launch/launch.h"

#define DEVICE_STREAMS (NOTE_STREAMS - 1) /* of a rank, the default stream included */

/* Which way a copy goes. Host memory must stay as it is until the stream has done it, and should be the staging memory. */
enum copy_way { COPY_TO_DEVICE, COPY_TO_HOST, COPY_INSIDE };

struct stream; /* stream.h */
struct event;

struct device {
    const char *name; /* as in DEVICE=name */

    /* Open the rank's device, close it once all streams are empty. */
    int (*open)(struct launch_self *self, void **state);
    void (*close)(void *state);

    /* Has it failed? From then on its streams count as empty, and what they should have written is not there. NULL: it cannot. */
    int (*failed)(void *state);

    /* Memory, aligned for any type. NULL: it is full. What is freed is used again only once all that stood in the
     * streams by then is done. staging: host memory that the device reaches quickly. */
    void *(*alloc)(void *state, size_t bytes);
    void (*free)(void *state, void *memory);
    void *(*staging)(void *state, size_t bytes);

    /* Streams. number: 0, 1, ... in the order made, at most DEVICE_STREAMS; -1: the backend's own, on which it
     * communicates. stream_passed: it is empty. */
    struct stream *(*stream_new)(void *state, int number);
    void (*stream_free)(struct stream *stream);
    bool (*stream_passed)(struct stream *stream);

    /* Put into a stream; return at once. */
    int (*launch)(struct stream *stream, const struct kernel *kernel);
    int (*copy)(struct stream *stream, void *to, const void *from, size_t bytes, enum copy_way way);

    /* Events and gates: below. elapsed: seconds between two events that have passed, both `timed`: the others cost less. */
    struct event *(*event_new)(void *state, bool timed);
    double (*event_elapsed)(struct event *from, struct event *to);
    struct event *(*gate_new)(void *state);

    /* May kernels of this rank read and write the memory of that one? If not, only copies can. NULL: they may. */
    bool (*reaches)(void *state, void *other);

    /* The host is inside this call from begin to end: for profilers, which show it above the GPU's work. NULL: nobody
     * wants to know. Calls may lie inside each other. */
    void (*range_begin)(const char *call);
    void (*range_end)(void);

    /* What the runtime below calls this stream, for work of the program's own: what is put into it from now on comes behind all
     * that stands in the stream, and before all that is put in later. NULL: something still waits on the host, so ask again.
     * No such function: there is no runtime below. */
    void *(*stream_native)(struct stream *stream);
};

/* ---- events and gates, of which GPUs are alike (mark.c) ---------------------------------------------- */

/* A new event counts as passed. record marks the end of what stands in the stream now; follow lets a stream wait for the mark that is
 * the newest at the time of the call. */
void mark_free(struct event *event); /* NULL is fine */
int mark_record(struct event *event, struct stream *stream);
int mark_follow(struct event *event, struct stream *stream);
bool mark_passed(struct event *event);

/* Its newest mark will pass by itself: before it stands no closed gate but such as something in a stream is sure to open. */
bool mark_sure(struct event *event);

/* A gate is an event of one mark, which also the host can make pass. A new one is closed, and opens once; nobody records it. A stream
 * follows it, and has it before it, as any event. open_behind: it opens when the stream comes there. Both mark_open and
 * mark_passed may be called by any thread of the process. */
int mark_open_behind(struct event *gate, struct stream *stream);
void mark_open(struct event *gate);

/* The gate at which a stream stands, directly or behind the event of a stream that does; NULL: it can move. */
struct event *mark_held(struct stream *stream);

/* ---- devices --------------------------------------------------------------------------------------- */

/* This thread's last failure, as a sentence. device_fail writes it and returns the status. */
const char *device_why(void);
int device_fail(enum dist_error status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What of a GPU can be seen below `root` ("", or a test's folder). */
enum gpu_found {
    GPU_NONE,
    GPU_NO_DRIVER, /* a GPU, but no driver for it */
    GPU_FOUND      /* both */
};
enum gpu_found device_gpu_found(const char *root);

/* Fail with a sentence that names what is missing; `otherwise`: where a GPU and its driver are there. */
int device_fail_without_gpu(enum gpu_found found, const char *otherwise);

extern const struct device device_sim, device_cuda;

#endif
