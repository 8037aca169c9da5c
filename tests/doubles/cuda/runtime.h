/*
 * runtime.h: a double of CUDA, with as few promises as CUDA gives.
 *
 *   streams   share hardware queues, two for each GPU: what waits in one stream holds up the streams beside it
 *   GPUs      as many as DOUBLE_GPUS says, or 2; DOUBLE_APART=1: none reaches the memory of another
 *   memory    of a GPU, DOUBLE_BYTES in all; whoever touches it on the host crashes
 *   kernels   host_kernels.c, when their turn comes, some of them late
 *   waiting   calls for memory wait until the whole GPU is idle, and so does the first launch of each kind of kernel, unless
 *             CUDA_MODULE_LOADING=EAGER; cudaStreamDestroy waits for nothing
 *   errors    what a call has said, also that an event or a stream is not past, the next launch says again, unless cudaGetLastError
 *             was asked. Of a GPU that has failed all calls say it, and nothing is done there any more, no call of the host's either
 *
 * DOUBLE_KIND=1: cudaMalloc waits for nothing, so that what waits behind it can be seen.
 * DOUBLE_BREAK=n lets the n-th kernel fail, as one that reads where nothing is: from then on every call fails. "DOUBLE_FAIL=NAME n" lets
 * the n-th call of NAME fail, with the error DOUBLE_ERROR, and do nothing.
 */
#ifndef DOUBLE_RUNTIME_H
#define DOUBLE_RUNTIME_H

#include "cuda_runtime_api.h"
#include "devices/kernel.h"

#include <stdbool.h>

#define GPUS 8
#define QUEUES 2

enum work_kind { WORK_KERNEL, WORK_COPY, WORK_RECORD, WORK_WAIT, WORK_CALL, WORK_OWN };

struct work {
    enum work_kind kind;
    cudaStream_t stream;
    struct kernel kernel;
    void *to;
    const void *from;
    size_t bytes;
    cudaEvent_t event;
    struct record *record; /* RECORD, WAIT */
    cudaHostFn_t call;
    void *argument;
    struct work *next;
};

struct CUstream_st {
    int gpu, queue, priority;
    unsigned long put, done;
    bool destroyed;
};

/* One recording of an event. Whoever was made to wait waits for this one, though the event was recorded again since. */
struct record {
    int users; /* the event, while it is its newest; and the work that names it */
    bool passed;
    double time; /* milliseconds, when it passed */
};

struct CUevent_st {
    int gpu;
    bool timed;
    struct record *newest; /* NULL: never recorded */
};

/* queues.c: put work into the stream's queue; wait until the stream is empty. */
void queue_put(const struct work *work);
void queue_drain(cudaStream_t stream);
void queue_drain_gpu(int gpu);
void queue_forget(cudaStream_t stream);
void queue_lock(void);
void queue_unlock(void);

/* memory.c: memory as the GPU sees it, and as only the double may. Host memory stays. Whose is it? -1: the host's. */
void *memory_open(const void *address);
int memory_gpu(const void *address);
extern _Thread_local int current_gpu;

/* Events that tell the time, ever made: those cost more. */
extern _Atomic int timed_events;

/* Does this kernel fail? */
bool kernel_breaks(const struct kernel *kernel, int gpu);

/* errors.c: what a call says before it does anything; what cudaGetLastError is to say of it; and whether all calls fail. */
cudaError_t double_says(const char *call);
cudaError_t double_keep_error(cudaError_t error);
void double_break(void);
bool double_broken(void);

int double_number(const char *name, int otherwise); /* from the environment */
double double_now(void);

#endif
