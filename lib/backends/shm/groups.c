/* groups.c: the room's view of groups; each meets at a board in the arena of its first member. */
#include "shm.h"
#include "../../devices/host.h"

#include <stdio.h>
#include <stdlib.h>

/* The two lists of addresses that steps need. */
bool groups_give_lists(struct shm_group *g, int size)
{
    g->inputs = calloc((size_t)size, sizeof *g->inputs);
    g->outputs = calloc((size_t)size, sizeof *g->outputs);
    return g->inputs && g->outputs;
}

void groups_free_lists(struct shm_group *g)
{
    free(g->inputs);
    free(g->outputs);
}

static void groups_retire(struct shm_room *room, struct shm_group *g)
{
    g->next = NULL;
    *room->retired_end = g;
    room->retired_end = &g->next;
}

/* Boards lie in the arena of the group's first member, who can reuse one only when all have freed the group. Some are looked at
 * for each new one: so there are never many, and it takes no longer where others are slow. */
static void groups_sweep_retired(struct shm_room *room)
{
    engine_lock(room); /* another thread may free a group */
    for (int looks = 0; looks < 4 && room->retired; looks++) {
        struct shm_group *g = room->retired;
        room->retired = g->next;
        if (!room->retired)
            room->retired_end = &room->retired;
        if (atomic_load(&g->board->left) < g->seq) { /* here: the group's size */
            groups_retire(room, g);
            continue;
        }
        host_free(room->self, g->board);
        free(g);
    }
    engine_unlock(room);
}

static struct board *groups_new_board(struct shm_room *room, const struct dist_group *group)
{
    groups_sweep_retired(room);
    struct board *board = host_alloc(room->self, board_bytes(group->size));
    if (board)
        board_clear(board, group);
    return board;
}

static struct shm_group *groups_new_group(struct shm_room *room, struct dist_group *group)
{
    struct shm_group *g = calloc(1, sizeof *g);
    if (!g || !groups_give_lists(g, group->size) ||
        (group->rank == 0 && !(g->board = groups_new_board(room, group)))) {
        if (g)
            groups_free_lists(g);
        free(g);
        return NULL;
    }
    g->group = group;
    return g;
}

/* A rank that has no memory names no place. All ranks see it, and none gets the group. */
static int groups_look_who_has_memory(struct shm_room *room, struct dist_work *op)
{
    for (int i = 0; i < room->size; i++)
        if (board_card(&room->world_group, i, room->world_group.seq)->in == UINT64_MAX) {
            snprintf(op->why, sizeof op->why, "rank %d has no memory left for the group", i);
            op->speaker = i + 1;
            return op->status = DIST_ERR_MEMORY;
        }
    return DIST_OK;
}

/* The first member makes the board, and its place is read from its card on the world's board. */
int shm_group_new(void *state, struct dist_work *op)
{
    struct shm_room *room = state;
    struct dist_group *group = op->group;
    struct shm_group *g = group->rank >= 0 ? groups_new_group(room, group) : NULL;
    void *board = g ? g->board : NULL;
    bool poor = !group->live || (group->rank >= 0 && !g);
    op->in.data = board || poor ? board : room->callers; /* anything that is not nothing */
    op->block = group_hash(group);
    op->group = room->world_group.group;
    int status = shm_collective(room, op);
    if (status == DIST_OK)
        status = groups_look_who_has_memory(room, op);
    if (status == DIST_OK && g) {
        uint64_t offset = board_card(&room->world_group, group->ranks[0], room->world_group.seq)->in;
        g->board = world_at(room->world, offset);
        group->room = g;
    } else if (g) {
        host_free(room->self, board);
        groups_free_lists(g);
        free(g);
    }
    return status;
}

void shm_group_free(void *state, struct dist_group *group)
{
    struct shm_room *room = state;
    struct shm_group *g = group->room;
    groups_free_lists(g);
    if (group->rank == 0) {
        g->seq = (uint32_t)group->size;
        engine_lock(room);
        groups_retire(room, g);
        engine_unlock(room);
        atomic_fetch_add(&g->board->left, 1);
    } else {
        atomic_fetch_add(&g->board->left, 1);
        free(g);
    }
}

void groups_close(struct shm_room *room)
{
    while (room->retired) {
        struct shm_group *next = room->retired->next;
        free(room->retired);
        room->retired = next;
    }
}
