/*
 * leave.c: a rank leaves. Its messages are to be taken before, and its collectives to be over, but for those that
 * nobody will come for any more.
 */
#include "cuda.h"

static bool cuda_leave_is_mine(const struct cuda_state *cuda, const struct dist_work *op)
{
    return op && cuda_rank_of(op) == cuda->rank;
}

/* The messages to this rank, of which some may be mine. True: one of those is still to be taken. */
static bool cuda_leave_has_unexpected(struct cuda_state *cuda, int peer)
{
    struct match_table *unexpected = &cuda->job->ranks[peer].unexpected;
    bool any = false;
    for (struct match *at = unexpected->first, *next; at; at = next) {
        struct dist_work *op = match_receive(at);
        next = at->next;
        bool mine = cuda_leave_is_mine(cuda, op),
             hopeless = mine && (member_is_gone(cuda->self, peer) || world_over(cuda->world));
        if (!hopeless) {
            any |= mine;
            continue;
        }
        match_remove(unexpected, at);
        if (cuda->self->untaken)
            cuda->self->untaken(cuda->self, op);
        cuda_start_given(cuda->job, op, DIST_ERR_PEER_LOST);
    }
    return any;
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
static bool cuda_leave_leave_meetings(struct cuda_state *cuda, bool all)
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

static bool cuda_leave_is_free(struct cuda_state *cuda, struct dist_work *unused)
{
    struct cuda_job *job = cuda->job;
    (void)unused;
    backoff_lock(&job->lock);
    bool busy = job->ranks[cuda->rank].queued.first;
    busy |= cuda_leave_leave_meetings(cuda, false);
    for (int rank = 0; rank < job->size; rank++)
        busy |= cuda_leave_has_unexpected(cuda, rank);
    pthread_mutex_unlock(&job->lock);
    return !busy && (!cuda->stream || cuda->gpu->device->stream_passed(cuda->stream));
}

static void cuda_leave_empty(struct cuda_state *cuda, struct match_table *table)
{
    for (struct match *at = table->first, *next; at; at = next) {
        struct dist_work *op = match_receive(at);
        next = at->next;
        if (!cuda_leave_is_mine(cuda, op))
            continue;
        match_remove(table, at);
        cuda_start_given(cuda->job, op, DIST_ERR_PEER_LOST);
    }
}

void cuda_leave(void *state)
{
    struct cuda_state *cuda = state;
    struct cuda_job *job = cuda->job;
    while (!cuda_leave_is_free(cuda, NULL) && !world_over(cuda->world))
        cuda_wait_sleep(cuda, NULL, cuda_leave_is_free, NAP);
    backoff_lock(&job->lock);
    struct cuda_rank *own = &job->ranks[cuda->rank];
    for (int rank = 0; rank < job->size; rank++)
        cuda_leave_empty(cuda, &job->ranks[rank].unexpected);
    while (own->queued.first)
        cuda_start_given(job, queue_take(&own->queued, &own->queued.first), DIST_ERR_PEER_LOST);
    cuda_leave_empty(cuda, &own->posted);
    cuda_leave_leave_meetings(cuda, true);
    pthread_mutex_unlock(&job->lock);
}
