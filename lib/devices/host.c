/*
 * host.c: the host's memory for tensors: a rank's arena, cut into pages.
 *
 *   pages   0     3     5        9              end          fresh             pages
 *           +-----+-----+--------+---------------+------------+-----------------
 *           | used| gap | used   | used          :            : never touched yet
 *           +-----+-----+--------+---------------+------------+-----------------
 *
 * A request takes the start of the first gap that is long enough, else what lies at the end. So pages that were used before are
 * used again first, and the arena's last ones stay untouched, which costs nothing.
 */
#define _GNU_SOURCE
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGE 4096
#define BIG_PAGES 256   /* from 1 MiB on, ask for fresh pages before they are touched */
#define HUGE_PAGES 4096 /* from 16 MiB on, look first whether the machine has that much */

struct arena {
    pthread_mutex_t lock; /* a rank's program may use threads of its own */
    char *base;           /* where page 0 lies in this process */
    uint64_t offset;      /* and in the world's file */
    int fd;
    int64_t pages, end, fresh;
    int64_t low; /* no gap lies below this page */
    int32_t *
        runs; /* below `end`, at the first page of a run and at its last: how long it is; a gap: less than 0 */
    int64_t room; /* pages that `runs` covers: so a free never needs memory */
};

static void *host_make_arena(struct launch_self *self)
{
    struct arena *arena = calloc(1, sizeof(*arena));
    if (!arena)
        return NULL;
    const struct world_header *header = self->world.header;
    arena->offset = header->arena_offset + (uint64_t)self->env.rank * header->arena_bytes;
    arena->base = (char *)header + arena->offset; /* the program's view */
    arena->fd = self->world.fd;
    uint64_t pages = header->arena_bytes / PAGE;
    arena->pages = pages < INT32_MAX ? (int64_t)pages : INT32_MAX;
    pthread_mutex_init(&arena->lock, NULL);
    return arena;
}

static bool host_arena_reserve(struct arena *arena, int64_t end)
{
    if (end <= arena->room)
        return true;
    int32_t *runs = realloc(arena->runs, 2 * (size_t)end * sizeof(*runs));
    if (!runs)
        return false;
    arena->runs = runs;
    arena->room = 2 * end;
    return true;
}

/* What the kernel could give without killing anybody, in pages. Many where it does not say. */
static uint64_t host_machine_pages(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    if (!file)
        return UINT64_MAX;
    char line[128];
    unsigned long long kib = 0, sum = 0;
    bool told = false;
    while (fgets(line, sizeof(line), file))
        if (sscanf(line, "MemAvailable: %llu", &kib) == 1 || sscanf(line, "SwapFree: %llu", &kib) == 1) {
            told |= line[0] == 'M';
            sum += kib;
        }
    fclose(file);
    return told ? sum / (PAGE / 1024) : UINT64_MAX;
}

/* A page of a file that the machine cannot provide kills whoever touches it (SIGBUS). For large blocks the kernel is
 * asked beforehand, so that it becomes an error with a sentence; small ones are not worth a system call. */
static bool host_machine_provides(const struct arena *arena, int64_t first, int64_t end)
{
    if (first < arena->fresh)
        first = arena->fresh;
    if (end <= first || end - first < BIG_PAGES)
        return true;
    if (end - first >= HUGE_PAGES && (uint64_t)(end - first) > host_machine_pages())
        return false;
    off_t begin = (off_t)(arena->offset + (uint64_t)first * PAGE);
    return !fallocate(arena->fd, 0, begin, (off_t)(end - first) * PAGE) ||
           (errno != ENOSPC && errno != ENOMEM);
}

static void host_arena_mark(struct arena *arena, int64_t first, int64_t run)
{
    arena->runs[first] = arena->runs[first + llabs(run) - 1] = (int32_t)run;
}

static void *host_arena_take(struct arena *arena, int64_t pages)
{
    const int32_t *runs = arena->runs;
    while (arena->low < arena->end && runs[arena->low] > 0)
        arena->low += runs[arena->low];
    int64_t first = arena->low;
    while (first < arena->end && -runs[first] < pages)
        first += llabs(runs[first]);
    int64_t end = first + pages, rest = first < arena->end ? -runs[first] - pages : 0;
    if (end > arena->pages || !host_arena_reserve(arena, end) || !host_machine_provides(arena, first, end))
        return NULL;
    host_arena_mark(arena, first, pages);
    if (rest > 0)
        host_arena_mark(arena, end, -rest);
    arena->end = end > arena->end ? end : arena->end;
    arena->fresh = end > arena->fresh ? end : arena->fresh;
    return arena->base + (size_t)first * PAGE;
}

static void host_arena_give(struct arena *arena, int64_t first)
{
    int64_t end = first + arena->runs[first];
    if (end < arena->end && arena->runs[end] < 0)
        end -= arena->runs[end];
    if (first > 0 && arena->runs[first - 1] < 0)
        first += arena->runs[first - 1];
    if (end == arena->end)
        arena->end = first;
    else
        host_arena_mark(arena, first, first - end);
    arena->low = first < arena->low ? first : arena->low;
}

void *host_alloc(struct launch_self *self, size_t bytes)
{
    struct arena *arena = launch_once(&self->arena, host_make_arena, self);
    size_t pages = bytes / PAGE + (bytes % PAGE != 0 || bytes == 0);
    if (!arena || pages > INT32_MAX)
        return NULL;
    pthread_mutex_lock(&arena->lock);
    void *memory = host_arena_take(arena, (int64_t)pages);
    pthread_mutex_unlock(&arena->lock);
    return memory;
}

void host_free(struct launch_self *self, void *memory)
{
    struct arena *arena = self->arena;
    if (!memory || !arena)
        return;
    pthread_mutex_lock(&arena->lock);
    host_arena_give(arena, (int64_t)((world_offset(&self->world, memory) - arena->offset) / PAGE));
    pthread_mutex_unlock(&arena->lock);
}
