/* memory.c: the double's memory. */
#define _GNU_SOURCE
#include "runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define REGION ((size_t)1 << 36) /* addresses of a GPU's memory */
#define BLOCK ((size_t)1 << 21)

/* Every GPU's memory twice: closed, as programs get it, and open. */
static char *closed, *open_view;
static size_t used[GPUS], given[GPUS];      /* addresses, ever; bytes that are not given back */
static size_t sizes[GPUS * REGION / BLOCK]; /* of what begins there */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void map(void)
{
    int fd = memfd_create("double", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)(GPUS * REGION)) != 0)
        abort();
    closed = mmap(NULL, GPUS * REGION, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    open_view = mmap(NULL, GPUS * REGION, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (closed == MAP_FAILED || open_view == MAP_FAILED)
        abort();
}

int memory_gpu(const void *address)
{
    size_t offset = (size_t)((const char *)address - closed);
    return closed && offset < GPUS * REGION ? (int)(offset / REGION) : -1;
}

void *memory_open(const void *address)
{
    return memory_gpu(address) < 0 ? (void *)(size_t)address : open_view + ((const char *)address - closed);
}

/* No address is used twice: so memory that was given back too early keeps what was written too late. */
cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    pthread_once(&once, map);
    cudaError_t error = double_says(__func__);
    if (error != cudaSuccess)
        return error;
    if (!double_number("DOUBLE_KIND", 0))
        queue_drain_gpu(current_gpu);
    queue_lock();
    bool fits = given[current_gpu] + bytes <= (size_t)double_number("DOUBLE_BYTES", 1 << 30);
    size_t at = (size_t)current_gpu * REGION + used[current_gpu];
    *memory = fits ? closed + at : NULL;
    if (fits) {
        used[current_gpu] += (bytes + BLOCK - 1) / BLOCK * BLOCK;
        given[current_gpu] += bytes;
        sizes[at / BLOCK] = bytes;
    }
    queue_unlock();
    return double_keep_error(fits ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void *memory)
{
    queue_drain_gpu(current_gpu);
    queue_lock();
    if (memory)
        given[memory_gpu(memory)] -= sizes[(size_t)((char *)memory - closed) / BLOCK];
    queue_unlock();
    return double_says(__func__);
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    cudaError_t error = double_says(__func__);
    if (error != cudaSuccess)
        return error;
    queue_drain_gpu(current_gpu);
    *memory = malloc(bytes);
    return double_keep_error(*memory ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFreeHost(void *memory)
{
    queue_drain_gpu(current_gpu);
    free(memory);
    return cudaSuccess;
}
