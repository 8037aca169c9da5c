/*
 * host.c: the host's memory for tensors: a rank's arena, a part of the world's file. pool.h cuts it into blocks of whole pages.
 */
#define _GNU_SOURCE
#include "host.h"
#include "pool.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGE ((size_t)4096)
#define BIG ((size_t)1 << 20)   /* from here on, ask for fresh pages before they are touched */
#define HUGE ((size_t)16 << 20) /* from here on, look first whether the machine has that much */

struct arena {
    pthread_mutex_t lock; /* a rank's program may use threads of its own */
    char *base;           /* where it begins in this process */
    uint64_t offset;      /* and in the world's file */
    int fd;
    struct pool pool;
    size_t fresh; /* what lies behind so many bytes was never touched yet */
};

static void *host_make_arena(struct launch_self *self)
{
    struct arena *arena = calloc(1, sizeof(*arena));
    const struct world_header *header = self->world.header;
    if (!arena)
        return NULL;
    arena->offset = header->arena_offset + (uint64_t)self->env.rank * header->arena_bytes;
    arena->base = (char *)header + arena->offset; /* the program's view */
    arena->fd = self->world.fd;
    pthread_mutex_init(&arena->lock, NULL);
    if (pool_add(&arena->pool, arena->base, header->arena_bytes / PAGE * PAGE))
        return arena;
    free(arena);
    return NULL;
}

/* What the kernel could give without killing anybody, in bytes. Many where it does not say. */
static uint64_t host_machine_bytes(void)
{
    static const char *const file = "/proc/meminfo";
    char line[128];
    unsigned long long kib = 0, swap = 0;
    if (!text_find_line(file, "MemAvailable:", line, sizeof line) || sscanf(line, "%*s %llu", &kib) != 1)
        return UINT64_MAX;
    if (text_find_line(file, "SwapFree:", line, sizeof line))
        sscanf(line, "%*s %llu", &swap);
    return (kib + swap) * 1024;
}

/* A page of a file that the machine cannot provide kills whoever touches it (SIGBUS). For large blocks the kernel is
 * asked beforehand, so that it becomes an error with a sentence; small ones are not worth a system call. */
static bool host_machine_provides(const struct arena *arena, size_t first, size_t end)
{
    if (first < arena->fresh)
        first = arena->fresh;
    if (end <= first || end - first < BIG)
        return true;
    if (end - first >= HUGE && end - first > host_machine_bytes())
        return false;
    return !fallocate(arena->fd, 0, (off_t)(arena->offset + first), (off_t)(end - first)) ||
           (errno != ENOSPC && errno != ENOMEM);
}

static void *host_arena_take(struct arena *arena, size_t bytes)
{
    char *memory = pool_take(&arena->pool, bytes);
    if (!memory)
        return NULL;
    size_t first = (size_t)(memory - arena->base), end = first + bytes;
    if (!host_machine_provides(arena, first, end)) {
        pool_give(&arena->pool, memory);
        return NULL;
    }
    arena->fresh = end > arena->fresh ? end : arena->fresh;
    return memory;
}

void *host_alloc(struct launch_self *self, size_t bytes)
{
    struct arena *arena = launch_once(&self->arena, host_make_arena, self);
    size_t pages = bytes / PAGE + (bytes % PAGE != 0 || bytes == 0);
    if (!arena || pages > SIZE_MAX / PAGE)
        return NULL;
    pthread_mutex_lock(&arena->lock);
    void *memory = host_arena_take(arena, pages * PAGE);
    pthread_mutex_unlock(&arena->lock);
    return memory;
}

void host_free(struct launch_self *self, void *memory)
{
    struct arena *arena = self->arena;
    if (!memory || !arena)
        return;
    pthread_mutex_lock(&arena->lock);
    pool_give(&arena->pool, arena->base + (world_offset(&self->world, memory) - arena->offset));
    pthread_mutex_unlock(&arena->lock);
}
