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
static _Atomic int kernels, broken, streams;
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
    current_gpu = device;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    snprintf(properties->name, sizeof properties->name, "double of GPU %d", device);
    properties->multiProcessorCount = 4;
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = device != peer && !double_number("DOUBLE_APART", 0);
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)flags;
    enabled[current_gpu][peer] = true;
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorIllegalAddress ? "an illegal memory access was encountered" : "some error";
}

static _Thread_local cudaError_t last_error;

static cudaError_t keep(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

static cudaError_t state(void)
{
    return keep(atomic_load(&broken) ? cudaErrorIllegalAddress : cudaSuccess);
}

/* CUDA fetches a kernel's code when it is first launched, and stops the GPU for that. */
static void load(int kind)
{
    static atomic_bool loaded[GPUS][KERNEL_KINDS];
    const char *loading = getenv("CUDA_MODULE_LOADING");
    if ((!loading || strcmp(loading, "EAGER") != 0) && !atomic_exchange(&loaded[current_gpu][kind], true))
        queue_drain_gpu(current_gpu);
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
        atomic_store(&broken, 1);
    return bad || atomic_load(&broken);
}

cudaError_t kernels_fit(void)
{
    return double_number("DOUBLE_OLD", 0) ? cudaErrorNoKernelImageForDevice : cudaSuccess;
}

cudaError_t kernels_start(const struct kernel *kernel, cudaStream_t stream, int multiprocessors,
                          double *partial)
{
    (void)multiprocessors, (void)partial;
    if (current_gpu != stream->gpu)
        return keep(cudaErrorInvalidResourceHandle);
    if (cudaGetLastError() != cudaSuccess) /* a launch tells what it finds there: somebody else's error */
        return state() != cudaSuccess ? state() : cudaErrorUnknown;
    load((int)kernel->kind);
    queue_put(&(struct work){ .kind = WORK_KERNEL, .stream = stream, .kernel = *kernel });
    return state();
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)kind;
    queue_put(&(struct work){ .kind = WORK_COPY, .stream = stream, .to = to, .from = from, .bytes = bytes });
    return state();
}

/* ---- streams and events ------------------------------------------------------------------------ */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    (void)flags;
    *stream = calloc(1, sizeof **stream);
    (*stream)->gpu = current_gpu;
    (*stream)->queue = atomic_fetch_add(&streams, 1) % QUEUES;
    return state();
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = 0;
    *greatest = -5;
    return state();
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    cudaError_t error = cudaStreamCreateWithFlags(stream, flags);
    (*stream)->priority = priority;
    return error;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    queue_forget(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    queue_drain(stream);
    return state();
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    queue_lock();
    bool done = stream->done == stream->put;
    queue_unlock();
    return done ? state() : cudaErrorNotReady;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    queue_put(&(struct work){ .kind = WORK_WAIT, .stream = stream, .event = event });
    return state();
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t call, void *argument)
{
    queue_put(&(struct work){ .kind = WORK_CALL, .stream = stream, .call = call, .argument = argument });
    return state();
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    *event = calloc(1, sizeof **event);
    (*event)->gpu = current_gpu;
    (*event)->timed = !(flags & cudaEventDisableTiming);
    timed_events += (*event)->timed;
    return state();
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    if (event->gpu != stream->gpu)
        return cudaErrorInvalidResourceHandle;
    queue_put(&(struct work){ .kind = WORK_RECORD, .stream = stream, .event = event });
    return state();
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    queue_lock();
    bool passed = !event->newest || event->newest->passed;
    queue_unlock();
    return state() != cudaSuccess ? state() : passed ? cudaSuccess : keep(cudaErrorNotReady);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    if (!from->timed || !to->timed)
        return keep(cudaErrorInvalidResourceHandle);
    queue_lock();
    *milliseconds = (float)(to->newest->time - from->newest->time);
    queue_unlock();
    return cudaSuccess;
}
