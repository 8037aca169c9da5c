/*
 * launch.c: from ops to NCCL calls.
 *
 * NCCL works in the background (config.blocking = 0): ncclGroupEnd may return before anything stands in the stream. Only when
 * the communicator says that it is through with the group may something else be put behind it, such as the opening of a gate.
 */
#include "check.h"

#include <stdio.h>

#define WINDOW 50e-6 /* seconds in which a message waits for others, to go with them */
#define MOST 64      /* messages that go together */

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
    room->asks = 0;
    return DIST_OK;
}

/* On one machine all go over the world's communicator: agree.h says why. */
static ncclResult_t call_message(struct nccl_room *room, const struct dist_work *op)
{
    const struct nccl_calls *nccl = room->nccl;
    cudaStream_t stream = nccl->stream_of(room->stream);
    ncclComm_t comm = room->shared ? room->world.comm : comm_of(op);
    int rank = op->sends ? op->peer : op->from, peer = room->shared ? rank : place_in(op->group, rank);
    return op->sends
               ? nccl->send(op->in.data, (size_t)op->in.count, nccl_type(op->type), peer, comm, stream)
               : nccl->recv(op->out.data, (size_t)op->out.count, nccl_type(op->type), peer, comm, stream);
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
        ncclComm_t comm = room->shared && op->p2p ? room->world.comm : comm_of(op);
        if (comm != before)
            status = watch_settle(room, comm, 0, why, why_size);
        before = comm;
    }
    return status;
}

/* Let it be seen when the stream has passed the op: by its gate, or where it has none by an event. */
static void mark(struct nccl_room *room, struct dist_work *op)
{
    const struct device *device = room->device;
    struct event *event = op->gate ? NULL : device->event_new(room->state, false);
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
        if (!room->shared)
            op->ticket = ++room->tickets;
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
    return room->failed; /* the op may be over by now, and gone */
}

/* ---- on one machine: what was agreed on ------------------------------------------------------- */

void launch_later(struct nccl_room *room, struct dist_work *op)
{
    if (!room->agreed.first)
        room->agreed_since = dist_time();
    queue_add(&room->agreed, op);
}

/* Is there one in this direction, between the same two? */
static bool has_alike(const struct op_queue *run, const struct dist_work *op)
{
    for (const struct dist_work *other = run->first; other; other = other->next)
        if (other->sends == op->sends && (op->sends ? other->peer == op->peer : other->from == op->from))
            return true;
    return false;
}

/* The second half of a message to this rank itself: it must not go without the first, which is the last of the run. */
static bool is_other_half(const struct nccl_room *room, const struct dist_work *op)
{
    return !op->sends && op->from == room->rank;
}

/* The messages at the head of the queue that may go together: agree.h says which. */
static void take_run(struct nccl_room *room, struct op_queue *run)
{
    int count = 0, most = room->lazy ? 1 : MOST;
    queue_reset(run);
    for (struct dist_work *op; (op = room->agreed.first) && op->p2p; count++) {
        if ((count >= most || has_alike(run, op)) && !is_other_half(room, op))
            break;
        queue_add(run, queue_take(&room->agreed, &room->agreed.first));
    }
}

/* Messages wait a moment for others of this rank that are not agreed on yet: in one group they travel at the same time. */
static bool is_due(const struct nccl_room *room)
{
    bool others = room->shown.first || room->posted.first;
    for (const struct dist_work *op = room->agreed.first; op; op = op->next)
        if (!op->p2p)
            return true;
    return (room->asked && !others) || launch_wait_left(room) <= 0;
}

double launch_wait_left(const struct nccl_room *room)
{
    return room->agreed.first ? room->agreed_since + WINDOW - dist_time() : 0;
}

/* NCCL splits no communicator that is at work. What flies comes to its end by itself. */
static bool must_wait(struct nccl_room *room)
{
    if (room->agreed.first->call != CALL_NEW_GROUP)
        return false;
    watch_progress(room);
    return room->flying.first;
}

bool launch_agreed(struct nccl_room *room)
{
    struct op_queue run;
    bool moved = false;
    if (!room->agreed.first || !is_due(room))
        return false;
    while (room->agreed.first && !room->failed && !must_wait(room)) {
        moved = true;
        if (room->agreed.first->p2p) {
            take_run(room, &run);
            launch(room, &run, call_message);
            continue;
        }
        struct dist_work *op = queue_take(&room->agreed, &room->agreed.first);
        if (op->call == CALL_NEW_GROUP)
            groups_split(room, op);
        else
            launch_now(room, op, nccl_callers[op->call]);
    }
    return moved;
}
