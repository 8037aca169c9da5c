/*
 * start.c: an op is posted, and started once that can be.
 *
 * What stands before an op in its rank's stream may be a gate that another op opens, of this rank or another. So
 * whenever something was given to the device, ops of any rank may have become sure: all are looked at again.
 */
#include "cuda.h"

#include <stdio.h>

static void start(struct cuda_job *job, struct dist_work *op)
{
    struct cuda_room *room = room_of(job, op);
    op->step = OP_STARTED;
    atomic_store(&op->begun, 1);
    if (world_failed(room->world)) /* an op behind one that was given up could still find its peer's */
        start_given(job, op, backend_failed(room->world, op));
    else if (!op->p2p)
        meet(job, op);
    else if (op->sends)
        match_send(job, op);
    else
        match_recv(job, op);
    bell_ring(&room->slot->bell); /* for comm_flush */
}

static bool start_next(struct cuda_job *job, struct seat *seat)
{
    struct dist_work *op = seat->posted.first;
    if (!op || !device_of(op)->event_sure(op->ready))
        return false;
    start(job, queue_take(&seat->posted, &seat->posted.first));
    return true;
}

static void start_all(struct cuda_job *job)
{
    bool moved = true;
    while (moved) {
        moved = false;
        for (int rank = 0; rank < job->size; rank++)
            while (start_next(job, &job->seats[rank]))
                moved = true;
    }
}

void start_given(struct cuda_job *job, struct dist_work *op, int status)
{
    struct rank_slot *slot = room_of(job, op)->slot;
    op->status = status;
    op->step = OP_GIVEN;
    if (op->gpu && status != DIST_OK)
        device_of(op)->gate_open(op->gate);
    if (!op->gpu)
        atomic_store(&op->done, 1);
    bell_ring(&slot->bell);
}

static void look_who_is_far(struct cuda_room *room)
{
    const struct device *device = room->gpu->device;
    for (int rank = 0; rank < room->job->size; rank++) {
        const struct cuda_room *other = room->job->seats[rank].room;
        if (other && other->stream &&
            (!device->reaches(room->gpu->state, other->gpu->state) ||
             !device->reaches(other->gpu->state, room->gpu->state)))
            room->job->far = true;
    }
}

/* A rank communicates on a stream of its own, from its first op on a GPU on. */
static bool open_stream(struct cuda_room *room, struct dist_work *op)
{
    if (room->stream)
        return true;
    const struct device *device = device_of(op);
    struct stream *stream = device->stream_new(op->gpu->state, -1);
    room->mark = stream ? device->event_new(op->gpu->state, false) : NULL;
    if (!room->mark) {
        snprintf(op->why, sizeof op->why, "the device \"%s\" has no memory left for communication",
                 device->name);
        if (stream)
            device->stream_free(stream);
        return false;
    }
    pthread_mutex_lock(&room->job->lock);
    room->gpu = op->gpu;
    room->stream = stream;
    look_who_is_far(room);
    pthread_mutex_unlock(&room->job->lock);
    return true;
}

int start_post(struct cuda_room *room, struct dist_work *op)
{
    struct cuda_job *job = room->job;
    bool blocks = !op->async && !op->gpu;
    op->step = OP_POSTED;
    if (op->gpu && !open_stream(room, op))
        return op->status = DIST_ERR_MEMORY;
    pthread_mutex_lock(&job->lock);
    if (op->gpu)
        queue_add(&job->seats[room->rank].posted, op);
    else
        start(
            job,
            op); /* the program's come after comm_flush; those of a collective by messages wait for no stream */
    start_all(job);
    pthread_mutex_unlock(&job->lock);
    return blocks ? cuda_wait(room, op) : DIST_OK;
}
