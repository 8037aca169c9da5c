/* peers.c: how a rank's end becomes known to the others. */
#define _GNU_SOURCE
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOOKS 16 /* peers looked at in one call: 64 sleeping ranks must not spend their time in /proc */

void launch_rank_ended(struct world *world, int rank)
{
    struct rank_slot *slot = &world->header->slots[rank];
    uint32_t state = atomic_load(&slot->state);
    if (state == RANK_JOINED)
        world_fail(world, rank, END_EXIT, 0);
    atomic_store(&slot->pid, -1);
    if (state == RANK_JOINED || state == RANK_LEFT)
        atomic_store(&slot->state, RANK_GONE);
}

/* A process that has ended stays in the table until its parent asks for its status, and a launcher may take its
 * time: /proc says "Z" for it. The state stands behind the name, which may hold anything, so after the last ')'. */
static bool is_zombie(pid_t pid)
{
    char path[48], text[512];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t size = read(fd, text, sizeof text - 1);
    close(fd);
    text[size > 0 ? size : 0] = '\0';
    const char *end = strrchr(text, ')');
    return end && end[1] == ' ' && (end[2] == 'Z' || end[2] == 'X');
}

static bool has_ended(pid_t pid)
{
    if (kill(pid, 0) != 0)
        return errno == ESRCH;
    return is_zombie(pid);
}

bool world_check_peers(struct world *world, int rank)
{
    static _Thread_local int turn;
    int size = world->header->size;
    for (int i = 0; i < LOOKS && i < size && !world_failed(world); i++) {
        int peer = turn++ % size;
        struct rank_slot *slot = &world->header->slots[peer];
        uint32_t state = atomic_load(&slot->state);
        pid_t pid = atomic_load(&slot->pid);
        if (peer == rank || pid <= 0 || state > RANK_JOINED || !has_ended(pid))
            continue;
        /* It may have left between our two looks. */
        if (atomic_load(&slot->state) <= RANK_JOINED)
            world_fail(world, peer, END_EXIT, -1);
    }
    turn %= size;
    return world_failed(world);
}

void launch_look_around(struct launch_self *self)
{
    if (self->watched)
        return;
    world_check_peers(&self->world, self->env.rank);
    if (self->look && !world_failed(&self->world))
        self->look(&self->world, self->env.rank);
}
