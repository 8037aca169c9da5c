/* groups.c: who is in a group, on which machines, and what the transport makes of it. */
#include "state.h"
#include "../common/members.h"
#include "../../devices/host.h"

#include <stdlib.h>

/* Which member is where, and which of them are here. False: no memory. */
static bool groups_find_nodes(struct transport_state *state, struct transport_group *g,
                              const struct dist_group *group)
{
    int numbers[WORLD_MAX_RANKS] = { 0 }; /* 1 + that of a machine; 0: none of its ranks has been seen */
    g->node_of = malloc((size_t)group->size * sizeof *g->node_of);
    for (int i = 0; g->node_of && i < group->size; i++) {
        int *number = &numbers[state->self->world.header->slots[group->ranks[i]].node];
        *number = *number ? *number : ++g->nodes;
        g->node_of[i] = *number - 1;
        if ((i == group->rank || near_has(state, group->ranks[i])) && g->near++ == 0)
            g->leader = i;
    }
    return g->node_of;
}

/* The leaders are one group more of the transport's, where two levels may pay. */
static bool groups_form_leaders(struct transport_state *state, struct transport_group *g,
                                const struct dist_group *group)
{
    int leaders[WORLD_MAX_RANKS], count = 0;
    bool leads = false;
    for (int i = 0; i < group->size; i++)
        if (g->node_of[i] == count) { /* machines are counted as they come: their first member */
            leads |= i == group->rank;
            leaders[count++] = group->ranks[i];
        }
    if (g->nodes == 1 || g->nodes == group->size || !leads)
        return true;
    g->leaders = state->transport->group_new(leaders, count, (int)(2 * state->formed + 1));
    return g->leaders;
}

bool transport_form_world(struct transport_state *state)
{
    struct transport_group *g = &state->world;
    return groups_find_nodes(state, g, state->all) && groups_form_leaders(state, g, state->all);
}

static void groups_forget(struct transport_state *state, struct transport_group *g)
{
    if (g->handle && !state->failed)
        state->transport->group_free(g->handle);
    if (g->leaders && !state->failed)
        state->transport->group_free(g->leaders);
    free(g->node_of);
    free(g);
}

/* NULL: the transport's error, or no memory. */
static struct transport_group *groups_form(struct transport_state *state, struct dist_group *group)
{
    struct transport_group *g = calloc(1, sizeof *g);
    if (!g || !groups_find_nodes(state, g, group)) {
        free(g);
        return NULL;
    }
    bundles_flush(state, BUNDLES_URGENT); /* which waits for those that are told to make it, too */
    g->handle = state->transport->group_new(group->ranks, group->size, (int)(2 * state->formed));
    if (g->handle && groups_form_leaders(state, g, group)) {
        members_publish(state->self, group);
        return g;
    }
    groups_forget(state, g);
    return NULL;
}

void transport_form_group(struct transport_state *state, struct dist_work *op)
{
    struct dist_group *group = state->forming;
    state->formed++;
    group->state = group->rank < 0 ? NULL : groups_form(state, group);
    if (group->state || group->rank < 0) {
        transport_done(op, DIST_OK);
        return;
    }
    transport_broken(state, "the transport could not make the group");
    op->why = state->why;
    transport_done(op, state->failed);
}

/* ---- ids ----------------------------------------------------------------------------------------------- */

/* Of 16 bits, taken in a circle. Machines share no list of those that are held. So once the circle has been gone round, each rank names the
 * next one that it does not hold, until all name the same. */
static int groups_id(int64_t number)
{
    return (int)(number % (WORLD_GROUPS - 1)) + 1;
}

static int64_t groups_next_free(struct transport_state *state, int64_t number)
{
    int64_t end = state->last_group + WORLD_GROUPS;
    state_lock(state);
    while (number < end && state->ids_held[groups_id(number)])
        number++;
    state_unlock(state);
    return number;
}

/* The largest of what all ranks name; op's status. */
static int groups_ask_all(struct transport_state *state, struct dist_work *op, int64_t *number)
{
    struct dist_work most = { .call = CALL_ALL_REDUCE, .at = op->at, .site = op->site, .group = state->all };
    int64_t *word = host_alloc(state->self, sizeof *word);
    if (!word)
        return op->status = why_fail(DIST_ERR_MEMORY, &op->why, "there is no memory for the group");
    *word = *number;
    most.in = most.out = (struct span){ word, 1 };
    most.block = 1;
    most.type = DIST_I64;
    most.op = DIST_MAX;
    op->status = transport_collective(state, &most);
    op->why = most.why;
    *number = *word;
    host_free(state->self, word);
    return op->status;
}

static int groups_choose_id(struct transport_state *state, struct dist_work *op)
{
    int64_t from, number = state->last_group + 1, end = state->last_group + WORLD_GROUPS;
    bool again = number >= WORLD_GROUPS - 1;
    do {
        from = number;
        number = groups_next_free(state, from);
        if (again && groups_ask_all(state, op, &number) != DIST_OK)
            return op->status;
    } while (number != from && number < end);
    if (number == end)
        return op->status =
                   why_fail(DIST_ERR_MEMORY, &op->why, "65536 groups are open, and there cannot be more");
    state_lock(state);
    state->last_group = number;
    state->forming->id = groups_id(number);
    state->ids_held[state->forming->id] = state->forming->rank >= 0;
    state_unlock(state);
    return op->status;
}

/* All of the world say whom they list: as a collective of the world. */
int transport_group_new(void *own, struct dist_work *op, struct dist_group *group)
{
    struct transport_state *state = own;
    state->forming = group;
    group->apart = state->spread;
    transport_collective(state, op);
    if (op->status != DIST_OK || !group->apart || groups_choose_id(state, op) == DIST_OK)
        return op->status;
    if (group->state)
        transport_group_free(state, group);
    return op->status;
}

void transport_group_free(void *own, struct dist_group *group)
{
    struct transport_state *state = own;
    state_lock(state);
    groups_forget(state, group->state);
    members_forget(state->self, group);
    state->ids_held[group->id] = false;
    state_unlock(state);
    group->state = NULL;
}
