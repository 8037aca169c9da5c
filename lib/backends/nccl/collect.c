/* collect.c: which NCCL call does which collective. */
#include "state.h"

#define CALL_TAIL(op, nccl) nccl_comm_of(op), (nccl)->calls->stream_of((nccl)->stream)

/* ---- collectives, one NCCL call each -------------------------------------------------------- */

static ncclResult_t nccl_collect_call_broadcast(struct nccl_state *nccl, const struct dist_work *op)
{
    return nccl->calls->broadcast(op->in.data, op->out.data, (size_t)op->block, nccl_type(op->type), op->peer,
                                  CALL_TAIL(op, nccl));
}

/* Only the root's tensor may change; the others have none to write to. */
static ncclResult_t nccl_collect_call_reduce(struct nccl_state *nccl, const struct dist_work *op)
{
    void *out = op->peer == op->group->rank ? op->out.data : NULL;
    return nccl->calls->reduce(op->in.data, out, (size_t)op->block, nccl_type(op->type), nccl_op_of(op),
                               op->peer, CALL_TAIL(op, nccl));
}

static ncclResult_t nccl_collect_call_all_reduce(struct nccl_state *nccl, const struct dist_work *op)
{
    return nccl->calls->all_reduce(op->in.data, op->out.data, (size_t)op->block, nccl_type(op->type),
                                   nccl_op_of(op), CALL_TAIL(op, nccl));
}

static ncclResult_t nccl_collect_call_all_gather(struct nccl_state *nccl, const struct dist_work *op)
{
    return nccl->calls->all_gather(op->in.data, op->out.data, (size_t)op->block, nccl_type(op->type),
                                   CALL_TAIL(op, nccl));
}

static ncclResult_t nccl_collect_call_reduce_scatter(struct nccl_state *nccl, const struct dist_work *op)
{
    return nccl->calls->reduce_scatter(op->in.data, op->out.data, (size_t)op->block, nccl_type(op->type),
                                       nccl_op_of(op), CALL_TAIL(op, nccl));
}

static ncclResult_t nccl_collect_call_barrier(struct nccl_state *nccl, const struct dist_work *op)
{
    return nccl->calls->all_reduce(nccl->scratch, nccl->scratch, 1, ncclInt32, ncclSum, CALL_TAIL(op, nccl));
}

/* ---- and those that older versions of NCCL leave to sends and receives ------------------------ */

static ncclResult_t nccl_collect_send_block(struct nccl_state *nccl, const struct dist_work *op, int64_t i,
                                            int to)
{
    const char *from = (const char *)op->in.data + (size_t)(i * op->block) * dtype_size(op->type);
    return nccl->calls->send(from, (size_t)op->block, nccl_type(op->type), to, CALL_TAIL(op, nccl));
}

static ncclResult_t nccl_collect_recv_block(struct nccl_state *nccl, const struct dist_work *op, int64_t i,
                                            int from)
{
    char *to = (char *)op->out.data + (size_t)(i * op->block) * dtype_size(op->type);
    return nccl->calls->recv(to, (size_t)op->block, nccl_type(op->type), from, CALL_TAIL(op, nccl));
}

/* Between those only that have something to say. */
static ncclResult_t nccl_collect_call_with_splits(struct nccl_state *nccl, const struct dist_work *op)
{
    const char *in = op->in.data;
    char *out = op->out.data;
    const int64_t *sends = op->splits, *takes = sends + op->group->size;
    size_t element = dtype_size(op->type);
    ncclResult_t result = ncclSuccess;
    for (int i = 0; i < op->group->size && nccl_went_well(result); i++) {
        if (sends[i] > 0)
            result = nccl->calls->send(in, (size_t)sends[i], nccl_type(op->type), i, CALL_TAIL(op, nccl));
        if (takes[i] > 0 && nccl_went_well(result))
            result = nccl->calls->recv(out, (size_t)takes[i], nccl_type(op->type), i, CALL_TAIL(op, nccl));
        in += (size_t)sends[i] * element;
        out += (size_t)takes[i] * element;
    }
    return result;
}

static ncclResult_t nccl_collect_call_scatter(struct nccl_state *nccl, const struct dist_work *op)
{
    ncclResult_t result = ncclSuccess;
    if (nccl->calls->scatter)
        return nccl->calls->scatter(op->in.data, op->out.data, (size_t)op->block, nccl_type(op->type),
                                    op->peer, CALL_TAIL(op, nccl));
    for (int i = 0; op->peer == op->group->rank && i < op->group->size && nccl_went_well(result); i++)
        result = nccl_collect_send_block(nccl, op, i, i);
    return nccl_went_well(result) ? nccl_collect_recv_block(nccl, op, 0, op->peer) : result;
}

static ncclResult_t nccl_collect_call_gather(struct nccl_state *nccl, const struct dist_work *op)
{
    if (nccl->calls->gather)
        return nccl->calls->gather(op->in.data, op->out.data, (size_t)op->block, nccl_type(op->type),
                                   op->peer, CALL_TAIL(op, nccl));
    ncclResult_t result = nccl_collect_send_block(nccl, op, 0, op->peer);
    for (int i = 0; op->peer == op->group->rank && i < op->group->size && nccl_went_well(result); i++)
        result = nccl_collect_recv_block(nccl, op, i, i);
    return result;
}

static ncclResult_t nccl_collect_call_all_to_all(struct nccl_state *nccl, const struct dist_work *op)
{
    ncclResult_t result = ncclSuccess;
    if (op->splits)
        return nccl_collect_call_with_splits(nccl, op);
    if (nccl->calls->all_to_all)
        return nccl->calls->all_to_all(op->in.data, op->out.data, (size_t)op->block, nccl_type(op->type),
                                       CALL_TAIL(op, nccl));
    for (int i = 0; i < op->group->size && nccl_went_well(result); i++) {
        result = nccl_collect_send_block(nccl, op, i, i);
        if (nccl_went_well(result))
            result = nccl_collect_recv_block(nccl, op, i, i);
    }
    return result;
}

nccl_caller *const nccl_callers[CALL_COUNT] = {
    [CALL_BROADCAST] = nccl_collect_call_broadcast,
    [CALL_REDUCE] = nccl_collect_call_reduce,
    [CALL_ALL_REDUCE] = nccl_collect_call_all_reduce,
    [CALL_SCATTER] = nccl_collect_call_scatter,
    [CALL_GATHER] = nccl_collect_call_gather,
    [CALL_ALL_GATHER] = nccl_collect_call_all_gather,
    [CALL_REDUCE_SCATTER] = nccl_collect_call_reduce_scatter,
    [CALL_ALL_TO_ALL] = nccl_collect_call_all_to_all,
    [CALL_BARRIER] = nccl_collect_call_barrier,
    [CALL_MONITORED_BARRIER] = nccl_collect_call_barrier,
};
