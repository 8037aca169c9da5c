/* collect.c: which NCCL call does which collective. */
#include "room.h"

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

/* Between those only that have something to say. */
static ncclResult_t call_with_splits(struct nccl_room *room, const struct dist_work *op)
{
    const char *in = op->in.data;
    char *out = op->out.data;
    const int64_t *sends = op->splits, *takes = sends + op->group->size;
    size_t element = dtype_size(op->type);
    ncclResult_t result = ncclSuccess;
    for (int i = 0; i < op->group->size && went_well(result); i++) {
        if (sends[i] > 0)
            result = room->nccl->send(in, (size_t)sends[i], nccl_type(op->type), i, CALL_TAIL(op, room));
        if (takes[i] > 0 && went_well(result))
            result = room->nccl->recv(out, (size_t)takes[i], nccl_type(op->type), i, CALL_TAIL(op, room));
        in += (size_t)sends[i] * element;
        out += (size_t)takes[i] * element;
    }
    return result;
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
    if (op->splits)
        return call_with_splits(room, op);
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

nccl_caller *const nccl_callers[CALL_COUNT] = {
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
