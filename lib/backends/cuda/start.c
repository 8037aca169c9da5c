/*
 * start.c: an op is queued, and started once that can be.
 *
 * What stands before an op in its rank's stream may be a gate that another op opens, of this rank or another. So
 * whenever something was given to the device, ops of any rank may have become sure: all are looked at again.
 */
#include "cuda.h"

static void cuda_start_one(struct cuda_job *job, struct dist_work *op)
{
    struct cuda_state *cuda = cuda_of(job, op);
    op->step = OP_STARTED;
    queue_add(&job->ranks[cuda->rank].open, op);
    atomic_store(&op->begun, 1);
    if (world_failed(&cuda->self->world)) /* an op behind one that was given up could still find its peer's */
        cuda_start_given(job, op, backend_failed(&cuda->self->world, &op->why));
    else if (!op->p2p)
        cuda_meet(job, op);
    else if (op->sends)
        cuda_messages_send(job, op);
    else
        cuda_messages_recv(job, op);
    eventcount_notify(&launch_slot(cuda->self)->eventcount); /* for ops_flush */
}

static void cuda_start_all(struct cuda_job *job)
{
    bool moved = true;
    while (moved) {
        moved = false;
        for (int rank = 0; rank < job->size; rank++) {
            struct op_queue *queued = &job->ranks[rank].queued;
            for (; queued->first && mark_sure(queued->first->ready); moved = true)
                cuda_start_one(job, queue_take(queued, &queued->first));
        }
    }
}

void cuda_start_given(struct cuda_job *job, struct dist_work *op, int status)
{
    const struct launch_self *self = cuda_of(job, op)->self;
    if (op->step != OP_QUEUED)
        queue_remove(&job->ranks[cuda_rank_of(op)].open, op);
    if (op->step == OP_ASIDE) {
        cuda_messages_free(op);
        return;
    }
    op->status = status;
    op->step = OP_GIVEN;
    if (op->gpu && status != DIST_OK)
        mark_open(op->gate);
    if (!op->gpu)
        atomic_store(&op->done, 1);
    eventcount_notify(&launch_slot(self)->eventcount);
}

int cuda_start_behind(const struct cuda_state *cuda, const struct cuda_state *other)
{
    int status = cuda == other ? DIST_OK : mark_record(other->mark, other->stream);
    return cuda == other || status != DIST_OK ? status : mark_follow(other->mark, cuda->stream);
}

static void cuda_start_look_who_is_far(struct cuda_state *cuda)
{
    const struct device *device = cuda->gpu->device;
    for (int rank = 0; device->reaches && rank < cuda->job->size; rank++) {
        const struct cuda_state *other = cuda->job->ranks[rank].cuda;
        if (other && other->stream &&
            (!device->reaches(cuda->gpu->state, other->gpu->state) ||
             !device->reaches(other->gpu->state, cuda->gpu->state)))
            cuda->job->far = true;
    }
}

/* A rank communicates on a stream of its own, from its first op on a GPU on. */
static bool cuda_start_open_stream(struct cuda_state *cuda, struct dist_work *op)
{
    if (cuda->stream)
        return true;
    const struct device *device = cuda_device_of(op);
    struct stream *stream = device->stream_new(op->gpu->state, -1);
    cuda->mark = stream ? device->event_new(op->gpu->state, false) : NULL;
    if (!cuda->mark) {
        why_say(&op->why, "the device \"%s\" has no memory left for communication", device->name);
        if (stream)
            device->stream_free(stream);
        return false;
    }
    backoff_lock(&cuda->job->lock);
    cuda->gpu = op->gpu;
    cuda->stream = stream;
    cuda_start_look_who_is_far(cuda);
    pthread_mutex_unlock(&cuda->job->lock);
    return true;
}

int cuda_start_post(void *state, struct dist_work *op)
{
    struct cuda_state *cuda = state;
    struct cuda_job *job = cuda->job;
    bool blocks = !op->async && !op->gpu;
    op->step = OP_QUEUED;
    if (op->gpu && !cuda_start_open_stream(cuda, op))
        return op->status = DIST_ERR_MEMORY;
    backoff_lock(&job->lock);
    if (op->gpu)
        queue_add(&job->ranks[cuda->rank].queued, op);
    else
        cuda_start_one(
            job,
            op); /* the program's come after ops_flush; those of a collective by messages wait for no stream */
    cuda_start_all(job);
    pthread_mutex_unlock(&job->lock);
    return blocks ? cuda_wait(cuda, op) : DIST_OK;
}
