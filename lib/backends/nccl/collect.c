/* collect.c: which NCCL calls do an op. */
#include "state.h"

static ncclDataType_t nccl_collect_type(enum dist_type type)
{
    static const ncclDataType_t types[DTYPE_COUNT] = {
        [DIST_F32] = ncclFloat32,   [DIST_F64] = ncclFloat64, [DIST_F16] = ncclFloat16,
        [DIST_BF16] = ncclBfloat16, [DIST_I32] = ncclInt32,   [DIST_I64] = ncclInt64,
        [DIST_U8] = ncclUint8,
    };
    return types[type];
}

/* Of one rank every reduction is its own tensor. Such an average NCCL leaves to a kernel that may not write the last elements: it
 * deals them out to 32 blocks, and rounds down (oneRankReduce; NCCL 2.28.3 on an H100: the last of 262145 floats). */
static ncclRedOp_t nccl_collect_op(const struct dist_work *op)
{
    static const ncclRedOp_t ops[OP_COUNT] = {
        [DIST_SUM] = ncclSum, [DIST_AVG] = ncclAvg, [DIST_PRODUCT] = ncclProd,
        [DIST_MIN] = ncclMin, [DIST_MAX] = ncclMax,
    };
    return op->group->size == 1 ? ncclSum : ops[op->op];
}

/* ---- what older versions of NCCL leave to sends and receives ---------------------------------- */

/* A scatter leaves the root, a gather comes to it; in an all_to_all all have something for all: with splits, which no version knows,
 * not for everybody. */
static ncclResult_t nccl_collect_by_messages(struct nccl_state *nccl, const struct dist_work *op)
{
    const char *in = op->in.data;
    char *out = op->out.data;
    size_t in_at = 0, out_at = 0;
    cudaStream_t stream = nccl->calls->stream_of(nccl->stream);
    ncclDataType_t type = nccl_collect_type(op->type);
    ncclResult_t result = ncclSuccess;
    int size = op->group->size, rank = op->group->rank;
    for (int i = 0; i < size && nccl_went_well(result); i++) {
        bool sends = op->call == CALL_ALL_TO_ALL || op->peer == (op->call == CALL_SCATTER ? rank : i);
        bool receives = op->call == CALL_ALL_TO_ALL || op->peer == (op->call == CALL_GATHER ? rank : i);
        size_t leaves = sends ? (size_t)(op->splits ? op->splits[i] : op->block) : 0;
        size_t comes = receives ? (size_t)(op->splits ? op->splits[size + i] : op->block) : 0;
        if (leaves > 0)
            result = nccl->calls->send(in + in_at, leaves, type, i, nccl_comm_of(op), stream);
        if (comes > 0 && nccl_went_well(result))
            result = nccl->calls->recv(out + out_at, comes, type, i, nccl_comm_of(op), stream);
        in_at += leaves * dtype_size(op->type);
        out_at += comes * dtype_size(op->type);
    }
    return result;
}

/* ---- one NCCL call each ------------------------------------------------------------------------ */

/* On one machine all go over the world's communicator: agree.h says why. */
static ncclResult_t nccl_collect_message(struct nccl_state *nccl, const struct dist_work *op)
{
    const struct nccl_calls *calls = nccl->calls;
    cudaStream_t stream = calls->stream_of(nccl->stream);
    ncclComm_t comm = nccl->shared ? nccl->world.comm : nccl_comm_of(op);
    int rank = op->sends ? op->peer : op->from, peer = nccl->shared ? rank : group_index(op->group, rank);
    return op->sends ? calls->send(op->in.data, (size_t)op->in.count, nccl_collect_type(op->type), peer, comm,
                                   stream)
                     : calls->recv(op->out.data, (size_t)op->out.count, nccl_collect_type(op->type), peer,
                                   comm, stream);
}

ncclResult_t nccl_collect(struct nccl_state *nccl, const struct dist_work *op)
{
    const struct nccl_calls *calls = nccl->calls;
    const void *in = op->in.data;
    void *out = op->out.data;
    size_t count = (size_t)op->block;
    ncclDataType_t type = nccl_collect_type(op->type);
    ncclComm_t comm = nccl_comm_of(op);
    cudaStream_t stream = calls->stream_of(nccl->stream);
    if (op->p2p)
        return nccl_collect_message(nccl, op);
    switch (op->call) {
    case CALL_BROADCAST:
        return calls->broadcast(in, out, count, type, op->peer, comm, stream);
    case CALL_REDUCE: /* only the root's tensor may change; the others have none to write to */
        out = op->peer == op->group->rank ? out : NULL;
        return calls->reduce(in, out, count, type, nccl_collect_op(op), op->peer, comm, stream);
    case CALL_ALL_REDUCE:
        return calls->all_reduce(in, out, count, type, nccl_collect_op(op), comm, stream);
    case CALL_SCATTER:
        return calls->scatter ? calls->scatter(in, out, count, type, op->peer, comm, stream)
                              : nccl_collect_by_messages(nccl, op);
    case CALL_GATHER:
        return calls->gather ? calls->gather(in, out, count, type, op->peer, comm, stream)
                             : nccl_collect_by_messages(nccl, op);
    case CALL_ALL_GATHER:
        return calls->all_gather(in, out, count, type, comm, stream);
    case CALL_REDUCE_SCATTER:
        return calls->reduce_scatter(in, out, count, type, nccl_collect_op(op), comm, stream);
    case CALL_ALL_TO_ALL:
        return calls->all_to_all && !op->splits ? calls->all_to_all(in, out, count, type, comm, stream)
                                                : nccl_collect_by_messages(nccl, op);
    default: /* a barrier */
        return calls->all_reduce(nccl->scratch, nccl->scratch, 1, ncclInt32, ncclSum, comm, stream);
    }
}
