/* groups.c: who is in a group, on which machines, and what the transport makes of it. */
#include "bundles.h"
#include "../common/members.h"
#include "../../devices/host.h"

#include <stdio.h>
#include <stdlib.h>

/* Which member is where. False: no memory. */
static bool groups_find_nodes(struct transport_room *room, struct transport_group *g,
                              const struct dist_group *group)
{
    int numbers[WORLD_MAX_RANKS] = { 0 }; /* 1 + that of a machine; 0: none of its ranks has been seen */
    g->node_of = malloc((size_t)group->size * sizeof *g->node_of);
    for (int i = 0; g->node_of && i < group->size; i++) {
        int *number = &numbers[near_node(room, group->ranks[i])];
        *number = *number ? *number : ++g->nodes;
        g->node_of[i] = *number - 1;
    }
    return g->node_of;
}

static bool groups_is_leader(const struct transport_group *g, int place)
{
    for (int i = 0; i < place; i++)
        if (g->node_of[i] == g->node_of[place])
            return false;
    return true;
}

static void groups_find_near(const struct transport_room *room, struct transport_group *g,
                             const struct dist_group *group)
{
    g->leader = group->rank;
    for (int i = group->size - 1; i >= 0; i--)
        if (i == group->rank || near_has(room, group->ranks[i])) {
            g->leader = i;
            g->near++;
        }
}

/* The leaders are one group more of the transport's, where two levels may pay. */
static bool groups_form_leaders(struct transport_room *room, struct transport_group *g,
                                const struct dist_group *group)
{
    int leaders[WORLD_MAX_RANKS], count = 0;
    if (g->nodes == 1 || g->nodes == group->size || !groups_is_leader(g, group->rank))
        return true;
    for (int i = 0; i < group->size; i++)
        if (groups_is_leader(g, i))
            leaders[count++] = group->ranks[i];
    g->leaders = room->transport->group_new(leaders, count, (int)(2 * room->formed + 1));
    return g->leaders;
}

bool transport_form_world(struct transport_room *room)
{
    struct transport_group *g = &room->world;
    if (!groups_find_nodes(room, g, room->all))
        return false;
    groups_find_near(room, g, room->all);
    return groups_form_leaders(room, g, room->all);
}

/* NULL: the transport's error, or no memory. */
static struct transport_group *groups_form(struct transport_room *room, const struct dist_group *group)
{
    struct transport_group *g = calloc(1, sizeof *g);
    if (!g || !groups_find_nodes(room, g, group)) {
        free(g);
        return NULL;
    }
    groups_find_near(room, g, group);
    bundles_let_urgent(room); /* which waits for those that are told to make it, too */
    g->handle = room->transport->group_new(group->ranks, group->size, (int)(2 * room->formed));
    if (g->handle && groups_form_leaders(room, g, group)) {
        g->members = members_publish(room->self, group);
        return g;
    }
    transport_forget_group(room, g);
    return NULL;
}

void transport_form_group(struct transport_room *room, struct dist_work *op)
{
    struct dist_group *group = room->forming;
    room->formed++;
    group->room = group->rank < 0 ? NULL : groups_form(room, group);
    if (group->room || group->rank < 0) {
        transport_done(op, DIST_OK);
        return;
    }
    snprintf(op->why, sizeof op->why, "the transport could not make the group: %.150s",
             room->transport->error());
    transport_fail(room, DIST_ERR_SYSTEM, op->why);
    transport_done(op, DIST_ERR_SYSTEM);
}

/* All of the world say whom they list: as a collective of the world. */
int transport_group_new(void *state, struct dist_work *op)
{
    struct transport_room *room = state;
    struct dist_group *group = room->forming = op->group;
    struct dist_group *all = room->all;
    group->apart = room->spread;
    op->block = group_hash(group);
    op->group = all;
    transport_collective(room, op);
    op->group = group;
    return op->status;
}

void transport_forget_group(struct transport_room *room, struct transport_group *g)
{
    if (g->handle && !room->failed)
        room->transport->group_free(g->handle);
    if (g->leaders && !room->failed)
        room->transport->group_free(g->leaders);
    if (g->members)
        host_free(room->self, g->members);
    free(g->node_of);
    free(g);
}

void transport_group_free(void *state, struct dist_group *group)
{
    struct transport_room *room = state;
    room_lock(room);
    transport_forget_group(room, group->room);
    room_unlock(room);
    group->room = NULL;
}
