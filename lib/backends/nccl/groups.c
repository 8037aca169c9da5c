/* groups.c: a communicator for each group, split off the world's. */
#include "cards.h"
#include "../../devices/host.h"

#include <stdio.h>
#include <stdlib.h>

#define TIDY_SECONDS 10

static uint64_t hash_ranks(const struct dist_group *group)
{
    uint64_t hash = 1469598103934665603u; /* FNV-1a */
    for (int i = 0; i < group->size; i++)
        hash = (hash ^ (uint64_t)(uint32_t)group->ranks[i]) * 1099511628211u;
    return hash >> 1;
}

/* Does everybody list the same ranks? All of the world are asked. */
static int agree_on_list(struct nccl_room *room, struct dist_work *op)
{
    struct dist_group *group = op->group;
    struct op_queue one;
    queue_reset(&one);
    op->block = (int64_t)hash_ranks(group);
    op->group = room->world.group;
    queue_add(&one, op);
    check_agree(room, &one);
    op->group = group;
    return op->status;
}

/* NCCL sorts those that name one colour by their key: ours is the place in the list. */
static int split(struct nccl_room *room, struct dist_work *op, struct nccl_group *g)
{
    const struct nccl_calls *nccl = room->nccl;
    const struct dist_group *group = g->group;
    bool member = group->rank >= 0;
    ncclConfig_t config = nccl_config();
    ncclComm_t comm = NULL;
    ncclResult_t result = nccl->comm_split(room->world.comm, member ? 0 : NCCL_SPLIT_NOCOLOR,
                                           member ? group->rank : 0, &comm, &config);
    if (!went_well(result))
        return nccl_explain(nccl, result, op->why, sizeof op->why);
    int status = watch_settle(room, room->world.comm, 0, op->why, sizeof op->why);
    if (status != DIST_OK || !member)
        return status;
    status = watch_settle(room, comm, 0, op->why, sizeof op->why);
    int count = 0, place = -1;
    if (status == DIST_OK &&
        (nccl->comm_count(comm, &count) != ncclSuccess || nccl->comm_user_rank(comm, &place) != ncclSuccess ||
         count != group->size || place != group->rank)) {
        snprintf(op->why, sizeof op->why,
                 "NCCL made a group of %d of it, not of %d: some rank lists other members", count,
                 group->size);
        nccl->comm_abort(comm);
        return DIST_ERR_MISMATCH;
    }
    g->comm = comm;
    return status;
}

/* The watcher, in another process, wants to know who is in the group that somebody waits for. */
static void publish_members(struct nccl_room *room, struct nccl_group *g)
{
    const struct dist_group *group = g->group;
    if (!room->desk)
        return;
    g->members = host_alloc(room->self, (size_t)group->size * sizeof *g->members);
    for (int i = 0; g->members && i < group->size; i++)
        g->members[i] = group->ranks[i];
}

static int form(struct nccl_room *room, struct dist_work *op, struct dist_group *group)
{
    struct nccl_group *g = calloc(1, sizeof *g);
    if (!g) {
        snprintf(op->why, sizeof op->why, "the system gives no memory for a group");
        return DIST_ERR_MEMORY;
    }
    g->group = group;
    int status = split(room, op, g);
    if (status != DIST_OK || group->rank < 0) {
        free(g);
        return status;
    }
    g->next = room->groups;
    room->groups = g;
    group->room = g;
    publish_members(room, g);
    return DIST_OK;
}

void groups_split(struct nccl_room *room, struct dist_work *op)
{
    op->status = form(room, op, room->forming);
    atomic_store(&op->done, 1);
}

/* On one machine: agreed on like a collective of the world, since a split is one for NCCL. */
static int agree_and_form(struct nccl_room *room, struct dist_work *op)
{
    struct dist_group *group = op->group;
    room_lock(room);
    groups_sweep(room, false);
    room->forming = group;
    room_unlock(room);
    op->block = (int64_t)hash_ranks(group);
    op->group = room->world.group;
    op->ready = NULL;
    op->gate = NULL;
    clerk_wait(room, op, 0);
    op->group = group;
    return op->status;
}

int nccl_group_new(void *state, struct dist_work *op)
{
    struct nccl_room *room = state;
    if (room->desk)
        return agree_and_form(room, op);
    launch_flush(room);
    groups_sweep(room, false);
    if (room->failed)
        return launch_refuse(room, op, room->failed);
    if (check_is_due(room) && agree_on_list(room, op) != DIST_OK)
        return op->status;
    return op->status = form(room, op, op->group);
}

/* NCCL tidies up in the background; groups_sweep ends it. */
void nccl_group_free(void *state, struct dist_group *group)
{
    struct nccl_room *room = state;
    struct nccl_group *g = group->room, **at = &room->groups;
    room_lock(room);
    launch_flush(room);
    while (*at != g)
        at = &(*at)->next;
    *at = g->next;
    if (g->comm)
        room->nccl->comm_finalize(g->comm);
    g->next = room->retired;
    room->retired = g;
    room_unlock(room);
}

void groups_sweep(struct nccl_room *room, bool all)
{
    char why[200];
    for (struct nccl_group **at = &room->retired, *g; (g = *at);) {
        ncclResult_t state = ncclSuccess;
        if (g->comm && !all)
            room->nccl->comm_get_async_error(g->comm, &state);
        if (state == ncclInProgress) {
            at = &g->next;
            continue;
        }
        if (g->comm && (!all || watch_settle(room, g->comm, TIDY_SECONDS, why, sizeof why) == DIST_OK))
            room->nccl->comm_destroy(g->comm);
        else if (g->comm)
            room->nccl->comm_abort(g->comm);
        if (g->members)
            host_free(room->self, g->members);
        *at = g->next;
        free(g);
    }
}
