/* runtime.c: the double's calls. runtime.h says what it is. */
#define _GNU_SOURCE
#include "runtime.h"
#include "devices/cuda/kernels.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Thread_local int current_gpu;
static bool enabled[GPUS][GPUS]; /* peer access */
static _Atomic int kernels, streams;
_Atomic int timed_events;

int double_number(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text && *text ? atoi(text) : otherwise;
}

double double_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* ---- GPUs --------------------------------------------------------------------------------- */

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = double_number("DOUBLE_GPUS", 2);
    return *count < 0 ? (cudaError_t) - *count : cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = double_number("DOUBLE_DRIVER", 0);
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    cudaError_t error = double_says(__func__);
    if (error == cudaSuccess)
        current_gpu = device;
    return error;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    snprintf(properties->name, sizeof properties->name, "double of GPU %d", device);
    properties->multiProcessorCount = 4;
    return double_says(__func__);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = device != peer && !double_number("DOUBLE_APART", 0);
    return double_says(__func__);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    cudaError_t error = double_says(__func__);
    (void)flags;
    if (error == cudaSuccess && enabled[current_gpu][peer])
        return double_keep_error(cudaErrorPeerAccessAlreadyEnabled);
    enabled[current_gpu][peer] |= error == cudaSuccess;
    return error;
}

/* CUDA fetches a kernel's code when it is first launched, and stops the GPU for that. */
static void load(int kind)
{
    static atomic_bool loaded[GPUS][KERNEL_KINDS];
    const char *loading = getenv("CUDA_MODULE_LOADING");
    if ((!loading || strcmp(loading, "EAGER") != 0) && !atomic_exchange(&loaded[current_gpu][kind], true))
        queue_drain_gpu(current_gpu);
}

static cudaError_t put(const char *call, const struct work *work)
{
    cudaError_t error = double_says(call);
    if (error == cudaSuccess)
        queue_put(work);
    return error;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static bool reaches(int gpu, const void *address)
{
    int other = address ? memory_gpu(address) : gpu;
    return other == gpu || (other >= 0 && enabled[gpu][other]);
}

bool kernel_breaks(const struct kernel *kernel, int gpu)
{
    bool bad =
        atomic_fetch_add(&kernels, 1) + 1 == double_number("DOUBLE_BREAK", -1) || !reaches(gpu, kernel->out);
    for (int i = 0; i < KERNEL_INPUTS; i++)
        bad |= !reaches(gpu, kernel->in[i]);
    for (int i = 0; i < kernel->copies; i++)
        bad |= !reaches(gpu, kernel->copy[i]);
    if (bad)
        double_break();
    return double_broken();
}

cudaError_t kernels_fit(void)
{
    return double_number("DOUBLE_OLD", 0) ? double_keep_error(cudaErrorNoKernelImageForDevice)
                                          : double_says(__func__);
}

cudaError_t kernels_start(const struct kernel *kernel, cudaStream_t stream, int multiprocessors,
                          double *partial)
{
    (void)multiprocessors, (void)partial;
    if (current_gpu != stream->gpu)
        return double_keep_error(cudaErrorInvalidResourceHandle);
    cudaError_t error = double_says(__func__);
    if (error == cudaSuccess)
        error = cudaGetLastError(); /* a launch tells what it finds there: somebody else's error */
    if (error != cudaSuccess)
        return error;
    load((int)kernel->kind);
    queue_put(&(struct work){ .kind = WORK_KERNEL, .stream = stream, .kernel = *kernel });
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)kind;
    return put(__func__,
               &(struct work){ .kind = WORK_COPY, .stream = stream, .to = to, .from = from, .bytes = bytes });
}

/* ---- streams and events ------------------------------------------------------------------------ */

static cudaError_t make_stream(const char *call, cudaStream_t *stream, int priority)
{
    cudaError_t error = double_says(call);
    if (error != cudaSuccess)
        return error;
    *stream = calloc(1, sizeof **stream);
    **stream = (struct CUstream_st){ .gpu = current_gpu,
                                     .queue = atomic_fetch_add(&streams, 1) % QUEUES,
                                     .priority = priority };
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    (void)flags;
    return make_stream(__func__, stream, 0);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = 0;
    *greatest = -5;
    return double_says(__func__);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    (void)flags;
    return make_stream(__func__, stream, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    queue_forget(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    queue_drain(stream);
    return double_says(__func__);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    cudaError_t error = double_says(__func__);
    queue_lock();
    bool done = stream->done == stream->put;
    queue_unlock();
    return error != cudaSuccess || done ? error : double_keep_error(cudaErrorNotReady);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    return put(__func__, &(struct work){ .kind = WORK_WAIT, .stream = stream, .event = event });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t call, void *argument)
{
    return put(__func__,
               &(struct work){ .kind = WORK_CALL, .stream = stream, .call = call, .argument = argument });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    cudaError_t error = double_says(__func__);
    if (error != cudaSuccess)
        return error;
    *event = calloc(1, sizeof **event);
    (*event)->gpu = current_gpu;
    (*event)->timed = !(flags & cudaEventDisableTiming);
    timed_events += (*event)->timed;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    if (event->gpu != stream->gpu)
        return double_keep_error(cudaErrorInvalidResourceHandle);
    return put(__func__, &(struct work){ .kind = WORK_RECORD, .stream = stream, .event = event });
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    cudaError_t error = double_says(__func__);
    queue_lock();
    bool passed = !event->newest || event->newest->passed;
    queue_unlock();
    return error != cudaSuccess || passed ? error : double_keep_error(cudaErrorNotReady);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    cudaError_t error = double_says(__func__);
    if (error != cudaSuccess)
        return error;
    queue_lock();
    bool timed = from->timed && to->timed && from->newest && to->newest;
    bool passed = timed && from->newest->passed && to->newest->passed;
    *milliseconds = passed ? (float)(to->newest->time - from->newest->time) : 0;
    queue_unlock();
    return passed ? cudaSuccess
                  : double_keep_error(timed ? cudaErrorNotReady : cudaErrorInvalidResourceHandle);
}
