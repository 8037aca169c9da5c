/* calls.c: NCCL's calls that go into a stream. */
#include "double.h"

#include <stdio.h>

static const char *op_word(ncclRedOp_t op)
{
    static const char *const words[] = { "sum", "prod", "max", "min", "avg" };
    return words[op];
}

static ncclResult_t call_send(const void *in, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                              cudaStream_t stream)
{
    char rest[32];
    snprintf(rest, sizeof rest, " to %d", peer);
    return double_add((struct step){ "Send", comm, stream, in, NULL, count, type, 0, peer }, rest);
}

static ncclResult_t call_recv(void *out, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                              cudaStream_t stream)
{
    char rest[32];
    snprintf(rest, sizeof rest, " from %d", peer);
    return double_add((struct step){ "Recv", comm, stream, NULL, out, count, type, 0, peer }, rest);
}

static ncclResult_t with_root(const char *name, const void *in, void *out, size_t count, ncclDataType_t type,
                              int root, ncclComm_t comm, cudaStream_t stream)
{
    char rest[32];
    snprintf(rest, sizeof rest, " root %d", root);
    return double_add((struct step){ name, comm, stream, in, out, count, type, 0, root }, rest);
}

static ncclResult_t call_broadcast(const void *in, void *out, size_t count, ncclDataType_t type, int root,
                                   ncclComm_t comm, cudaStream_t stream)
{
    return with_root("Broadcast", in, out, count, type, root, comm, stream);
}

static ncclResult_t call_gather(const void *in, void *out, size_t count, ncclDataType_t type, int root,
                                ncclComm_t comm, cudaStream_t stream)
{
    return with_root("Gather", in, out, count, type, root, comm, stream);
}

static ncclResult_t call_scatter(const void *in, void *out, size_t count, ncclDataType_t type, int root,
                                 ncclComm_t comm, cudaStream_t stream)
{
    return with_root("Scatter", in, out, count, type, root, comm, stream);
}

static ncclResult_t call_reduce(const void *in, void *out, size_t count, ncclDataType_t type, ncclRedOp_t op,
                                int root, ncclComm_t comm, cudaStream_t stream)
{
    char rest[48];
    snprintf(rest, sizeof rest, " %s root %d%s", op_word(op), root, out ? "" : ", nothing to write");
    return double_add((struct step){ "Reduce", comm, stream, in, out, count, type, op, root }, rest);
}

static ncclResult_t call_all_reduce(const void *in, void *out, size_t count, ncclDataType_t type,
                                    ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    char rest[32];
    snprintf(rest, sizeof rest, " %s", op_word(op));
    return double_add((struct step){ "AllReduce", comm, stream, in, out, count, type, op, 0 }, rest);
}

static ncclResult_t call_reduce_scatter(const void *in, void *out, size_t count, ncclDataType_t type,
                                        ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    char rest[32];
    snprintf(rest, sizeof rest, " %s", op_word(op));
    return double_add((struct step){ "ReduceScatter", comm, stream, in, out, count, type, op, 0 }, rest);
}

static ncclResult_t call_all_gather(const void *in, void *out, size_t count, ncclDataType_t type,
                                    ncclComm_t comm, cudaStream_t stream)
{
    return double_add((struct step){ "AllGather", comm, stream, in, out, count, type, 0, 0 }, "");
}

static ncclResult_t call_all_to_all(const void *in, void *out, size_t count, ncclDataType_t type,
                                    ncclComm_t comm, cudaStream_t stream)
{
    return double_add((struct step){ "AlltoAll", comm, stream, in, out, count, type, 0, 0 }, "");
}

void double_fill(struct nccl_calls *calls)
{
    calls->send = call_send;
    calls->recv = call_recv;
    calls->broadcast = call_broadcast;
    calls->reduce = call_reduce;
    calls->all_reduce = call_all_reduce;
    calls->all_gather = call_all_gather;
    calls->reduce_scatter = call_reduce_scatter;
    if (script.old)
        return;
    calls->all_to_all = call_all_to_all;
    calls->gather = call_gather;
    calls->scatter = call_scatter;
}
