/*
 * shm.c: joining and leaving, and the table of calls.
 *
 * This backend's part of the world's memory:   slots[pairs][2]   callers[size]   offers[size]   arrivals[size]   stamps[size][size]
 *                                       tickets[size][TICKETS]   rings[pairs][2][RING_CELLS]   the world's barrier
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
    return (end + BARRIER_ALIGN - 1) / BARRIER_ALIGN * BARRIER_ALIGN;
}

static uint64_t shm_world_barrier_offset(int size)
{
    uint64_t end = shm_rings_offset(size) + 2 * channel_pairs(size) * RING_CELLS * sizeof(struct cell);
    return (end + BARRIER_ALIGN - 1) / BARRIER_ALIGN * BARRIER_ALIGN;
}

static void shm_fill_peers(struct shm_state *shm, char *base)
{
    struct slot *slots = (struct slot *)base;
    struct cell *cells = (struct cell *)(base + shm_rings_offset(shm->size));
    for (int other = 0; other < shm->size; other++) {
        size_t out = channel_index(shm->rank, other), in = channel_index(other, shm->rank);
        struct peer *peer = &shm->peers[other];
        peer->out = &slots[out];
        peer->in = &slots[in];
        peer->out_ring = &cells[out * RING_CELLS];
        peer->in_ring = &cells[in * RING_CELLS];
    }
}

static void shm_fill_state(struct shm_state *shm, struct launch_self *self)
{
    char *base = world_at(&self->world, self->world.header->backend_offset);
    shm->self = self;
    shm->world = &self->world;
    shm->rank = self->env.rank;
    shm->size = self->world.header->size;
    if (self->algorithms) /* collectives in threads of their own */
        bias_revoke(&self->bias, BIAS_SEVERAL);
    shm_fill_peers(shm, base);
    shm->callers = (struct callers *)(base + shm_callers_offset(shm->size));
    shm->offers = (struct offer *)(base + shm_offers_offset(shm->size));
    shm->arrivals = (struct arrivals *)(base + shm_arrivals_offset(shm->size));
    shm->stamps = (_Atomic uint64_t *)(base + shm_stamps_offset(shm->size));
    shm->tickets = (_Atomic uint32_t *)(base + shm_tickets_offset(shm->size));
    shm->world_group.barrier = (struct barrier *)(base + shm_world_barrier_offset(shm->size));
    shm->busy_end = &shm->busy;
    match_open(&shm->posted);
    match_open(&shm->unexpected);
    shm->retired_end = &shm->retired;
}

static int shm_open_world(struct launch_self *self, struct dist_group *world, void **out, char *why,
                          size_t why_size)
{
    struct shm_state *shm = calloc(1, sizeof *shm);
    if (shm)
        shm->peers = calloc((size_t)self->world.header->size, sizeof *shm->peers);
    int status = shm && shm->peers && groups_give_lists(&shm->world_group, self->world.header->size)
                     ? launch_read_buffering(&shm->eager_bytes, why, why_size)
                     : DIST_ERR_MEMORY;
    if (shm_world_barrier_offset(self->world.header->size) + barrier_bytes(self->world.header->size) >
        self->world.header->backend_bytes)
        status = DIST_ERR_SYSTEM; /* world_backend_bytes and this part have come apart */
    if (status != DIST_OK) {
        if (shm)
            groups_free_lists(&shm->world_group);
        free(shm ? shm->peers : NULL);
        free(shm);
        return status;
    }
    shm_fill_state(shm, self);
    shm->world_group.group = world;
    world->state = &shm->world_group;
    backoff_tune(shm->size);
    shm->looks = backoff_looks();
    shm->rhythm.most = shm->looks > 0 ? RHYTHM_MOST : 0;
    sends_spare(shm);
    *out = shm;
    return DIST_OK;
}

static int shm_close(void *state)
{
    struct shm_state *shm = state;
    groups_close(shm);
    groups_free_lists(&shm->world_group);
    free(shm->peers);
    free(shm);
    return DIST_OK;
}

static void shm_note(void *shm, const struct dist_work *op)
{
    notes_write(shm, op, false);
}

const struct backend backend_shm = {
    .name = "shm",
    .open = shm_open_world,
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
    BACKEND_COLLECTIVES(shm_collective),
    .collectives[CALL_ALL_TO_ALL] = shm_collective,
    .collectives[CALL_BARRIER] = shm_collective,
    .collectives[CALL_MONITORED_BARRIER] = shm_collective,
    .test = shm_test,
    .wait = shm_wait,
    .hold = shm_hold,
    .note = shm_note,
};
