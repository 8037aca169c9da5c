/* groups.c: a communicator for each group, split off the world's. */
#include "check.h"
#include "../../devices/host.h"

#include <stdio.h>
#include <stdlib.h>

#define TIDY_SECONDS 10

/* Does everybody list the same ranks? All of the world are asked. */
static int agree_on_list(struct nccl_room *room, struct dist_work *op)
{
    struct dist_group *group = op->group;
    struct op_queue one;
    queue_reset(&one);
    op->block = group_hash(group);
    op->group = room->world.group;
    queue_add(&one, op);
    check_agree(room, &one);
    op->group = group;
    return op->status;
}

/* NCCL writes down the communicator when it has made it: where the group keeps it. It sorts those that name one colour by their
 * key: ours is the place in the list. */
static int split(struct nccl_room *room, struct dist_work *op, struct nccl_group *g, bool member)
{
    const struct nccl_calls *nccl = room->nccl;
    const struct dist_group *group = g->group;
    ncclConfig_t config = nccl_config();
    ncclResult_t result = nccl->comm_split(room->world.comm, member ? 0 : NCCL_SPLIT_NOCOLOR,
                                           member ? group->rank : 0, &g->comm, &config);
    if (!went_well(result))
        return nccl_explain(nccl, result, op->why, sizeof op->why);
    int status = watch_settle(room, room->world.comm, 0, op->why, sizeof op->why);
    if (status != DIST_OK || !member)
        return status;
    status = watch_settle(room, g->comm, 0, op->why, sizeof op->why);
    int count = 0, place = -1;
    if (status == DIST_OK && (nccl->comm_count(g->comm, &count) != ncclSuccess ||
                              nccl->comm_user_rank(g->comm, &place) != ncclSuccess || count != group->size ||
                              place != group->rank)) {
        snprintf(op->why, sizeof op->why,
                 "NCCL made a group of %d of it, not of %d: some rank lists other members", count,
                 group->size);
        g->broken = true;
        return DIST_ERR_MISMATCH;
    }
    return status;
}

/* The watcher, in another process, wants to know who is in the group that somebody waits for. */
static void publish_members(struct nccl_room *room, struct nccl_group *g)
{
    const struct dist_group *group = g->group;
    if (!room->shared)
        return;
    g->members = host_alloc(room->self, (size_t)group->size * sizeof *g->members);
    for (int i = 0; g->members && i < group->size; i++)
        g->members[i] = group->ranks[i];
}

static int form(struct nccl_room *room, struct dist_work *op, struct dist_group *group)
{
    struct nccl_group *own = calloc(1, sizeof *own), *g = own ? own : &room->poor; /* which takes part */
    g->group = group;
    g->room = room;
    int status = split(room, op, g, own && group->rank >= 0);
    if (!own) { /* the others do not wait for it, and find that a member is missing */
        snprintf(op->why, sizeof op->why, "the system gives no memory for a group");
        return DIST_ERR_MEMORY;
    }
    if (status == DIST_OK && group->rank < 0) {
        free(g);
        return DIST_OK;
    }
    if (status != DIST_OK) { /* kept: NCCL may still write to it */
        g->next = room->retired;
        room->retired = g;
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
    op->block = group_hash(group);
    op->group = room->world.group;
    op->ready = NULL;
    op->gate = NULL;
    progress_wait(room, op, 0);
    op->group = group;
    return op->status;
}

int nccl_group_new(void *state, struct dist_work *op)
{
    struct nccl_room *room = state;
    if (room->shared)
        return agree_and_form(room, op);
    op->group->apart = true;
    launch_flush(room);
    groups_sweep(room, false);
    if (!room->failed && check_is_due(room) && agree_on_list(room, op) != DIST_OK)
        return op->status;
    while (room->flying.first) /* NCCL splits no communicator that is at work */
        watch_wait(room, room->flying.first, 0);
    if (room->failed)
        return launch_refuse(room, op, room->failed);
    return op->status = form(room, op, op->group);
}

/* ---- ending ---------------------------------------------------------------------------------- */

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
        g->broken = !went_well(room->nccl->comm_finalize(g->comm));
    g->next = room->retired;
    room->retired = g;
    room_unlock(room);
}

/* It may wait until the other ranks of this process do the same, each when it comes by: so nobody else may wait for it. */
static void *end_group(void *argument)
{
    struct nccl_group *g = argument;
    const struct nccl_calls *nccl = g->room->nccl;
    launch_become(g->room->self);
    nccl->use(g->room->stream);
    if (g->broken)
        nccl->comm_abort(g->comm);
    else
        nccl->comm_destroy(g->comm);
    atomic_store(&g->ended, true);
    return NULL;
}

/* How is NCCL getting on with its end? True: there is nothing more to wait for. */
static bool is_tidy(struct nccl_room *room, struct nccl_group *g)
{
    ncclResult_t state = ncclSuccess;
    if (!g->comm || g->broken)
        return true;
    if (room->nccl->comm_get_async_error(g->comm, &state) != ncclSuccess || !went_well(state))
        g->broken = true;
    return state != ncclInProgress;
}

static void forget(struct nccl_room *room, struct nccl_group **at)
{
    struct nccl_group *g = *at;
    if (g->ends)
        pthread_join(g->end, NULL);
    if (g->members)
        host_free(room->self, g->members);
    *at = g->next;
    free(g);
}

void groups_sweep(struct nccl_room *room, bool all)
{
    char why[200];
    for (struct nccl_group *g = room->retired; g; g = g->next) {
        if (!g->comm || g->ends)
            continue;
        if (all && !g->broken)
            g->broken = watch_settle(room, g->comm, TIDY_SECONDS, why, sizeof why) != DIST_OK;
        if (is_tidy(room, g))
            g->ends = pthread_create(&g->end, NULL, end_group, g) == 0;
    }
    for (struct nccl_group **at = &room->retired, *g; (g = *at);)
        if (all || atomic_load(&g->ended))
            forget(room, at);
        else
            at = &g->next;
}

/* ---- failing --------------------------------------------------------------------------------- */

static void abort_group(struct nccl_room *room, struct nccl_group *g)
{
    if (g->ends) /* somebody else does it */
        return;
    if (g->comm)
        room->nccl->comm_abort(g->comm);
    g->comm = NULL;
}

/* All at once: an abort waits until the stream is past its communicator's kernels, and there they may stand behind those of
 * another. In a group NCCL first tells all of them to stop, and waits at its end: from 2.22 on, as PyTorch's pull request 132291
 * has it (see NCCL's issue 1013; in NCCL's own papers no version was found). An older one may wait for ever here. */
void groups_abort(struct nccl_room *room)
{
    room->nccl->use(room->stream);
    room->nccl->group_start();
    for (struct nccl_group *g = room->groups; g; g = g->next)
        abort_group(room, g);
    for (struct nccl_group *g = room->retired; g; g = g->next)
        abort_group(room, g);
    abort_group(room, &room->world);
    room->nccl->group_end();
}
