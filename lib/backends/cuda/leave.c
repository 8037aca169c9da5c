/*
 * leave.c: a rank leaves. Its messages are to be taken before, and its collectives to be over, but for those that
 * nobody will come for any more.
 */
#include "cuda.h"

static bool cuda_leave_is_mine(const struct cuda_state *cuda, const struct dist_work *op)
{
    return op && cuda_rank_of(op) == cuda->rank;
}

/* The ops of this rank in a table: given up, where nobody will come for them any more. True: there are some that are still needed. */
static bool cuda_leave_table(struct cuda_state *cuda, struct match_table *table, bool hopeless)
{
    for (struct match *at = table->first, *next; at; at = next) {
        struct dist_work *op = match_receive(at);
        next = at->next;
        if (!cuda_leave_is_mine(cuda, op))
            continue;
        if (!hopeless)
            return true;
        match_remove(table, at);
        if (op->sends && cuda->self->untaken)
            cuda->self->untaken(cuda->self, op);
        cuda_start_given(cuda->job, op, DIST_ERR_PEER_LOST);
    }
    return false;
}

static struct dist_work *cuda_leave_mine_of(const struct cuda_state *cuda, const struct meeting *meeting)
{
    for (int i = 0; i < meeting->size; i++)
        if (cuda_leave_is_mine(cuda, meeting->ops[i]))
            return meeting->ops[i];
    return NULL;
}

/* Has somebody left without having come? */
static bool cuda_leave_is_deserted(const struct cuda_state *cuda, const struct meeting *meeting,
                                   const struct dist_group *group)
{
    for (int i = 0; i < meeting->size; i++)
        if (!meeting->came[i] && member_is_gone(cuda->self, group->ranks[i]))
            return true;
    return false;
}

/* Leave the meetings that will never be complete, or all. True: there are others with an op of this rank. */
static bool cuda_leave_meetings(struct cuda_state *cuda, bool all)
{
    bool any = false;
    for (struct match *at = cuda->job->meetings.first, *next; at; at = next) {
        struct meeting *meeting = (struct meeting *)at;
        next = at->next;
        struct dist_work *mine = cuda_leave_mine_of(cuda, meeting);
        if (mine && !all && !cuda_leave_is_deserted(cuda, meeting, mine->group))
            any = true;
        else if (mine && cuda_meet_leave(cuda->job, mine))
            cuda_start_given(cuda->job, mine, DIST_ERR_PEER_LOST);
    }
    return any;
}

static bool cuda_leave_is_free(void *argument)
{
    struct cuda_state *cuda = argument;
    struct cuda_job *job = cuda->job;
    backoff_lock(&job->lock);
    bool busy = job->ranks[cuda->rank].queued.first;
    busy |= cuda_leave_meetings(cuda, false);
    for (int rank = 0; rank < job->size; rank++)
        busy |= cuda_leave_table(cuda, &job->ranks[rank].unexpected,
                                 member_is_gone(cuda->self, rank) || world_over(cuda->world));
    pthread_mutex_unlock(&job->lock);
    bool passed = !busy && (!cuda->stream || cuda->gpu->device->stream_passed(cuda->stream));
    return passed || world_failed(cuda->world);
}

void cuda_leave(void *state)
{
    struct cuda_state *cuda = state;
    struct cuda_job *job = cuda->job;
    while (!cuda_leave_is_free(cuda) && !world_over(cuda->world))
        cuda_wait_sleep(cuda, NULL, cuda_leave_is_free, cuda, NAP);
    backoff_lock(&job->lock);
    struct cuda_rank *own = &job->ranks[cuda->rank];
    for (int rank = 0; rank < job->size; rank++)
        cuda_leave_table(cuda, &job->ranks[rank].unexpected, true);
    while (own->queued.first)
        cuda_start_given(job, queue_take(&own->queued, &own->queued.first), DIST_ERR_PEER_LOST);
    cuda_leave_table(cuda, &own->posted, true);
    cuda_leave_meetings(cuda, true);
    pthread_mutex_unlock(&job->lock);
}
