/*
 * shm.c: joining and leaving the room, groups, and the room's table of calls.
 *
 * The room's part of the world's memory:   lanes[pairs][2]   callers[size]   offers[size]   tickets[size][TICKETS]   the world's board
 */
#include "lane.h"
#include "../../devices/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t callers_offset(int size)
{
    return 2 * lane_pairs(size) * sizeof(struct lane);
}

static uint64_t offers_offset(int size)
{
    return callers_offset(size) + (uint64_t)size * sizeof(struct callers);
}

static uint64_t tickets_offset(int size)
{
    return offers_offset(size) + (uint64_t)size * sizeof(struct offer);
}

static uint64_t world_board_offset(int size)
{
    uint64_t end = tickets_offset(size) + (uint64_t)size * TICKETS * sizeof(uint32_t);
    return (end + BOARD_ALIGN - 1) / BOARD_ALIGN * BOARD_ALIGN;
}

static void fill_room(struct shm_room *room, struct launch_self *self)
{
    char *base = world_at(&self->world, self->world.header->room_offset);
    room->self = self;
    room->world = &self->world;
    room->rank = self->env.rank;
    room->size = self->world.header->size;
    room->threaded = self->algorithms != NULL; /* then collectives come in threads of their own */
    room->lanes = (struct lane *)base;
    room->callers = (struct callers *)(base + callers_offset(room->size));
    room->offers = (struct offer *)(base + offers_offset(room->size));
    room->tickets = (_Atomic uint32_t *)(base + tickets_offset(room->size));
    room->world_group.board = (struct board *)(base + world_board_offset(room->size));
    room->sends_end = &room->sends;
    room->recvs_end = &room->recvs;
    room->copies_end = &room->copies;
    room->parked_end = &room->parked;
    pthread_mutex_init(&room->lock, NULL);
}

/* The two lists of addresses that steps need. */
static bool give_lists(struct shm_group *g, int size)
{
    g->inputs = calloc((size_t)size, sizeof *g->inputs);
    g->outputs = calloc((size_t)size, sizeof *g->outputs);
    return g->inputs && g->outputs;
}

static void free_lists(struct shm_group *g)
{
    free(g->inputs);
    free(g->outputs);
}

static int shm_open_room(struct launch_self *self, struct dist_group *world, void **out, char *why,
                         size_t why_size)
{
    struct shm_room *room = calloc(1, sizeof *room);
    if (room)
        room->to = calloc((size_t)self->world.header->size, sizeof *room->to);
    int status = room && room->to && give_lists(&room->world_group, self->world.header->size)
                     ? launch_read_buffering(&room->eager_bytes, why, why_size)
                     : DIST_ERR_MEMORY;
    if (world_board_offset(self->world.header->size) + board_bytes(self->world.header->size) >
        self->world.header->room_bytes)
        status = DIST_ERR_SYSTEM; /* world_room_bytes and this room have come apart */
    if (status != DIST_OK) {
        if (room)
            free_lists(&room->world_group);
        free(room ? room->to : NULL);
        free(room);
        return status;
    }
    fill_room(room, self);
    for (int peer = 0; peer < room->size; peer++)
        room->to[peer] = lane_between(room, room->rank, peer);
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
    engine_flush(room);
    helper_stop(room);
    while (room->parked) {
        struct parked *next = room->parked->next;
        free(room->parked);
        room->parked = next;
    }
    while (room->retired) {
        struct shm_group *next = room->retired->next;
        free(room->retired);
        room->retired = next;
    }
    pthread_mutex_destroy(&room->lock);
    free_lists(&room->world_group);
    free(room->to);
    free(room);
    return DIST_OK;
}

/* ---- groups --------------------------------------------------------------------- */

/* Boards lie in the arena of the group's first member, who can reuse one only when all have freed the group. */
static void sweep_retired(struct shm_room *room)
{
    for (struct shm_group **at = &room->retired; *at;) {
        struct shm_group *g = *at;
        if (atomic_load(&g->board->left) < g->seq) { /* here: the group's size */
            at = &g->next;
            continue;
        }
        *at = g->next;
        host_free(room->self, g->board);
        free(g);
    }
}

static struct board *new_board(struct shm_room *room, const struct dist_group *group)
{
    sweep_retired(room);
    struct board *board = host_alloc(room->self, board_bytes(group->size));
    if (board)
        board_clear(board, group);
    return board;
}

static uint64_t hash_ranks(const struct dist_group *group)
{
    uint64_t hash = 1469598103934665603u; /* FNV-1a */
    for (int i = 0; i < group->size; i++)
        hash = (hash ^ (uint64_t)(uint32_t)group->ranks[i]) * 1099511628211u;
    return hash >> 1;
}

/* The first member makes the board, and its place is read from its card on the world's board. */
static int shm_group_new(void *state, struct dist_work *op)
{
    struct shm_room *room = state;
    struct dist_group *group = op->group;
    struct shm_group *g = group->rank >= 0 ? calloc(1, sizeof *g) : NULL;
    bool complete = g && give_lists(g, group->size);
    if (g)
        g->group = group;
    op->in.data = group->rank == 0 ? new_board(room, group) : NULL;
    op->block = (int64_t)hash_ranks(group);
    op->group = room->world_group.group;
    int status = shm_collective(room, op);
    if (status != DIST_OK || group->rank < 0)
        return status;
    uint64_t offset = board_card(&room->world_group, group->ranks[0], room->world_group.seq)->in;
    if (!complete || offset == UINT64_MAX) {
        snprintf(op->why, sizeof op->why, "there is no memory left for the group's board");
        return DIST_ERR_MEMORY;
    }
    g->board = world_at(room->world, offset);
    group->room = g;
    return DIST_OK;
}

static void shm_group_free(void *state, struct dist_group *group)
{
    struct shm_room *room = state;
    struct shm_group *g = group->room;
    free_lists(g);
    if (group->rank == 0) {
        g->seq = (uint32_t)group->size;
        g->next = room->retired;
        room->retired = g;
        atomic_fetch_add(&g->board->left, 1);
    } else {
        atomic_fetch_add(&g->board->left, 1);
        free(g);
    }
}

static void shm_note(void *room, const struct dist_work *op)
{
    notes_write(room, op, false);
}

const struct backend backend_shm = {
    .name = "shm",
    .open = shm_open_room,
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
    .note = shm_note,
};
