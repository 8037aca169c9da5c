/*
 * meet.c: the members of a collective come together, and see whether they agree.
 *
 * A rank's k-th collective on a group meets the others' k-th. The last to come compares what all have called, and has it
 * done, or tells all of them how they differ.
 */
#include "cuda.h"
#include "../common/claim.h"
#include "../common/splits.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t key_of(const struct dist_work *op)
{
    return (uint64_t)op->group->id << 32 | op->phase;
}

static struct meeting *find(const struct cuda_job *job, const struct dist_work *op)
{
    return (struct meeting *)match_find(&job->meetings, key_of(op));
}

/* The first member that differs from member 0, with the words in its `why`. NULL: all agree. */
static struct dist_work *find_stray(const struct meeting *meeting)
{
    struct claim first = claim_of(meeting->ops[0]);
    for (int i = 1; i < meeting->size; i++) {
        struct dist_work *op = meeting->ops[i];
        struct claim claim = claim_of(op);
        if (!claims_differ(&first, &claim))
            continue;
        claims_tell(op, rank_of(meeting->ops[0]), &first, rank_of(op), &claim);
        return op;
    }
    return NULL;
}

static const int64_t *splits_of(const void *meeting, int member)
{
    return ((const struct meeting *)meeting)->ops[member]->splits;
}

/* Of an all_to_all with splits that all give: the op of one whom another sends what it does not expect. */
static struct dist_work *find_clash(const struct meeting *meeting)
{
    struct dist_work *first = meeting->ops[0];
    struct clash clash;
    if (!first->splits || !splits_clash(first->group, splits_of, meeting, &clash))
        return NULL;
    splits_tell(first, &clash);
    return first;
}

/* A rank that has no memory for a new group; its op names nothing. */
static struct dist_work *find_poor(const struct meeting *meeting)
{
    for (int i = 0; meeting->ops[0]->call == CALL_NEW_GROUP && i < meeting->size; i++) {
        struct dist_work *op = meeting->ops[i];
        if (!op->in.data) {
            snprintf(op->why, sizeof op->why, "rank %d has no memory left for the group", rank_of(op));
            return op;
        }
    }
    return NULL;
}

static void refuse(struct cuda_job *job, struct meeting *meeting, struct dist_work *stray, int status)
{
    char why[sizeof stray->why];
    int speaker = stray->speaker ? stray->speaker : rank_of(stray) + 1;
    snprintf(why, sizeof why, "%s", stray->why);
    for (int i = 0; i < meeting->size; i++) {
        snprintf(meeting->ops[i]->why, sizeof why, "%s", why);
        meeting->ops[i]->speaker = speaker;
        start_given(job, meeting->ops[i], status);
    }
}

static struct meeting *call_meeting(struct cuda_job *job, const struct dist_work *op)
{
    size_t size = (size_t)op->group->size;
    struct meeting *meeting =
        calloc(1, sizeof *meeting + size * (sizeof *meeting->ops + sizeof *meeting->came));
    if (!meeting)
        return NULL;
    meeting->came = (bool *)(meeting->ops + size);
    meeting->size = op->group->size;
    match_add(&job->meetings, &meeting->match, key_of(op));
    return meeting;
}

void meet(struct cuda_job *job, struct dist_work *op)
{
    struct cuda_group *group = op->group->room;
    op->phase = ++group->seq;
    struct meeting *meeting = find(job, op);
    if (!meeting && !(meeting = call_meeting(job, op))) {
        snprintf(op->why, sizeof op->why, "the system gives no memory for a collective");
        start_given(job, op, DIST_ERR_MEMORY);
        return;
    }
    meeting->ops[op->group->rank] = op;
    meeting->came[op->group->rank] = true;
    if (++meeting->arrived < meeting->size)
        return;
    match_remove(&job->meetings, &meeting->match);
    struct dist_work *stray = find_stray(meeting);
    stray = stray ? stray : find_clash(meeting);
    struct dist_work *poor = stray ? NULL : find_poor(meeting);
    if (stray || poor)
        refuse(job, meeting, stray ? stray : poor, stray ? DIST_ERR_MISMATCH : DIST_ERR_MEMORY);
    else
        plan_run(job, meeting);
    free(meeting);
}

bool meet_leave(struct cuda_job *job, const struct dist_work *op)
{
    struct meeting *meeting = find(job, op);
    int place = op->group->rank;
    if (!meeting || meeting->ops[place] != op)
        return false;
    meeting->ops[place] = NULL;
    if (--meeting->arrived == 0) {
        match_remove(&job->meetings, &meeting->match);
        free(meeting);
    }
    return true;
}

int meet_missing(struct cuda_job *job, const struct dist_work *op, char *list, size_t size)
{
    const struct meeting *meeting = find(job, op);
    size_t length = 0;
    int count = 0;
    for (int i = 0; meeting && i < meeting->size; i++) {
        if (meeting->came[i])
            continue;
        if (length + 16 < size)
            length += (size_t)snprintf(list + length, size - length, "%s%d", count ? ", " : "",
                                       op->group->ranks[i]);
        count++;
    }
    return count;
}
