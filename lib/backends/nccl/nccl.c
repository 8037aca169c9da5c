/* nccl.c: which NCCL call does what, and the room's table. */
#include "room.h"

#include <stdio.h>

#define TESTS_TO_FLUSH 16

#define CALL_TAIL(op, room) comm_of(op), (room)->nccl->stream_of((room)->stream)

/* ---- collectives, one NCCL call each -------------------------------------------------------- */

static ncclResult_t call_broadcast(struct nccl_room *room, const struct dist_work *op)
{
    return room->nccl->broadcast(op->in.data, op->out.data, (size_t)op->block, nccl_type(op->type), op->peer,
                                 CALL_TAIL(op, room));
}

/* Only the root's tensor may change; the others have none to write to. */
static ncclResult_t call_reduce(struct nccl_room *room, const struct dist_work *op)
{
    void *out = op->peer == op->group->rank ? op->out.data : NULL;
    return room->nccl->reduce(op->in.data, out, (size_t)op->block, nccl_type(op->type), nccl_op(op->op),
                              op->peer, CALL_TAIL(op, room));
}

static ncclResult_t call_all_reduce(struct nccl_room *room, const struct dist_work *op)
{
    return room->nccl->all_reduce(op->in.data, op->out.data, (size_t)op->block, nccl_type(op->type),
                                  nccl_op(op->op), CALL_TAIL(op, room));
}

static ncclResult_t call_all_gather(struct nccl_room *room, const struct dist_work *op)
{
    return room->nccl->all_gather(op->in.data, op->out.data, (size_t)op->block, nccl_type(op->type),
                                  CALL_TAIL(op, room));
}

static ncclResult_t call_reduce_scatter(struct nccl_room *room, const struct dist_work *op)
{
    return room->nccl->reduce_scatter(op->in.data, op->out.data, (size_t)op->block, nccl_type(op->type),
                                      nccl_op(op->op), CALL_TAIL(op, room));
}

static ncclResult_t call_barrier(struct nccl_room *room, const struct dist_work *op)
{
    return room->nccl->all_reduce(room->scratch, room->scratch, 1, ncclInt32, ncclSum, CALL_TAIL(op, room));
}

/* ---- and those that older versions of NCCL leave to sends and receives ------------------------ */

static ncclResult_t send_block(struct nccl_room *room, const struct dist_work *op, int64_t i, int to)
{
    const char *from = (const char *)op->in.data + (size_t)(i * op->block) * dtype_size(op->type);
    return room->nccl->send(from, (size_t)op->block, nccl_type(op->type), to, CALL_TAIL(op, room));
}

static ncclResult_t recv_block(struct nccl_room *room, const struct dist_work *op, int64_t i, int from)
{
    char *to = (char *)op->out.data + (size_t)(i * op->block) * dtype_size(op->type);
    return room->nccl->recv(to, (size_t)op->block, nccl_type(op->type), from, CALL_TAIL(op, room));
}

static ncclResult_t call_scatter(struct nccl_room *room, const struct dist_work *op)
{
    ncclResult_t result = ncclSuccess;
    if (room->nccl->scatter)
        return room->nccl->scatter(op->in.data, op->out.data, (size_t)op->block, nccl_type(op->type),
                                   op->peer, CALL_TAIL(op, room));
    for (int i = 0; op->peer == op->group->rank && i < op->group->size && went_well(result); i++)
        result = send_block(room, op, i, i);
    return went_well(result) ? recv_block(room, op, 0, op->peer) : result;
}

static ncclResult_t call_gather(struct nccl_room *room, const struct dist_work *op)
{
    if (room->nccl->gather)
        return room->nccl->gather(op->in.data, op->out.data, (size_t)op->block, nccl_type(op->type), op->peer,
                                  CALL_TAIL(op, room));
    ncclResult_t result = send_block(room, op, 0, op->peer);
    for (int i = 0; op->peer == op->group->rank && i < op->group->size && went_well(result); i++)
        result = recv_block(room, op, i, i);
    return result;
}

static ncclResult_t call_all_to_all(struct nccl_room *room, const struct dist_work *op)
{
    ncclResult_t result = ncclSuccess;
    if (room->nccl->all_to_all)
        return room->nccl->all_to_all(op->in.data, op->out.data, (size_t)op->block, nccl_type(op->type),
                                      CALL_TAIL(op, room));
    for (int i = 0; i < op->group->size && went_well(result); i++) {
        result = send_block(room, op, i, i);
        if (went_well(result))
            result = recv_block(room, op, i, i);
    }
    return result;
}

static nccl_caller *const callers[CALL_COUNT] = {
    [CALL_BROADCAST] = call_broadcast,
    [CALL_REDUCE] = call_reduce,
    [CALL_ALL_REDUCE] = call_all_reduce,
    [CALL_SCATTER] = call_scatter,
    [CALL_GATHER] = call_gather,
    [CALL_ALL_GATHER] = call_all_gather,
    [CALL_REDUCE_SCATTER] = call_reduce_scatter,
    [CALL_ALL_TO_ALL] = call_all_to_all,
    [CALL_BARRIER] = call_barrier,
    [CALL_MONITORED_BARRIER] = call_barrier,
};

/* ---- the room's calls --------------------------------------------------------------------------- */

static int refuse_host(struct nccl_room *room, struct dist_work *op)
{
    snprintf(
        op->why, sizeof op->why,
        "the tensor lies on the host, and NCCL moves only what lies on a GPU; make it there (DEVICE=cuda)");
    return launch_refuse(room, op, DIST_ERR_ARGUMENT);
}

static int nccl_message(void *state, struct dist_work *op)
{
    struct nccl_room *room = state;
    if (!op->gpu)
        return refuse_host(room, op);
    if (op->peer == DIST_ANY_SOURCE) {
        snprintf(
            op->why, sizeof op->why,
            "NCCL has to know who sends; name the rank (DIST_ANY_SOURCE works with BACKEND=cuda and shm)");
        return launch_refuse(room, op, DIST_ERR_ARGUMENT);
    }
    op->from = op->sends ? -1 : op->peer;
    return launch_put_off(room, op);
}

static int nccl_collective(void *state, struct dist_work *op)
{
    struct nccl_room *room = state;
    launch_flush(room);
    if (room->failed)
        return launch_refuse(room, op, room->failed);
    if (!op->gpu && op->call != CALL_BARRIER)
        return refuse_host(room, op);
    if (check_is_due(room)) {
        struct op_queue one;
        queue_reset(&one);
        queue_add(&one, op);
        check_agree(room, &one);
        if (!one.first)
            return op->status;
    }
    int status = launch_now(room, op, callers[op->call]);
    return op->gpu || op->async || status != DIST_OK ? status : watch_wait(room, op, 0);
}

/* The group is of no more use after it has run out of time, and neither is NCCL. */
static int nccl_monitored_barrier(void *state, struct dist_work *op)
{
    struct nccl_room *room = state;
    launch_flush(room);
    if (room->failed)
        return launch_refuse(room, op, room->failed);
    if (!room->spread)
        return check_monitored(room, op);
    launch_now(room, op, callers[op->call]);
    if (!room->failed && watch_wait(room, op, dist_time() + op->timeout) == DIST_ERR_TIMEOUT &&
        !room->failed) {
        char why[80];
        snprintf(why, sizeof why, "some rank did not come within %g s", op->timeout);
        watch_fail(room, DIST_ERR_TIMEOUT, why);
    }
    return op->status;
}

/* Who asks for an op that was put off wants it to begin. Who asks for another again and again may wait, without knowing it,
 * for a peer that needs what was put off. */
static bool nccl_test(void *state, struct dist_work *op)
{
    struct nccl_room *room = state;
    if (!atomic_load(&op->begun) || ++room->asked > TESTS_TO_FLUSH)
        launch_flush(room);
    watch_look(room);
    return atomic_load(&op->done);
}

/* For an op on a GPU a stream waits, not we. */
static int nccl_wait(void *state, struct dist_work *op)
{
    struct nccl_room *room = state;
    launch_flush(room);
    if (!op->gpu)
        return watch_wait(room, op, 0);
    if (!atomic_load(&op->done))
        watch_look(room);
    return op->status;
}

/* The host waits for a stream. Nothing is pinned up: what NCCL has begun it goes on with, whoever sleeps. What was put off
 * stays so: no stream waits for it, and what it shall go together with may come later. */
static void nccl_note(void *state, const struct dist_work *op)
{
    struct nccl_room *room = state;
    (void)op;
    watch_look(room);
    atomic_store(&room->notes->open_count, 0);
}

const struct backend backend_nccl = {
    .name = "nccl",
    .on_streams = true,
    .open = nccl_open,
    .close = nccl_close,
    .group_new = nccl_group_new,
    .group_free = nccl_group_free,
    .send = nccl_message,
    .recv = nccl_message,
    .broadcast = nccl_collective,
    .reduce = nccl_collective,
    .all_reduce = nccl_collective,
    .scatter = nccl_collective,
    .gather = nccl_collective,
    .all_gather = nccl_collective,
    .reduce_scatter = nccl_collective,
    .all_to_all = nccl_collective,
    .barrier = nccl_collective,
    .monitored_barrier = nccl_monitored_barrier,
    .test = nccl_test,
    .wait = nccl_wait,
    .note = nccl_note,
};
