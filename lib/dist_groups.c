/*
 * dist_groups.c: making and freeing groups.
 *
 * A group's id travels with every message, in 16 bits, so ids are used again. Rank 0 chooses one that no member holds any more,
 * and writes it where all can read it once they have met in group_new. There are two such words, used in turn, also where a meeting
 * finds no id: rank 0 comes to write the same one again only after everybody has come to the next meeting, and so has read this one.
 *
 * Why no message of a freed group is ever taken by a later one with its id. A receive, or a send that waits, is a work, or a call:
 * with one open the group is not freed. A message that was copied aside outlives its call; so its sender holds the id until it was
 * taken. And ids are taken in a circle, so that one comes back as late as can be.
 */
#include "streams/gpu.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

/* A list of different ranks of the world? False: it was reported. */
static bool dist_groups_check_list(struct context *context, struct dist_at at, const int *ranks, int count)
{
    int size = context->world.size;
    if (!ranks || count < 1 || count > size)
        return !report(CALL_NEW_GROUP, at, DIST_ERR_ARGUMENT,
                       "%s with count %d; pass a list of one rank or more, %d at most",
                       ranks ? "a list" : "NULL", count, size);
    bool listed[WORLD_MAX_RANKS] = { false };
    for (int i = 0; i < count; i++) {
        if (ranks[i] < 0 || ranks[i] >= size)
            return !report(CALL_NEW_GROUP, at, DIST_ERR_ARGUMENT, "entry %d of the list is %d, but %s", i,
                           ranks[i], context_ranks(context).text);
        if (listed[ranks[i]])
            return !report(CALL_NEW_GROUP, at, DIST_ERR_ARGUMENT,
                           "rank %d is in the list twice; name every member once", ranks[i]);
        listed[ranks[i]] = true;
    }
    return true;
}

static struct dist_group *dist_groups_build(struct context *context, struct dist_at at, const int *ranks,
                                            int count)
{
    struct dist_group *group = calloc(1, sizeof *group);
    int *copy = malloc((size_t)count * sizeof *copy);
    if (!group || !copy)
        return free(group), free(copy), NULL;
    memcpy(copy, ranks, (size_t)count * sizeof *copy);
    *group = (struct dist_group){ .live = GROUP_LIVE, .size = count, .ranks = copy, .made_at = at };
    group->rank = group_index(group, context->self->env.rank);
    group->settled = group->rank < 0; /* it has nothing to settle */
    return group;
}

/* ---- ids ---------------------------------------------------------------------------- */

static struct group_ids *dist_groups_ids_of(const struct context *context)
{
    return &context->self->world.header->group_ids;
}

static _Atomic uint16_t *dist_groups_chosen(const struct context *context)
{
    return &dist_groups_ids_of(context)->chosen[context->groups_met % 2];
}

/* Rank 0 chooses for a group of so many members. 0: all ids are held. */
static void dist_groups_choose_id(struct context *context, int size)
{
    struct group_ids *ids = dist_groups_ids_of(context);
    for (int tries = 1, id = context->last_group_id; tries < WORLD_GROUPS; tries++) {
        id = id % (WORLD_GROUPS - 1) + 1;
        if (atomic_load(&ids->holders[id]) == 0) {
            atomic_store(&ids->holders[id], (uint16_t)size);
            atomic_store(dist_groups_chosen(context), (uint16_t)(context->last_group_id = id));
            return;
        }
    }
    atomic_store(dist_groups_chosen(context), 0);
}

/* The backend forgets a group of which nobody can hear any more, and this member lets its id go. */
static void dist_groups_settle(struct context *context, struct dist_group *group)
{
    if (group->settled || atomic_load(&group->untaken) > 0)
        return;
    context->backend->group_free(context->state, group);
    if (!group->apart)
        atomic_fetch_sub(&dist_groups_ids_of(context)->holders[group->id], 1);
    group->settled = true;
}

/* For reports: others may still wait in it. */
static void dist_groups_note_freed(struct context *context, const struct dist_group *group)
{
    struct freed_note *freed = &launch_notes(context->self)->freed;
    uint32_t count = atomic_load(&freed->count);
    freed->groups[count % NOTE_FREED] = (uint16_t)group->id;
    atomic_store(&freed->count, count + 1);
}

static void dist_groups_forget(struct dist_group *group)
{
    free(group ? group->ranks : NULL);
    free(group);
}

/* Forget old handles: of each new group's call so many, that it takes no longer where some must stay until their messages are taken. */
static void dist_groups_sweep(struct context *context)
{
    struct handle *old;
    for (int looks = 0; looks < 4 && (old = handle_again(&context->groups, false)); looks++) {
        struct dist_group *group = HANDLE_OF(struct dist_group, old);
        dist_groups_settle(context, group);
        if (group->settled)
            dist_groups_forget(group);
        else
            handle_queue(&context->groups, old);
    }
}

/* ---- the calls -------------------------------------------------------------------------- */

/* What members of a new group compare. */
static int64_t dist_groups_hash(const struct dist_group *group)
{
    uint64_t hash = 1469598103934665603u; /* FNV-1a */
    for (int i = 0; i < group->size; i++)
        hash = (hash ^ (uint64_t)(uint32_t)group->ranks[i]) * 1099511628211u;
    return (int64_t)(hash >> 1);
}

/* All ranks meet and get the group's id. DIST_OK, or the op's status: then nothing of the group is left. */
static int dist_groups_meet_for(struct context *context, struct dist_work *op, struct dist_group *group)
{
    bool chooses = context->self->env.rank == 0;
    if (chooses)
        dist_groups_choose_id(context, group->size);
    if (context->log)
        noted_add(context, op);
    op->block = dist_groups_hash(group);
    int status = context->backend->group_new(context->state, op, group);
    int id = atomic_load(dist_groups_chosen(context)); /* rank 0's at least, and if all is well everybody's */
    context->groups_met += status == DIST_OK; /* else some may not have come; then nobody reads the word */
    if (chooses && (group->apart || status != DIST_OK))
        atomic_store(&dist_groups_ids_of(context)->holders[id], 0);
    if (!group->apart)
        group->id = status == DIST_OK ? id : 0;
    else if (group->id == 0)
        group->id = context->groups_made % (WORLD_GROUPS - 1) + 1;
    if (status == DIST_OK && group->id > 0 && group->live) {
        group->number = ++context->groups_made;
        return DIST_OK;
    }
    if (status == DIST_OK) {
        if (group->rank >= 0)
            context->backend->group_free(context->state, group);
        why_say(&op->why, "%s",
                group->live ? "65536 groups are open, and there cannot be more"
                            : "there is no memory for the group");
    }
    return op->status = status == DIST_OK ? DIST_ERR_MEMORY : status;
}

dist_group *dist_new_group_at(struct dist_at at, const int *ranks, int count)
{
    struct context *context = context_enter(CALL_NEW_GROUP, at);
    if (!context)
        return NULL;
    struct dist_group *group = NULL;
    if (!dist_groups_check_list(context, at, ranks, count))
        goto done;
    if (context->gpu)
        ops_flush(context->gpu, call_name(CALL_NEW_GROUP), at);
    context_lock(context);
    dist_groups_sweep(context);
    context_unlock(context);
    group = dist_groups_build(context, at, ranks, count);
    /* Without memory it meets the others all the same: they would wait for it. */
    struct dist_group poor = { .size = count, .rank = -1, .ranks = (int *)(uintptr_t)ranks };
    struct dist_work op = { .call = CALL_NEW_GROUP, .at = at, .group = &context->world };
    op.site = context_site(context, at.file, at.line);
    if (dist_groups_meet_for(context, &op, group ? group : &poor) == DIST_OK) {
        trace_group_made(context->self, &op, group);
        context_lock(context);
        handle_open(&context->groups, &group->handle);
        context_unlock(context);
    } else {
        dist_groups_forget(group);
        group = NULL;
        report_op(&op);
    }
done:
    context_exit(context);
    return group;
}

int dist_group_free_at(struct dist_at at, dist_group *group)
{
    struct context *context = context_enter(CALL_GROUP_FREE, at);
    if (!context)
        return -DIST_ERR_STATE;
    int result = 0, open;
    if (group && group->live != GROUP_LIVE) {
        result = report(CALL_GROUP_FREE, at, DIST_ERR_STATE, "the group was freed already; free it once");
    } else if (group && (open = works_open(context, group)) > 0) {
        result = report(CALL_GROUP_FREE, at, DIST_ERR_STATE,
                        "%d of the group's works %s not waited for; call dist_wait first", open,
                        open == 1 ? "was" : "were");
    } else if (group) {
        if (context->gpu)
            ops_finish(context->gpu, call_name(CALL_GROUP_FREE), at, group);
        group->live = 0;
        context_lock(context);
        if (group->rank >= 0)
            dist_groups_note_freed(context, group);
        dist_groups_settle(context, group);
        handle_close(&context->groups, &group->handle);
        handle_queue(&context->groups, &group->handle);
        context_unlock(context);
    }
    context_exit(context);
    return result;
}
