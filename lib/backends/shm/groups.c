/* groups.c: the backend's view of groups; each meets at a barrier in the arena of its first member. */
#include "engine.h"
#include "../../devices/host.h"

#include <stdio.h>
#include <stdlib.h>

static void groups_retire(struct shm_state *shm, struct shm_group *g)
{
    g->next = NULL;
    *shm->retired_end = g;
    shm->retired_end = &g->next;
}

/* Barriers lie in the arena of the group's first member, who can reuse one only when all have freed the group. Some are looked at
 * for each new one: so there are never many, and it takes no longer where others are slow. */
static void groups_sweep_retired(struct shm_state *shm)
{
    engine_lock(shm); /* another thread may free a group */
    for (int looks = 0; looks < 4 && shm->retired; looks++) {
        struct shm_group *g = shm->retired;
        shm->retired = g->next;
        if (!shm->retired)
            shm->retired_end = &shm->retired;
        if (atomic_load(&g->barrier->left) < g->seq) { /* here: the group's size */
            groups_retire(shm, g);
            continue;
        }
        host_free(shm->self, g->barrier);
        free(g);
    }
    engine_unlock(shm);
}

static struct barrier *groups_new_barrier(struct shm_state *shm, const struct dist_group *group)
{
    groups_sweep_retired(shm);
    struct barrier *barrier = host_alloc(shm->self, barrier_bytes(group->size));
    if (barrier)
        barrier_clear(barrier, group);
    return barrier;
}

static struct shm_group *groups_new_group(struct shm_state *shm, struct dist_group *group)
{
    struct shm_group *g = calloc(1, sizeof *g);
    if (!g || (group->rank == 0 && !(g->barrier = groups_new_barrier(shm, group)))) {
        free(g);
        return NULL;
    }
    g->group = group;
    return g;
}

/* A rank that has no memory names no place. All ranks see it, and none gets the group. */
static int groups_look_who_has_memory(struct shm_state *shm, struct dist_work *op)
{
    for (int i = 0; i < shm->size; i++)
        if (barrier_contribution(&shm->world_group, i, shm->world_group.seq)->in == UINT64_MAX) {
            why_say(&op->why, "rank %d has no memory left for the group", i);
            op->speaker = i + 1;
            return op->status = DIST_ERR_MEMORY;
        }
    return DIST_OK;
}

/* The first member makes the barrier, and its place is read from its contribution at the world's. */
int shm_group_new(void *state, struct dist_work *op, struct dist_group *group)
{
    struct shm_state *shm = state;
    struct shm_group *g = group->rank >= 0 ? groups_new_group(shm, group) : NULL;
    void *barrier = g ? g->barrier : NULL;
    bool poor = !group->live || (group->rank >= 0 && !g);
    op->in.data = barrier || poor ? barrier : shm->callers; /* anything that is not nothing */
    int status = shm_collective(shm, op);
    if (status == DIST_OK)
        status = groups_look_who_has_memory(shm, op);
    if (status == DIST_OK && g) {
        uint64_t offset = barrier_contribution(&shm->world_group, group->ranks[0], shm->world_group.seq)->in;
        g->barrier = world_at(shm->world, offset);
        group->members = barrier_members_offset(shm, g);
        group->state = g;
    } else if (g) {
        host_free(shm->self, barrier);
        free(g);
    }
    return status;
}

void shm_group_free(void *state, struct dist_group *group)
{
    struct shm_state *shm = state;
    struct shm_group *g = group->state;
    if (group->rank == 0) {
        g->seq = (uint32_t)group->size;
        engine_lock(shm);
        groups_retire(shm, g);
        engine_unlock(shm);
        atomic_fetch_add(&g->barrier->left, 1);
    } else {
        atomic_fetch_add(&g->barrier->left, 1);
        free(g);
    }
}

void groups_close(struct shm_state *shm)
{
    while (shm->retired) {
        struct shm_group *next = shm->retired->next;
        free(shm->retired);
        shm->retired = next;
    }
}
