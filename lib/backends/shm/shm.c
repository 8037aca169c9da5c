/*
 * shm.c: joining and leaving, and the table of calls.
 *
 * This backend's part of the world's memory:   slots[pairs][2]   callers[size]   offers[size]   arrivals[size]   stamps[size][size]
 *                                       tickets[size][TICKETS]   rings[pairs][2][RING_CELLS]   stages[pairs][2]   the world's barrier
 */
#include "channel.h"
#include "tickets.h"

#include <stdlib.h>

/* Where its parts begin, in bytes; the slots do at 0. */
struct layout {
    uint64_t callers, offers, arrivals, stamps, tickets, rings, stages, barrier;
};

static uint64_t shm_page_after(uint64_t end)
{
    return (end + BARRIER_ALIGN - 1) / BARRIER_ALIGN * BARRIER_ALIGN;
}

/* Rings have a page each, and the two stages of a pair: one that is never used is never there. */
static struct layout shm_layout(uint64_t size)
{
    struct layout at;
    uint64_t channels = 2 * channel_pairs((int)size);
    at.callers = channels * sizeof(struct slot);
    at.offers = at.callers + size * sizeof(struct callers);
    at.arrivals = at.offers + size * sizeof(struct offer);
    at.stamps = at.arrivals + size * sizeof(struct arrivals);
    at.tickets = at.stamps + size * channel_stamps((int)size) * sizeof(uint64_t);
    at.rings = shm_page_after(at.tickets + size * TICKETS * sizeof(uint32_t));
    at.stages = at.rings + channels * RING_CELLS * sizeof(struct cell);
    at.barrier = shm_page_after(at.stages + channels * STAGE_BYTES);
    return at;
}

static void shm_fill_peers(struct shm_state *shm, struct slot *slots, struct cell *cells, char *stages)
{
    for (int other = 0; other < shm->size; other++) {
        size_t out = channel_index(shm->rank, other), in = channel_index(other, shm->rank);
        struct peer *peer = &shm->peers[other];
        peer->out = &slots[out];
        peer->in = &slots[in];
        peer->out_ring = &cells[out * RING_CELLS];
        peer->in_ring = &cells[in * RING_CELLS];
        peer->stage = &stages[out * STAGE_BYTES];
    }
}

static void shm_fill_state(struct shm_state *shm, struct launch_self *self)
{
    char *base = world_at(&self->world, self->world.header->backend_offset);
    struct layout at = shm_layout((uint64_t)self->world.header->size);
    shm->self = self;
    shm->world = &self->world;
    shm->rank = self->env.rank;
    shm->size = self->world.header->size;
    if (self->algorithms) /* collectives in threads of their own */
        bias_revoke(&self->bias, BIAS_SEVERAL);
    shm_fill_peers(shm, (struct slot *)base, (struct cell *)(base + at.rings), base + at.stages);
    shm->callers = (struct callers *)(base + at.callers);
    shm->offers = (struct offer *)(base + at.offers);
    shm->arrivals = (struct arrivals *)(base + at.arrivals);
    shm->stamps = (_Atomic uint64_t *)(base + at.stamps);
    shm->tickets = (_Atomic uint32_t *)(base + at.tickets);
    shm->world_group.barrier = (struct barrier *)(base + at.barrier);
    shm->busy_end = &shm->busy;
    match_open(&shm->posted);
    match_open(&shm->unexpected);
    shm->retired_end = &shm->retired;
}

static int shm_open_world(struct launch_self *self, struct dist_group *world, void **out, struct why *why)
{
    struct shm_state *shm = calloc(1, sizeof *shm);
    int size = self->world.header->size;
    if (shm)
        shm->peers = calloc((size_t)size, sizeof *shm->peers);
    int status = shm && shm->peers ? launch_read_buffering(&shm->eager_bytes, why) : DIST_ERR_MEMORY;
    if (shm_layout((uint64_t)size).barrier + barrier_bytes(size) > self->world.header->backend_bytes)
        status = DIST_ERR_SYSTEM; /* world_backend_bytes and this part have come apart */
    if (status != DIST_OK) {
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
    ticket_take_spare(shm);
    cores_go_home(shm);
    *out = shm;
    return DIST_OK;
}

static int shm_close(void *state)
{
    struct shm_state *shm = state;
    groups_close(shm);
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
    .collective = shm_collective,
    .test = shm_test,
    .wait = shm_wait,
    .hold = shm_hold,
    .note = shm_note,
};
