/*
 * shm.c: joining and leaving the room, and the room's table of calls.
 *
 * The room's part of the world's memory:   slots[pairs][2]   callers[size]   offers[size]   arrivals[size]   stamps[size][size]
 *                                       tickets[size][TICKETS]   rings[pairs][2][RING_CELLS]   the world's board
 */
#include "channel.h"

#include <stdlib.h>

static uint64_t shm_callers_offset(int size)
{
    return 2 * channel_pairs(size) * sizeof(struct slot);
}

static uint64_t shm_offers_offset(int size)
{
    return shm_callers_offset(size) + (uint64_t)size * sizeof(struct callers);
}

static uint64_t shm_arrivals_offset(int size)
{
    return shm_offers_offset(size) + (uint64_t)size * sizeof(struct offer);
}

static uint64_t shm_stamps_offset(int size)
{
    return shm_arrivals_offset(size) + (uint64_t)size * sizeof(struct arrivals);
}

static uint64_t shm_tickets_offset(int size)
{
    return shm_stamps_offset(size) + (uint64_t)size * (uint64_t)size * sizeof(uint64_t);
}

/* A page each: one that is never used is never there. */
static uint64_t shm_rings_offset(int size)
{
    uint64_t end = shm_tickets_offset(size) + (uint64_t)size * TICKETS * sizeof(uint32_t);
    return (end + BOARD_ALIGN - 1) / BOARD_ALIGN * BOARD_ALIGN;
}

static uint64_t shm_world_board_offset(int size)
{
    uint64_t end = shm_rings_offset(size) + 2 * channel_pairs(size) * RING_CELLS * sizeof(struct cell);
    return (end + BOARD_ALIGN - 1) / BOARD_ALIGN * BOARD_ALIGN;
}

static void shm_fill_peers(struct shm_room *room, char *base)
{
    struct slot *slots = (struct slot *)base;
    struct cell *cells = (struct cell *)(base + shm_rings_offset(room->size));
    for (int other = 0; other < room->size; other++) {
        size_t out = channel_index(room->rank, other), in = channel_index(other, room->rank);
        struct peer *peer = &room->peers[other];
        peer->out = &slots[out];
        peer->in = &slots[in];
        peer->out_ring = &cells[out * RING_CELLS];
        peer->in_ring = &cells[in * RING_CELLS];
    }
}

static void shm_fill_room(struct shm_room *room, struct launch_self *self)
{
    char *base = world_at(&self->world, self->world.header->room_offset);
    room->self = self;
    room->world = &self->world;
    room->rank = self->env.rank;
    room->size = self->world.header->size;
    if (self->algorithms || !launch_can_settle()) /* the former have collectives in threads of their own */
        atomic_store(&self->alone.over, 1);
    shm_fill_peers(room, base);
    room->callers = (struct callers *)(base + shm_callers_offset(room->size));
    room->offers = (struct offer *)(base + shm_offers_offset(room->size));
    room->arrivals = (struct arrivals *)(base + shm_arrivals_offset(room->size));
    room->stamps = (_Atomic uint64_t *)(base + shm_stamps_offset(room->size));
    room->tickets = (_Atomic uint32_t *)(base + shm_tickets_offset(room->size));
    room->world_group.board = (struct board *)(base + shm_world_board_offset(room->size));
    room->busy_end = &room->busy;
    match_open(&room->posted);
    match_open(&room->unexpected);
    room->retired_end = &room->retired;
}

static int shm_open_room(struct launch_self *self, struct dist_group *world, void **out, char *why,
                         size_t why_size)
{
    struct shm_room *room = calloc(1, sizeof *room);
    if (room)
        room->peers = calloc((size_t)self->world.header->size, sizeof *room->peers);
    int status = room && room->peers && groups_give_lists(&room->world_group, self->world.header->size)
                     ? launch_read_buffering(&room->eager_bytes, why, why_size)
                     : DIST_ERR_MEMORY;
    if (shm_world_board_offset(self->world.header->size) + board_bytes(self->world.header->size) >
        self->world.header->room_bytes)
        status = DIST_ERR_SYSTEM; /* world_room_bytes and this room have come apart */
    if (status != DIST_OK) {
        if (room)
            groups_free_lists(&room->world_group);
        free(room ? room->peers : NULL);
        free(room);
        return status;
    }
    shm_fill_room(room, self);
    room->world_group.group = world;
    world->room = &room->world_group;
    patience_tune(room->size);
    room->looks = patience_looks();
    room->rhythm.most = room->looks > 0 ? RHYTHM_MOST : 0;
    sends_spare(room);
    *out = room;
    return DIST_OK;
}

static int shm_close(void *state)
{
    struct shm_room *room = state;
    groups_close(room);
    groups_free_lists(&room->world_group);
    free(room->peers);
    free(room);
    return DIST_OK;
}

static void shm_note(void *room, const struct dist_work *op)
{
    notes_write(room, op, false);
}

const struct backend backend_shm = {
    .name = "shm",
    .open = shm_open_room,
    .leave = shm_leave,
    .close = shm_close,
    .group_new = shm_group_new,
    .group_free = shm_group_free,
    .quick_send = shm_quick_send,
    .quick_recv = shm_quick_recv,
    .quick_sum = shm_quick_sum,
    .quick_barrier = shm_quick_barrier,
    .send = shm_send,
    .recv = shm_recv,
    .broadcast = shm_collective,
    .reduce = shm_collective,
    .all_reduce = shm_collective,
    .scatter = shm_collective,
    .gather = shm_collective,
    .all_gather = shm_collective,
    .reduce_scatter = shm_collective,
    .all_to_all = shm_collective,
    .barrier = shm_collective,
    .monitored_barrier = shm_collective,
    .test = shm_test,
    .wait = shm_wait,
    .hold = shm_hold,
    .note = shm_note,
};
