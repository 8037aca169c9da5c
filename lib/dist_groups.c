/* dist_groups.c: making and freeing groups. */
#include "noted.h"
#include "streams/gpu.h"

#include <stdlib.h>
#include <string.h>

#define MAX_GROUPS 65535 /* a group's number travels in 16 bits */

/* A list of different ranks of the world? False: it was reported. */
static bool check_list(struct context *context, struct dist_at at, const int *ranks, int count)
{
    int size = context->world.size;
    if (!ranks || count < 1 || count > size) {
        report(CALL_NEW_GROUP, at, DIST_ERR_ARGUMENT, "%s with count %d; pass a list of 1 to %d ranks",
               ranks ? "a list" : "NULL", count, size);
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (ranks[i] < 0 || ranks[i] >= size) {
            report(CALL_NEW_GROUP, at, DIST_ERR_ARGUMENT,
                   "entry %d of the list is %d, but the ranks of this job are 0 to %d", i, ranks[i],
                   size - 1);
            return false;
        }
        for (int j = 0; j < i; j++)
            if (ranks[i] == ranks[j]) {
                report(CALL_NEW_GROUP, at, DIST_ERR_ARGUMENT,
                       "rank %d is in the list twice; name every member once", ranks[i]);
                return false;
            }
    }
    return true;
}

static struct dist_group *build(struct context *context, struct dist_at at, const int *ranks, int count)
{
    struct dist_group *group = calloc(1, sizeof *group);
    int *copy = malloc((size_t)count * sizeof *copy);
    if (!group || !copy) {
        free(group);
        free(copy);
        return NULL;
    }
    memcpy(copy, ranks, (size_t)count * sizeof *copy);
    *group = (struct dist_group){ .live = GROUP_LIVE, .size = count, .ranks = copy, .made_at = at };
    group->rank = group_index(group, context->self->env.rank);
    return group;
}

dist_group *dist_new_group_at(struct dist_at at, const int *ranks, int count)
{
    struct context *context = context_enter(CALL_NEW_GROUP, at);
    if (!context)
        return NULL;
    struct dist_group *group = NULL;
    if (!check_list(context, at, ranks, count))
        goto done;
    if (context->gpu)
        comm_flush(context->gpu, call_name(CALL_NEW_GROUP), at);
    group = build(context, at, ranks, count);
    if (!group || context->groups_made == MAX_GROUPS) {
        report(CALL_NEW_GROUP, at, DIST_ERR_MEMORY,
               "no room for one more group; free groups that are no longer needed");
        goto done;
    }
    group->id = ++context->groups_made;
    struct dist_work op = { .call = CALL_NEW_GROUP, .at = at, .group = group };
    op.site = context_site(context, at.file, at.line);
    op.group = &context->world; /* all ranks meet, members or not */
    noted_collective(context, &op);
    op.group = group;
    if (context->backend->group_new(context->room, &op) == DIST_OK) {
        group->next = context->groups;
        context->groups = group;
    } else {
        report_op(&op);
        free(group->ranks);
        free(group);
        group = NULL;
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
    int result = 0;
    if (group && group->live != GROUP_LIVE) {
        result = report(CALL_GROUP_FREE, at, DIST_ERR_STATE, "the group was freed already; free it once");
    } else if (group && group->pending > 0) {
        result = report(CALL_GROUP_FREE, at, DIST_ERR_STATE,
                        "%d of the group's works were not waited for; call dist_wait first", group->pending);
    } else if (group) {
        if (context->gpu)
            comm_finish(context->gpu, call_name(CALL_GROUP_FREE), at, group);
        group->live = 0; /* the handle stays until destroy, so that a second use is recognised */
        if (group->rank >= 0)
            context->backend->group_free(context->room, group);
    }
    context_exit(context);
    return result;
}
