/*
 * leave.c: a rank leaves. Its messages are to be taken before, and its collectives to be over, but for those that
 * nobody will come for any more.
 */
#include "cuda.h"

/* Has somebody left who is needed, and has not come? */
static bool cuda_leave_is_deserted(const struct cuda_state *cuda, const struct dist_work *op)
{
    if (op->p2p)
        return op->sends && (member_is_gone(cuda->self, op->peer) || world_over(cuda->world));
    const struct meeting *meeting = cuda_meet_find(cuda->job, op);
    for (int i = 0; i < meeting->size; i++)
        if (!meeting->ops[i] && member_is_gone(cuda->self, op->group->ranks[i]))
            return true;
    return false;
}

static void cuda_leave_give_up(struct cuda_state *cuda, struct dist_work *op)
{
    if (op->p2p && op->sends && cuda->self->untaken)
        cuda->self->untaken(cuda->self, op);
    cuda_wait_give_up(cuda->job, op, DIST_ERR_PEER_LOST);
}

static bool cuda_leave_is_free(void *argument)
{
    struct cuda_state *cuda = argument;
    struct cuda_rank *own = &cuda->job->ranks[cuda->rank];
    backoff_lock(&cuda->job->lock);
    bool busy = own->queued.first;
    for (struct dist_work *op = own->open.first, *next; op; op = next) {
        next = op->next;
        if (cuda_leave_is_deserted(cuda, op))
            cuda_leave_give_up(cuda, op);
        else
            busy |= !op->p2p || op->sends;
    }
    pthread_mutex_unlock(&cuda->job->lock);
    bool passed = !busy && (!cuda->stream || cuda->gpu->device->stream_passed(cuda->stream));
    return passed || world_failed(cuda->world);
}

void cuda_leave(void *state)
{
    struct cuda_state *cuda = state;
    struct cuda_rank *own = &cuda->job->ranks[cuda->rank];
    while (!cuda_leave_is_free(cuda) && !world_over(cuda->world))
        cuda_wait_sleep(cuda, NULL, cuda_leave_is_free, cuda, NAP);
    backoff_lock(&cuda->job->lock);
    while (own->open.first)
        cuda_leave_give_up(cuda, own->open.first);
    while (own->queued.first)
        cuda_wait_give_up(cuda->job, own->queued.first, DIST_ERR_PEER_LOST);
    pthread_mutex_unlock(&cuda->job->lock);
}
