/* errors.c: what the double's calls say: runtime.h has the rules. */
#define _GNU_SOURCE
#include "runtime.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic int broken;
static _Thread_local cudaError_t last_error;

cudaError_t double_keep_error(cudaError_t error)
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

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorIllegalAddress     ? "an illegal memory access was encountered"
           : error == cudaErrorMemoryAllocation ? "out of memory"
           : error == cudaErrorNotReady         ? "device not ready"
                                                : "some error";
}

void double_break(void)
{
    atomic_store(&broken, 1);
}

bool double_broken(void)
{
    return atomic_load(&broken);
}

/* Is it its turn to fail? Only calls of this name are counted. */
static bool is_to_fail(const char *call)
{
    static _Atomic int made;
    const char *name = getenv("DOUBLE_FAIL");
    size_t length = strlen(call);
    return name && strncmp(name, call, length) == 0 && name[length] == ' ' &&
           atomic_fetch_add(&made, 1) + 1 == atoi(name + length);
}

cudaError_t double_says(const char *call)
{
    if (double_broken())
        return double_keep_error(cudaErrorIllegalAddress);
    return is_to_fail(call) ? double_keep_error((cudaError_t)double_number("DOUBLE_ERROR", cudaErrorUnknown))
                            : cudaSuccess;
}
