/*
 * host.c: the host's memory for tensors: a rank's arena, cut into pages.
 *
 *   pages   0     3     5        9               fresh            end of the arena
 *           +-----+-----+--------+----------------+-------------------
 *           | used| gap | used   | gap ...        : never touched yet
 *           +-----+-----+--------+----------------+-------------------
 *
 * The gaps are kept in order of address; a request takes the start of the first that is long enough. So pages that
 * were used before are used again first, and the arena's end stays untouched, which costs nothing.
 */
#define _GNU_SOURCE
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096u
#define BIG_PAGES 256u   /* from 1 MiB on, ask for fresh pages before they are touched */
#define HUGE_PAGES 4096u /* from 16 MiB on, look first whether the machine has that much */

/* A run of free pages. Two gaps never touch. */
struct gap {
    uint32_t first;
    uint32_t pages;
};

struct arena {
    pthread_mutex_t lock; /* a rank's program may use threads of its own */
    char *base;           /* where page 0 lies in this process */
    uint64_t offset;      /* and in the world's file */
    int fd;
    uint32_t fresh;   /* no page from here on was ever handed out */
    struct gap *gaps; /* by address */
    int gap_count;
    int gap_room;       /* how many fit into `gaps` */
    int used_count;     /* runs in use */
    uint32_t *used;     /* used[p]: length of the used run that starts at page p, else 0 */
    uint32_t used_room; /* pages that `used` covers */
};

static void *host_make_arena(struct launch_self *self)
{
    struct arena *arena = calloc(1, sizeof(*arena));
    struct gap *gaps = malloc(16 * sizeof(*gaps));
    if (!arena || !gaps) {
        free(arena);
        free(gaps);
        return NULL;
    }
    const struct world_header *header = self->world.header;
    arena->offset = header->arena_offset + (uint64_t)self->env.rank * header->arena_bytes;
    arena->base = (char *)header + arena->offset; /* the program's view */
    arena->fd = self->world.fd;
    uint64_t pages = header->arena_bytes / PAGE;
    gaps[0] = (struct gap){ 0, pages < UINT32_MAX ? (uint32_t)pages : UINT32_MAX };
    arena->gaps = gaps;
    arena->gap_count = 1;
    arena->gap_room = 16;
    pthread_mutex_init(&arena->lock, NULL);
    return arena;
}

/* Make room in the books for one more run, below page `end`, and for the gaps that freeing all runs in the worst order
 * can make: one before each, and one behind. So a free never needs memory. */
static bool host_arena_reserve(struct arena *arena, uint32_t end)
{
    if (arena->used_count + 2 > arena->gap_room) {
        struct gap *gaps = realloc(arena->gaps, 2 * (size_t)arena->gap_room * sizeof(*gaps));
        if (!gaps)
            return false;
        arena->gaps = gaps;
        arena->gap_room *= 2;
    }
    if (end > arena->used_room) {
        size_t room = end < UINT32_MAX / 2 ? 2 * (size_t)end : UINT32_MAX;
        uint32_t *used = realloc(arena->used, room * sizeof(*used));
        if (!used)
            return false;
        memset(used + arena->used_room, 0, (room - arena->used_room) * sizeof(*used));
        arena->used = used;
        arena->used_room = (uint32_t)room;
    }
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
static bool host_machine_provides(const struct arena *arena, uint32_t first, uint32_t end)
{
    if (first < arena->fresh)
        first = arena->fresh;
    if (end <= first || end - first < BIG_PAGES)
        return true;
    if (end - first >= HUGE_PAGES && end - first > host_machine_pages())
        return false;
    off_t begin = (off_t)(arena->offset + (uint64_t)first * PAGE);
    return !fallocate(arena->fd, 0, begin, (off_t)(end - first) * PAGE) ||
           (errno != ENOSPC && errno != ENOMEM);
}

static void *host_arena_take(struct arena *arena, uint32_t pages)
{
    int i = 0;
    while (i < arena->gap_count && arena->gaps[i].pages < pages)
        i++;
    if (i == arena->gap_count)
        return NULL;

    uint32_t first = arena->gaps[i].first, end = first + pages;
    if (!host_arena_reserve(arena, end) || !host_machine_provides(arena, first, end))
        return NULL;

    struct gap *gap = &arena->gaps[i];
    gap->first += pages;
    gap->pages -= pages;
    if (gap->pages == 0)
        memmove(gap, gap + 1, (size_t)(--arena->gap_count - i) * sizeof(*gap));
    arena->used[first] = pages;
    arena->used_count++;
    if (end > arena->fresh)
        arena->fresh = end;
    return arena->base + (size_t)first * PAGE;
}

static void host_arena_give(struct arena *arena, uint32_t first)
{
    uint32_t pages = arena->used[first];
    arena->used[first] = 0;
    arena->used_count--;

    int i = 0, last = arena->gap_count; /* i becomes the first gap behind the block */
    while (i < last) {
        int middle = i + (last - i) / 2;
        if (arena->gaps[middle].first < first)
            i = middle + 1;
        else
            last = middle;
    }
    struct gap *gaps = arena->gaps;
    bool joins_before = i > 0 && gaps[i - 1].first + gaps[i - 1].pages == first;
    bool joins_behind = i < arena->gap_count && first + pages == gaps[i].first;
    size_t behind = (size_t)(arena->gap_count - i) * sizeof(*gaps);

    if (joins_before && joins_behind) {
        gaps[i - 1].pages += pages + gaps[i].pages;
        memmove(gaps + i, gaps + i + 1, behind - sizeof(*gaps));
        arena->gap_count--;
    } else if (joins_before) {
        gaps[i - 1].pages += pages;
    } else if (joins_behind) {
        gaps[i] = (struct gap){ first, pages + gaps[i].pages };
    } else {
        memmove(gaps + i + 1, gaps + i, behind);
        gaps[i] = (struct gap){ first, pages };
        arena->gap_count++;
    }
}

void *host_alloc(struct launch_self *self, size_t bytes)
{
    struct arena *arena = launch_once(&self->arena, host_make_arena, self);
    size_t pages = bytes / PAGE + (bytes % PAGE != 0 || bytes == 0);
    if (!arena || pages > UINT32_MAX)
        return NULL;
    pthread_mutex_lock(&arena->lock);
    void *memory = host_arena_take(arena, (uint32_t)pages);
    pthread_mutex_unlock(&arena->lock);
    return memory;
}

void host_free(struct launch_self *self, void *memory)
{
    struct arena *arena = self->arena;
    if (!memory || !arena)
        return;
    pthread_mutex_lock(&arena->lock);
    host_arena_give(arena, (uint32_t)((world_offset(&self->world, memory) - arena->offset) / PAGE));
    pthread_mutex_unlock(&arena->lock);
}
