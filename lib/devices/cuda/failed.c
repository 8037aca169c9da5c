/*
 * failed.c: what CUDA has said other than that all is well. Every error is told once, and forgotten (cudaGetLastError): CUDA would say it
 * again after the next launch, which has nothing to do with it, and to a program with kernels of its own.
 */
#include "cuda.h"

int cuda_refuse(const struct cuda_gpu *gpu, const char *what, cudaError_t error)
{
    cudaGetLastError();
    if (error == cudaErrorMemoryAllocation)
        return device_fail(DIST_ERR_MEMORY, "the memory of GPU %d (%s) is full", gpu->number, gpu->name);
    return device_fail(DIST_ERR_SYSTEM, "GPU %d (%s): %s: %s (CUDA error %d)", gpu->number, gpu->name, what,
                       cudaGetErrorString(error), (int)error);
}

struct cuda *cuda_of_caller(void)
{
    const struct launch_self *self = launch_self_if_any();
    struct cuda *rank = cuda_all.ranks;
    while (rank && rank->self != self)
        rank = rank->next;
    return rank;
}

int cuda_check(const struct cuda_gpu *gpu)
{
    return gpu->broken ? cuda_refuse(gpu, "earlier work failed", gpu->broken) : DIST_OK;
}

/* Told in the name of whoever found it; which rank's work it was, nobody knows. */
void cuda_break(struct cuda_gpu *gpu, cudaError_t error)
{
    struct cuda *rank = cuda_of_caller();
    if (gpu->broken)
        return;
    gpu->broken = error;
    int status = cuda_check(gpu);
    rank = rank ? rank : cuda_all.ranks;
    if (rank)
        world_fail(&rank->self->world, rank->self->env.rank, END_ERROR, status, device_why());
}

bool cuda_gave(struct cuda_gpu *gpu, cudaError_t error)
{
    if (error != cudaSuccess)
        cudaGetLastError();
    if (error != cudaSuccess && error != cudaErrorMemoryAllocation)
        cuda_break(gpu, error);
    return error == cudaSuccess;
}

bool cuda_is_past(struct cuda_gpu *gpu, cudaError_t error)
{
    if (error == cudaErrorNotReady)
        cudaGetLastError();
    else if (error != cudaSuccess)
        cuda_break(gpu, error);
    return error != cudaErrorNotReady;
}

int cuda_failed(void *state)
{
    streams_lock();
    int status = cuda_check(((struct cuda *)state)->gpu);
    streams_unlock();
    return status;
}
