/*
 * launch.c: from ops to NCCL calls.
 *
 * NCCL works in the background (config.blocking = 0): ncclGroupEnd may return before anything stands in the stream. Only when
 * the communicator says that it is through with the group may something else be put behind it, such as the opening of a gate.
 */
#include "room.h"

#include <stdio.h>

int launch_refuse(struct nccl_room *room, struct dist_work *op, int status)
{
    if (room->failed && !op->why[0])
        snprintf(op->why, sizeof op->why, "%s", room->why);
    op->status = status;
    atomic_store(&op->begun, 1);
    if (op->gate)
        room->device->gate_open(op->gate);
    atomic_store(&op->done, 1);
    return status;
}

int launch_put_off(struct nccl_room *room, struct dist_work *op)
{
    if (room->failed)
        return launch_refuse(room, op, room->failed);
    queue_add(&room->off, op);
    room->asked = 0;
    return DIST_OK;
}

static ncclResult_t call_message(struct nccl_room *room, const struct dist_work *op)
{
    cudaStream_t stream = room->nccl->stream_of(room->stream);
    int peer = place_in(op->group, op->peer);
    if (op->sends)
        return room->nccl->send(op->in.data, (size_t)op->in.count, nccl_type(op->type), peer, comm_of(op),
                                stream);
    return room->nccl->recv(op->out.data, (size_t)op->out.count, nccl_type(op->type), peer, comm_of(op),
                            stream);
}

/* All NCCL calls of these ops, as one group. */
static ncclResult_t call_all(struct nccl_room *room, const struct dist_work *first, nccl_caller *call)
{
    ncclResult_t result = room->nccl->group_start();
    if (result != ncclSuccess)
        return result;
    for (const struct dist_work *op = first; op && went_well(result); op = op->next)
        result = call(room, op);
    ncclResult_t ended = room->nccl->group_end();
    return went_well(result) ? ended : result;
}

static int settle_all(struct nccl_room *room, const struct dist_work *first, char *why, size_t why_size)
{
    int status = DIST_OK;
    ncclComm_t before = NULL;
    for (const struct dist_work *op = first; op && status == DIST_OK; op = op->next) {
        if (comm_of(op) != before)
            status = watch_settle(room, comm_of(op), 0, why, why_size);
        before = comm_of(op);
    }
    return status;
}

/* Let it be seen when the stream has passed the op: by its gate, or where it has none by an event. */
static void mark(struct nccl_room *room, struct dist_work *op)
{
    const struct device *device = room->device;
    struct event *event = op->gate ? NULL : device->event_new(room->state);
    atomic_store(&op->begun, 1);
    if (op->gate)
        device->gate_open_behind(op->gate, room->stream);
    else if (event && device->event_record(event, room->stream) == DIST_OK)
        op->aside = event;
    else
        watch_fail(room, DIST_ERR_MEMORY, "there is no memory left for an event");
}

/* The ops fly from the beginning, so that a failure on the way ends them as it ends all others. */
static void launch(struct nccl_room *room, struct op_queue *ops, nccl_caller *call)
{
    struct dist_work *first = ops->first, *next;
    char why[200] = "a GPU's stream waits for something that nobody has begun";
    int status = DIST_ERR_SYSTEM;
    *room->flying.end = first;
    room->flying.end = ops->end;
    for (struct dist_work *op = first; op; op = op->next) {
        op->ticket = ++room->launches;
        op->aside = NULL;
        if (op->ready)
            room->device->event_follow(op->ready, room->stream);
    }
    if (room->nccl->stream_of(room->stream)) {
        ncclResult_t result = call_all(room, first, call);
        status = went_well(result) ? settle_all(room, first, why, sizeof why)
                                   : nccl_explain(room->nccl, result, why, sizeof why);
    }
    if (status != DIST_OK)
        watch_fail(room, status, why);
    for (struct dist_work *op = first; op && !room->failed; op = next) {
        next = op->next;
        mark(room, op);
    }
}

void launch_flush(struct nccl_room *room)
{
    struct op_queue ops;
    if (!room->off.first)
        return;
    ops.first = room->off.first;
    ops.end = room->off.end;
    queue_reset(&room->off);
    if (check_is_due(room))
        check_agree(room, &ops);
    if (ops.first)
        launch(room, &ops, call_message);
}

int launch_now(struct nccl_room *room, struct dist_work *op, nccl_caller *call)
{
    struct op_queue one;
    queue_reset(&one);
    queue_add(&one, op);
    launch(room, &one, call);
    return op->status;
}
