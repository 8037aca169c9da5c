/* collect.c: which NCCL call does which collective. */
#include "state.h"

/* ---- what older versions of NCCL leave to sends and receives ---------------------------------- */

/* So many elements, from there on in the tensor, to a member; and from one. */
static ncclResult_t nccl_collect_send(struct nccl_state *nccl, const struct dist_work *op, int64_t begin,
                                      int64_t count, int to)
{
    const char *from = (const char *)op->in.data + (size_t)begin * dtype_size(op->type);
    return nccl->calls->send(from, (size_t)count, nccl_type(op->type), to, nccl_comm_of(op),
                             nccl->calls->stream_of(nccl->stream));
}

static ncclResult_t nccl_collect_recv(struct nccl_state *nccl, const struct dist_work *op, int64_t begin,
                                      int64_t count, int from)
{
    char *to = (char *)op->out.data + (size_t)begin * dtype_size(op->type);
    return nccl->calls->recv(to, (size_t)count, nccl_type(op->type), from, nccl_comm_of(op),
                             nccl->calls->stream_of(nccl->stream));
}

static ncclResult_t nccl_collect_scatter(struct nccl_state *nccl, const struct dist_work *op)
{
    ncclResult_t result = ncclSuccess;
    for (int i = 0; op->peer == op->group->rank && i < op->group->size && nccl_went_well(result); i++)
        result = nccl_collect_send(nccl, op, i * op->block, op->block, i);
    return nccl_went_well(result) ? nccl_collect_recv(nccl, op, 0, op->block, op->peer) : result;
}

static ncclResult_t nccl_collect_gather(struct nccl_state *nccl, const struct dist_work *op)
{
    ncclResult_t result = nccl_collect_send(nccl, op, 0, op->block, op->peer);
    for (int i = 0; op->peer == op->group->rank && i < op->group->size && nccl_went_well(result); i++)
        result = nccl_collect_recv(nccl, op, i * op->block, op->block, i);
    return result;
}

/* With splits, which no version knows, only between those that have something to say. */
static ncclResult_t nccl_collect_all_to_all(struct nccl_state *nccl, const struct dist_work *op)
{
    const int64_t *splits = op->splits;
    ncclResult_t result = ncclSuccess;
    int64_t in = 0, out = 0;
    int size = op->group->size;
    for (int i = 0; i < size && nccl_went_well(result); i++) {
        int64_t leaves = splits ? splits[i] : op->block, comes = splits ? splits[size + i] : op->block;
        if (leaves > 0 || !splits)
            result = nccl_collect_send(nccl, op, in, leaves, i);
        if ((comes > 0 || !splits) && nccl_went_well(result))
            result = nccl_collect_recv(nccl, op, out, comes, i);
        in += leaves;
        out += comes;
    }
    return result;
}

/* ---- one NCCL call each ------------------------------------------------------------------------ */

ncclResult_t nccl_collect(struct nccl_state *nccl, const struct dist_work *op)
{
    const struct nccl_calls *calls = nccl->calls;
    const void *in = op->in.data;
    void *out = op->out.data;
    size_t count = (size_t)op->block;
    ncclDataType_t type = nccl_type(op->type);
    ncclComm_t comm = nccl_comm_of(op);
    cudaStream_t stream = calls->stream_of(nccl->stream);
    switch (op->call) {
    case CALL_BROADCAST:
        return calls->broadcast(in, out, count, type, op->peer, comm, stream);
    case CALL_REDUCE: /* only the root's tensor may change; the others have none to write to */
        out = op->peer == op->group->rank ? out : NULL;
        return calls->reduce(in, out, count, type, nccl_op_of(op), op->peer, comm, stream);
    case CALL_ALL_REDUCE:
        return calls->all_reduce(in, out, count, type, nccl_op_of(op), comm, stream);
    case CALL_SCATTER:
        return calls->scatter ? calls->scatter(in, out, count, type, op->peer, comm, stream)
                              : nccl_collect_scatter(nccl, op);
    case CALL_GATHER:
        return calls->gather ? calls->gather(in, out, count, type, op->peer, comm, stream)
                             : nccl_collect_gather(nccl, op);
    case CALL_ALL_GATHER:
        return calls->all_gather(in, out, count, type, comm, stream);
    case CALL_REDUCE_SCATTER:
        return calls->reduce_scatter(in, out, count, type, nccl_op_of(op), comm, stream);
    case CALL_ALL_TO_ALL:
        return calls->all_to_all && !op->splits ? calls->all_to_all(in, out, count, type, comm, stream)
                                                : nccl_collect_all_to_all(nccl, op);
    default: /* a barrier */
        return calls->all_reduce(nccl->scratch, nccl->scratch, 1, ncclInt32, ncclSum, comm, stream);
    }
}
