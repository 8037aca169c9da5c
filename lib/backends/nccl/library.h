/*
 * library.h: NCCL's functions, found at run time.
 *
 * libnccl has 200 MB and takes a millisecond to load. Programs that do not ask for BACKEND=nccl must not pay for it, nor fail
 * to start where it has moved: so it is not linked but opened by open.c. For the types its header is needed all the same.
 */
#ifndef NCCL_LIBRARY_H
#define NCCL_LIBRARY_H

#include <nccl.h>

#include <stddef.h>

struct stream;

typedef ncclResult_t nccl_exchange(const void *in, void *out, size_t count, ncclDataType_t type,
                                   ncclComm_t comm, cudaStream_t stream);
typedef ncclResult_t nccl_rooted(const void *in, void *out, size_t count, ncclDataType_t type, int root,
                                 ncclComm_t comm, cudaStream_t stream);

struct nccl_calls {
    __typeof__(ncclGetVersion) *get_version;
    __typeof__(ncclGetErrorString) *get_error_string;
    __typeof__(ncclGetLastError) *get_last_error;
    __typeof__(ncclGetUniqueId) *get_unique_id;
    __typeof__(ncclCommInitRankConfig) *comm_init_rank_config;
    __typeof__(ncclCommSplit) *comm_split;
    __typeof__(ncclCommFinalize) *comm_finalize;
    __typeof__(ncclCommDestroy) *comm_destroy;
    __typeof__(ncclCommAbort) *comm_abort;
    __typeof__(ncclCommGetAsyncError) *comm_get_async_error;
    __typeof__(ncclCommCount) *comm_count;
    __typeof__(ncclCommUserRank) *comm_user_rank;
    ncclResult_t (*group_start)(void);
    ncclResult_t (*group_end)(void);
    __typeof__(ncclSend) *send;
    __typeof__(ncclRecv) *recv;
    __typeof__(ncclBroadcast) *broadcast;
    __typeof__(ncclReduce) *reduce;
    __typeof__(ncclAllReduce) *all_reduce;
    __typeof__(ncclAllGather) *all_gather;
    __typeof__(ncclReduceScatter) *reduce_scatter;
    nccl_exchange *all_to_all; /* these three came with 2.28: NULL where the library is older */
    nccl_rooted *gather;
    nccl_rooted *scatter;

    cudaStream_t (*stream_of)(
        struct stream *stream);         /* not NCCL's: the CUDA device's; and this thread's calls are */
    void (*use)(struct stream *stream); /* about that stream's GPU from now on */
};

/* The library; NULL: it cannot be had, and why says what to do. */
const struct nccl_calls *nccl_library(char *why, size_t why_size);

/* Tests put their double here. */
extern const struct nccl_calls *nccl_double;

#endif
