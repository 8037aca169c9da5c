/*
 * meet.c: the members of a collective come together, and see whether they agree.
 *
 * A rank's k-th collective on a group meets the others' k-th. The last to come compares what all have called, and has it
 * done, or tells all of them how they differ.
 */
#include "cuda.h"
#include "../common/claim.h"
#include "../common/splits.h"

#include <stdlib.h>

static uint64_t cuda_meet_key_of(const struct dist_work *op)
{
    return (uint64_t)op->group->id << 32 | op->phase;
}

struct meeting *cuda_meet_find(const struct cuda_job *job, const struct dist_work *op)
{
    return (struct meeting *)match_find(&job->meetings, cuda_meet_key_of(op));
}

/* The first member that differs from member 0, with the words in its `why`. NULL: all agree. */
static struct dist_work *cuda_meet_find_differing(const struct meeting *meeting)
{
    struct claim first = claim_of(meeting->ops[0]);
    for (int i = 1; i < meeting->size; i++) {
        struct dist_work *op = meeting->ops[i];
        struct claim claim = claim_of(op);
        if (!claims_differ(&first, &claim))
            continue;
        claims_tell(op, cuda_rank_of(meeting->ops[0]), &first, cuda_rank_of(op), &claim);
        return op;
    }
    return NULL;
}

static const int64_t *cuda_meet_splits_of(const void *meeting, int member)
{
    return ((const struct meeting *)meeting)->ops[member]->splits;
}

/* Of an all_to_all with splits that all give: the op of one whom another sends what it does not expect. */
static struct dist_work *cuda_meet_find_clash(const struct meeting *meeting)
{
    struct dist_work *first = meeting->ops[0];
    struct clash clash;
    if (!first->splits || !splits_clash(first->group, cuda_meet_splits_of, meeting, &clash))
        return NULL;
    splits_tell(first, &clash);
    return first;
}

/* A rank that has no memory for a new group; its op names nothing. */
static struct dist_work *cuda_meet_find_short_of_memory(const struct meeting *meeting)
{
    for (int i = 0; meeting->ops[0]->call == CALL_NEW_GROUP && i < meeting->size; i++) {
        struct dist_work *op = meeting->ops[i];
        if (!op->in.data) {
            op->status = why_fail(DIST_ERR_MEMORY, &op->why, "rank %d has no memory left for the group",
                                  cuda_rank_of(op));
            return op;
        }
    }
    return NULL;
}

static void cuda_meet_refuse(struct cuda_job *job, struct meeting *meeting, const struct dist_work *wrong)
{
    struct why why = wrong->why; /* which is one of them */
    int status = wrong->status, speaker = wrong->speaker ? wrong->speaker : cuda_rank_of(wrong) + 1;
    for (int i = 0; i < meeting->size; i++)
        if (meeting->ops[i]) {
            meeting->ops[i]->why = why;
            meeting->ops[i]->speaker = speaker;
            cuda_start_given(job, meeting->ops[i], status);
            meeting->ops[i] = NULL;
        }
}

static struct meeting *cuda_meet_call_meeting(struct cuda_job *job, const struct dist_work *op)
{
    struct meeting *meeting = calloc(1, sizeof *meeting + (size_t)op->group->size * sizeof *meeting->ops);
    if (!meeting)
        return NULL;
    meeting->size = op->group->size;
    match_add(&job->meetings, &meeting->match, cuda_meet_key_of(op));
    return meeting;
}

static void cuda_meet_do(struct cuda_job *job, struct meeting *meeting)
{
    const struct dist_work *wrong = cuda_meet_find_differing(meeting);
    wrong = wrong ? wrong : cuda_meet_find_clash(meeting);
    wrong = wrong ? wrong : cuda_meet_find_short_of_memory(meeting);
    if (wrong)
        cuda_meet_refuse(job, meeting, wrong);
    else
        cuda_plan_run(job, meeting);
}

void cuda_meet(struct cuda_job *job, struct dist_work *op)
{
    op->phase = ++op->group->seq;
    struct meeting *meeting = cuda_meet_find(job, op);
    if (!meeting && !(meeting = cuda_meet_call_meeting(job, op))) {
        why_say(&op->why, "the system gives no memory for a collective");
        cuda_start_given(job, op, DIST_ERR_MEMORY);
        return;
    }
    meeting->ops[op->group->rank] = op;
    if (*meeting->late.text) {
        op->why = meeting->late;
        op->status = DIST_ERR_TIMEOUT;
        cuda_meet_refuse(job, meeting, op);
    }
    if (++meeting->arrived < meeting->size)
        return;
    match_remove(&job->meetings, &meeting->match);
    if (!*meeting->late.text)
        cuda_meet_do(job, meeting);
    free(meeting);
}

void cuda_meet_leave(struct cuda_job *job, const struct dist_work *op)
{
    struct meeting *meeting = cuda_meet_find(job, op);
    meeting->ops[op->group->rank] = NULL;
    if (--meeting->arrived == 0) {
        match_remove(&job->meetings, &meeting->match);
        free(meeting);
    }
}

void cuda_meet_end(struct cuda_job *job, struct dist_work *op)
{
    struct meeting *meeting = cuda_meet_find(job, op);
    struct absent absent = { 0 };
    for (int i = 0; i < meeting->size; i++)
        if (!meeting->ops[i])
            absent_add(&absent, op->group->ranks[i]);
    absent_tell(op, &absent);
    meeting->late = op->why;
    cuda_meet_refuse(job, meeting, op);
}
