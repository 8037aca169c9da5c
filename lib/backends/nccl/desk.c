/* desk.c: rank 0 lays the desk; its lock, and slips in piles. */
#define _GNU_SOURCE
#include "desk.h"

#include <errno.h>
#include <stdio.h>

#define NAP 100 /* ms after which a sleeper looks whether the job still stands */

/* ---- slips --------------------------------------------------------------------------------- */

/* A rank that died with the lock may have left slips half written; the job has failed then, and nobody follows them. */
void desk_lock(struct desk *desk)
{
    if (pthread_mutex_lock(&desk->lock) == EOWNERDEAD)
        pthread_mutex_consistent(&desk->lock);
}

void desk_unlock(struct desk *desk)
{
    pthread_mutex_unlock(&desk->lock);
}

void pile_add(struct desk *desk, struct pile *pile, uint32_t number)
{
    slip_at(desk, number)->next = 0;
    if (pile->first)
        slip_at(desk, pile->last)->next = number;
    else
        pile->first = number;
    pile->last = number;
}

bool pile_remove(struct desk *desk, struct pile *pile, uint32_t number)
{
    uint32_t before = 0, at = pile->first;
    while (at && at != number) {
        before = at;
        at = slip_at(desk, at)->next;
    }
    if (!at)
        return false;
    if (before)
        slip_at(desk, before)->next = slip_at(desk, at)->next;
    else
        pile->first = slip_at(desk, at)->next;
    if (pile->last == number)
        pile->last = before;
    return true;
}

uint32_t slip_new(struct desk *desk, int rank)
{
    struct tray *tray = &desk->trays[rank];
    uint32_t number = tray->free.first;
    if (number)
        pile_remove(desk, &tray->free, number);
    else if (tray->used < desk->slips)
        number = (uint32_t)rank * desk->slips + ++tray->used;
    if (number)
        *slip_at(desk, number) = (struct slip){ .rank = rank };
    return number;
}

void slip_free(struct desk *desk, uint32_t number)
{
    pile_add(desk, &desk->trays[slip_at(desk, number)->rank].free, number);
}

/* ---- laying the desk --------------------------------------------------------------------------- */

static bool lay(struct desk *desk, const struct nccl_room *room, const ncclUniqueId *id)
{
    const struct world_header *world = room->self->world.header;
    size_t head = sizeof *desk + (size_t)room->size * sizeof(struct tray);
    size_t slips =
        world->room_bytes > head ? (world->room_bytes - head) / (size_t)room->size / sizeof(struct slip) : 0;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    bool made = slips > 0 && pthread_mutex_init(&desk->lock, &attributes) == 0;
    pthread_mutexattr_destroy(&attributes);
    desk->id = *id;
    desk->size = room->size;
    desk->slips = (uint32_t)slips;
    return made;
}

static bool is_laid(void *argument)
{
    struct nccl_room *room = argument;
    return atomic_load(&room->desk->laid) != 0 || world_failed(&room->self->world);
}

static void wait_until_laid(struct nccl_room *room, double seconds)
{
    struct rank_slot *slot = room->slot;
    for (double deadline = dist_time() + seconds; !is_laid(room) && dist_time() < deadline;) {
        atomic_store(&room->notes->open_count, 0);
        atomic_store(&slot->sleep.bell, world_offset(&room->self->world, &slot->bell));
        atomic_store(&slot->sleep.timed, 1);
        bell_sleep(&slot->bell, is_laid, room, NAP, &slot->sleep);
        launch_look_around(room->self);
    }
}

int desk_open(struct nccl_room *room, ncclUniqueId *id, double seconds, char *why, size_t why_size)
{
    struct world *world = &room->self->world;
    struct desk *desk = room->desk = world_at(world, world->header->room_offset);
    if (room->rank == 0) {
        if (!lay(desk, room, id)) {
            snprintf(why, why_size, "the world has too little room for %d ranks", room->size);
            return DIST_ERR_SYSTEM; /* world_room_bytes and this room have come apart */
        }
        atomic_store(&desk->laid, 1);
        for (int i = 1; i < room->size; i++)
            rank_ring(&world->header->slots[i]);
    }
    wait_until_laid(room, seconds);
    if (world_failed(world))
        return nccl_job_failed(room, why, why_size);
    if (!atomic_load(&desk->laid)) {
        snprintf(why, why_size, "rank 0 has not come within %g s (DIST_INIT_TIMEOUT=SECONDS waits longer)",
                 seconds);
        return DIST_ERR_TIMEOUT;
    }
    *id = desk->id;
    return DIST_OK;
}
