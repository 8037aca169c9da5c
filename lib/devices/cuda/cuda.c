/* cuda.c: which GPU is a rank's, and what to say where it cannot be had. */
#include "cuda.h"
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(__has_include)
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif
#endif

struct cuda_all cuda_all;

void cuda_use_gpu(const struct cuda_gpu *gpu)
{
    cudaSetDevice(gpu->number);
}

void cuda_use(struct stream *stream)
{
    cuda_use_gpu(stream->rank->gpu);
}

/* ---- where there is none ---------------------------------------------------------------- */

/* Why are there no GPUs here? */
static int cuda_no_gpus(cudaError_t error)
{
    int driver = 0;
    char text[160];
    enum gpu_found found = device_gpu_found("");
    bool no_driver =
        error == cudaErrorInsufficientDriver && (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0);
    if (no_driver)
        return device_fail_without_gpu(found == GPU_FOUND ? GPU_NO_DRIVER : found, NULL);
    if (error == cudaErrorInsufficientDriver)
        snprintf(
            text, sizeof text,
            "the NVIDIA driver here is made for CUDA %d.%d, and this library for %d.%d; update the driver",
            driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    else if (error == cudaErrorNoDevice || error == cudaSuccess)
        snprintf(text, sizeof text,
                 "the NVIDIA driver shows no GPU; look at nvidia-smi and at CUDA_VISIBLE_DEVICES");
    else
        return device_fail(DIST_ERR_SYSTEM, "%s, but CUDA could not be started: %s (CUDA error %d)",
                           launch_gpu_wish(), cudaGetErrorString(error), (int)error);
    return device_fail_without_gpu(GPU_FOUND, text);
}

/* ---- GPUs --------------------------------------------------------------------------------- */

/* A GPU reaches another's memory once it was told to. Where it cannot, CUDA copies by way of the host. */
static void cuda_connect(struct cuda_gpu *gpu, struct cuda_gpu *other)
{
    int can = 0;
    cuda_use_gpu(gpu);
    if (cudaDeviceCanAccessPeer(&can, gpu->number, other->number) == cudaSuccess && can) {
        cudaError_t error = cudaDeviceEnablePeerAccess(other->number, 0);
        gpu->reaches[other->number] = error == cudaSuccess || error == cudaErrorPeerAccessAlreadyEnabled;
    }
    cudaGetLastError();
}

static cudaError_t cuda_open_device(struct cuda_gpu *gpu)
{
    struct cudaDeviceProp properties;
    if (gpu->open)
        return cudaSetDevice(gpu->number);
    cudaError_t error =
        cudaGetDeviceProperties(&properties, gpu->number); /* first: its name is for reports */
    if (error != cudaSuccess)
        return error;
    snprintf(gpu->name, sizeof gpu->name, "%.60s", properties.name);
    gpu->multiprocessors = properties.multiProcessorCount;
    if ((error = cudaSetDevice(gpu->number)) != cudaSuccess || (error = kernels_fit()) != cudaSuccess)
        return error;
    gpu->open = gpu->reaches[gpu->number] = true;
    for (int i = 0; i < cuda_all.gpu_count; i++)
        if (cuda_all.gpus[i].open && i != gpu->number) {
            cuda_connect(gpu, &cuda_all.gpus[i]);
            cuda_connect(&cuda_all.gpus[i], gpu);
        }
    return cudaSetDevice(gpu->number);
}

/* Ranks go round the GPUs of their machine. */
static int cuda_find_device(const struct launch_self *self, struct cuda_gpu **gpu)
{
    const struct launch_env *env = &self->env;
    if (cuda_all.gpu_count == 0) {
        int count = 0;
        cudaError_t error = cudaGetDeviceCount(&count);
        if (error != cudaSuccess || count == 0)
            return cuda_no_gpus(error);
        cuda_all.gpu_count = count < CUDA_GPUS ? count : CUDA_GPUS;
        for (int i = 0; i < cuda_all.gpu_count; i++)
            cuda_all.gpus[i].number = i;
    }
    int place = env->local_rank >= 0 ? env->local_rank : env->rank;
    *gpu = &cuda_all.gpus[place % cuda_all.gpu_count];
    return DIST_OK;
}

/* ---- a rank's device ------------------------------------------------------------------------- */

static int cuda_start(struct cuda *rank, struct launch_self *self)
{
    int status = cuda_find_device(self, &rank->gpu);
    if (status != DIST_OK)
        return status;
    cudaError_t error = cuda_open_device(rank->gpu);
    if (error == cudaSuccess)
        error = cudaStreamCreateWithFlags(&rank->waker, cudaStreamNonBlocking);
    if (error == cudaErrorNoKernelImageForDevice)
        return device_fail(
            DIST_ERR_ENVIRONMENT,
            "GPU %d (%s) is none of those that this library was built for; run make clean, and make "
            "again on this machine",
            rank->gpu->number, rank->gpu->name);
    return error == cudaSuccess ? DIST_OK : cuda_refuse(rank->gpu, "it cannot be used", error);
}

static int cuda_open(struct launch_self *self, void **state)
{
    struct cuda *rank = calloc(1, sizeof *rank);
    if (!rank)
        return device_fail(DIST_ERR_MEMORY, "the system gives no memory for the state of a GPU");
    rank->self = self;
    atomic_store(&launch_notes(self)->engines, 1);
    atomic_store(&streams_spin, true);
    streams_lock();
    int status = cuda_start(rank, self);
    if (status == DIST_OK) {
        rank->next = cuda_all.ranks;
        cuda_all.ranks = rank;
    } else {
        free(rank);
    }
    streams_unlock();
    *state = rank;
    return status;
}

static void cuda_close(void *state)
{
    struct cuda *rank = state, **at = &cuda_all.ranks;
    for (int i = 0; i < GPU_STREAMS; i++)
        if (rank->streams[i])
            cuda_stream_free(rank->streams[i]);
    streams_lock();
    while (*at != rank)
        at = &(*at)->next;
    *at = rank->next;
    streams_unlock();
    cuda_use_gpu(rank->gpu);
    cudaStreamSynchronize(rank->waker); /* its notifications still go to this rank */
    cudaStreamDestroy(rank->waker);
    streams_lock();
    memory_end(rank);
    streams_unlock();
    free(rank);
}

static bool cuda_reaches(void *state, void *other)
{
    return ((struct cuda *)state)->gpu->reaches[((struct cuda *)other)->gpu->number];
}

/* NVTX: in Nsight Systems each call of ours lies as a named range above what the GPU does for it. Its header does it all: without a
 * profiler a range costs a few nanoseconds, and nothing is linked. */
static void cuda_range_begin(const char *call)
{
#ifdef NVTX_VERSION
    nvtxRangePushA(call);
#else
    (void)call;
#endif
}

static void cuda_range_end(void)
{
#ifdef NVTX_VERSION
    nvtxRangePop();
#endif
}

const struct device device_cuda = {
    .name = "cuda",
    .open = cuda_open,
    .close = cuda_close,
    .failed = cuda_failed,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .staging = cuda_staging,
    .stream_new = cuda_stream_new,
    .stream_free = cuda_stream_free,
    .stream_passed = cuda_stream_passed,
    .launch = cuda_launch,
    .copy = cuda_copy,
    .event_new = cuda_event_new,
    .event_elapsed = cuda_event_elapsed,
    .gate_new = cuda_gate_new,
    .reaches = cuda_reaches,
    .range_begin = cuda_range_begin,
    .range_end = cuda_range_end,
    .stream_native = cuda_stream_native,
};
