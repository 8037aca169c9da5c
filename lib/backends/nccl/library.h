/*
 * library.h: NCCL's functions, found at run time.
 *
 * libnccl has 200 MB and takes a millisecond to load. Programs that do not ask for BACKEND=nccl must not pay for it, nor fail
 * to start where it has moved: so it is not linked but opened by open.c. For the types its header is needed all the same.
 */
#ifndef NCCL_LIBRARY_H
#define NCCL_LIBRARY_H

#include "../../launch/text.h"

#include <nccl.h>

#include <stdbool.h>
#include <stddef.h>

struct stream;

typedef ncclResult_t nccl_exchange(const void *in, void *out, size_t count, ncclDataType_t type,
                                   ncclComm_t comm, cudaStream_t stream);
typedef ncclResult_t nccl_rooted(const void *in, void *out, size_t count, ncclDataType_t type, int root,
                                 ncclComm_t comm, cudaStream_t stream);

/* Those that every version has from 2.18 on: NCCL's name, and ours. */
#define NCCL_CALLS(CALL) \
    CALL(ncclGetErrorString, get_error_string) \
    CALL(ncclGetLastError, get_last_error) \
    CALL(ncclGetUniqueId, get_unique_id) \
    CALL(ncclGroupStart, group_start) \
    CALL(ncclGroupEnd, group_end) \
    CALL(ncclCommInitRankConfig, comm_init_rank_config) \
    CALL(ncclCommSplit, comm_split) \
    CALL(ncclCommFinalize, comm_finalize) \
    CALL(ncclCommDestroy, comm_destroy) \
    CALL(ncclCommAbort, comm_abort) \
    CALL(ncclCommGetAsyncError, comm_get_async_error) \
    CALL(ncclCommCount, comm_count) \
    CALL(ncclCommUserRank, comm_user_rank) \
    CALL(ncclSend, send) \
    CALL(ncclRecv, recv) \
    CALL(ncclBroadcast, broadcast) \
    CALL(ncclReduce, reduce) \
    CALL(ncclAllReduce, all_reduce) \
    CALL(ncclAllGather, all_gather) \
    CALL(ncclReduceScatter, reduce_scatter)

struct nccl_calls {
#define NCCL_FIELD(name, field) __typeof__(name) *field;
    NCCL_CALLS(NCCL_FIELD)
    nccl_exchange *all_to_all; /* these three came with 2.28: NULL where the library is older */
    nccl_rooted *gather;
    nccl_rooted *scatter;

    cudaStream_t (*stream_of)(
        struct stream *stream);         /* not NCCL's: the CUDA device's; and this thread's calls are */
    void (*use)(struct stream *stream); /* about that stream's GPU from now on */
};

/* The library; NULL: it cannot be had, and why says what to do. */
const struct nccl_calls *nccl_library(struct why *why);

/* Inside a group and without blocking, a call may also say that it is in progress. */
static inline bool nccl_went_well(ncclResult_t result)
{
    return result == ncclSuccess || result == ncclInProgress;
}

/* What an NCCL error is in our terms: the status, and a sentence that goes before the advice for it. */
int nccl_explain(const struct nccl_calls *calls, ncclResult_t result, struct why *why);

/* Tests put their double here. */
extern const struct nccl_calls *nccl_double;

#endif
