/* world.c: the block of memory that all ranks map: made, measured, found to be right, and given back. */
#define _GNU_SOURCE
#include "world.h"
#include "spread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define NAME "dist_world"       /* of the memfd */
#define WORLD_MAGIC 0x64697374u /* "dist" */
/* Another number where ranks read each other otherwise than before, and none of world_layout's sizes tells. */
#define WORLD_PROTOCOL 3u
#define ARENA_MOST ((uint64_t)16 << 30)
#define ARENAS_MOST ((uint64_t)1 << 40)
#define ARENA_LEAST ((uint64_t)1 << 20)
#define TRACE_MOST ((uint64_t)64 << 20)

enum part { HEADER, NOTES, SITES, BACKEND, BOOTSTRAP, ARENAS };

/* They come one behind the other, each from a page of its own. */
static uint64_t world_offset_of(enum part part, int size)
{
    const uint64_t ranks = (uint64_t)size, bytes[] = {
        [HEADER] = sizeof(struct world_header) + ranks * sizeof(struct rank_slot),
        [NOTES] = ranks * sizeof(struct rank_notes),
        [SITES] = ranks * WORLD_SITES * sizeof(struct site),
        [BACKEND] = world_backend_bytes(size),
        [BOOTSTRAP] = ranks * sizeof(struct world_bootstrap),
    };
    uint64_t offset = 0;
    for (int before = 0; before < (int)part; before++)
        offset += world_pages(bytes[before]);
    return offset;
}

uint32_t world_layout(void)
{
    size_t sizes = sizeof(struct world_header) + sizeof(struct rank_slot) + sizeof(struct rank_notes);
    return WORLD_PROTOCOL << 24 | (uint32_t)sizes;
}

static uint64_t world_trace_bytes(uint64_t arena_bytes)
{
    return arena_bytes / 8 < TRACE_MOST ? arena_bytes / 8 / WORLD_PAGE * WORLD_PAGE : TRACE_MOST;
}

static uint64_t world_bytes(int size, uint64_t arena_bytes)
{
    return world_offset_of(ARENAS, size) + (uint64_t)size * (arena_bytes + world_trace_bytes(arena_bytes));
}

/* The largest file that this process may make. Asking for more would not fail but send SIGXFSZ. */
static uint64_t world_file_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return limit.rlim_cur;
}

/* What its file system has left: a hole of the file that cannot be filled would not fail but send SIGBUS. A memfd's has no size. */
static uint64_t world_room_left(int fd)
{
    struct statvfs system;
    if (fstatvfs(fd, &system) != 0 || system.f_blocks == 0)
        return UINT64_MAX;
    return (uint64_t)system.f_bavail * system.f_frsize;
}

/* A core dump would otherwise touch, and so allocate, every hole of the arenas. */
static void world_leave_out_of_dumps(const struct world *world)
{
    struct world_header *header = world->header;
    madvise(world_at(world, header->arena_offset), header->bytes - header->arena_offset, MADV_DONTDUMP);
}

/* Give the file its size and map it. Where address space is short (ulimit -v), smaller arenas do as well: halve them until it fits. */
static bool world_place(struct world *world, int size, uint64_t *arena_bytes)
{
    uint64_t limit = world_file_limit(), room = world_room_left(world->fd);
    bool small = false; /* is the limit what keeps it from fitting? */
    for (; *arena_bytes >= ARENA_LEAST; *arena_bytes = world_pages(*arena_bytes / 2)) {
        uint64_t bytes = world_bytes(size, *arena_bytes);
        small = bytes > limit;
        if (small || bytes > room || ftruncate(world->fd, (off_t)bytes) != 0)
            continue;
        void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, world->fd, 0);
        if (base != MAP_FAILED) {
            world->header = base;
            world->base = base;
            return true;
        }
    }
    errno = small ? EFBIG : world_bytes(size, ARENA_LEAST) > room ? ENOSPC : ENOMEM;
    return false;
}

/* A file without a name, which is gone when nobody has it open. Where a sandbox refuses a memfd, one of /dev/shm. */
static int world_nameless_file(void)
{
    int fd = memfd_create(NAME, MFD_CLOEXEC);
    if (fd >= 0 || errno == EMFILE || errno == ENFILE || errno == ENOMEM)
        return fd;
    fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    if (fd < 0)
        errno = ENOSPC;
    return fd;
}

int world_create(struct world *world, int size)
{
    uint64_t arena_bytes = ARENAS_MOST / (uint64_t)size / WORLD_PAGE * WORLD_PAGE;
    if (arena_bytes > ARENA_MOST)
        arena_bytes = ARENA_MOST;
    world->fd = world_nameless_file();
    if (world->fd < 0)
        return DIST_ERR_SYSTEM;
    if (!world_place(world, size, &arena_bytes)) {
        close(world->fd);
        return DIST_ERR_SYSTEM;
    }
    struct world_header *header = world->header;
    header->magic = WORLD_MAGIC + world_layout();
    header->size = size;
    world->author = size;
    header->bytes = world_bytes(size, arena_bytes);
    header->notes_offset = world_offset_of(NOTES, size);
    header->sites_offset = world_offset_of(SITES, size);
    header->backend_offset = world_offset_of(BACKEND, size);
    header->backend_bytes = world_backend_bytes(size);
    header->bootstrap_offset = world_offset_of(BOOTSTRAP, size);
    header->arena_offset = world_offset_of(ARENAS, size);
    header->arena_bytes = arena_bytes;
    header->trace_offset = header->arena_offset + (uint64_t)size * arena_bytes;
    header->trace_bytes = world_trace_bytes(arena_bytes);
    world_leave_out_of_dumps(world);
    return 0;
}

/* Whether the block behind fd was made by this version of the library, for no more ranks than it can hold. */
static bool world_looks_right(const struct world_header *header, uint64_t file_bytes)
{
    return header->magic == WORLD_MAGIC + world_layout() && header->size >= 1 &&
           header->size <= WORLD_MAX_RANKS && header->bytes == file_bytes &&
           header->backend_offset == world_offset_of(BACKEND, header->size) &&
           header->bytes == world_bytes(header->size, header->arena_bytes);
}

int world_map(struct world *world, int fd)
{
    struct stat file;
    if (fstat(fd, &file) != 0)
        return DIST_ERR_SYSTEM;
    uint64_t bytes = (uint64_t)file.st_size;
    if (!S_ISREG(file.st_mode) || bytes < sizeof(struct world_header)) {
        errno = EINVAL;
        return DIST_ERR_SYSTEM;
    }
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (base == MAP_FAILED)
        return DIST_ERR_SYSTEM;
    if (!world_looks_right(base, bytes)) {
        munmap(base, bytes);
        errno = EINVAL;
        return DIST_ERR_SYSTEM;
    }
    world->header = base;
    world->base = base;
    world->fd = fd;
    world->author = world->header->size;
    world_leave_out_of_dumps(world);
    return 0;
}

void world_unmap(struct world *world)
{
    if (!world->header)
        return;
    uint64_t bytes = world->header->bytes;
    if (world->base != (char *)world->header)
        munmap(world->base, bytes);
    munmap(world->header, bytes);
    close(world->fd);
    world->header = NULL;
    world->base = NULL;
    world->fd = -1;
}

bool world_is_here(void)
{
    char line[512];
    return text_find_line("/proc/self/maps", "/memfd:" NAME, line, sizeof line);
}

bool world_map_twice(struct world *world)
{
    uint64_t bytes = world->header->bytes;
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, world->fd, 0);
    if (base == MAP_FAILED)
        return false;
    world->base = base;
    world_leave_out_of_dumps(world);
    return true;
}
