/* words.c: our words as NCCL's, and NCCL's errors as ours. */
#include "state.h"

#include <stdio.h>

ncclDataType_t nccl_type(enum dist_type type)
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
ncclRedOp_t nccl_op_of(const struct dist_work *op)
{
    static const ncclRedOp_t ops[OP_COUNT] = {
        [DIST_SUM] = ncclSum, [DIST_AVG] = ncclAvg, [DIST_PRODUCT] = ncclProd,
        [DIST_MIN] = ncclMin, [DIST_MAX] = ncclMax,
    };
    return op->group->size == 1 ? ncclSum : ops[op->op];
}

/* NCCL finds out itself when two ranks have one GPU. Up to 2.29 it says which: "Duplicate GPU detected : rank 1 and rank 0 both on
 * CUDA device 1000"; from 2.30 on only "Multiple Ranks are using the same GPU/Partition". */
static bool nccl_says_shared(const char *text, struct why *why)
{
    int a, b;
    char whose[40] = "several ranks";
    const char *found = strstr(text, "Duplicate GPU");
    const char *who = found ? strstr(found, "rank ") : NULL;
    if (!found && !strstr(text, "using the same GPU"))
        return false;
    if (who && sscanf(who, "rank %d and rank %d", &a, &b) == 2)
        snprintf(whose, sizeof whose, "ranks %d and %d", a < b ? a : b, a < b ? b : a);
    why_say(why,
            "%s share a GPU, and NCCL wants one for each rank; take BACKEND=cuda, or set "
            "DIST_NCCL_SHARE_GPU=1: then NCCL goes through sockets, slowly, which only shows that a program "
            "is right",
            whose);
    return true;
}

int nccl_explain(const struct nccl_calls *calls, ncclResult_t result, struct why *why)
{
    const char *last = calls->get_last_error(NULL);
    if (result == ncclInvalidUsage && last && nccl_says_shared(last, why))
        return DIST_ERR_ENVIRONMENT;
    if (result == ncclRemoteError)
        return why_fail(DIST_ERR_PEER_LOST, why,
                        "NCCL has lost another rank: it has ended, or the network to it has failed");
    return why_fail(DIST_ERR_SYSTEM, why, "NCCL says \"%.60s\"%s%.100s (NCCL_DEBUG=WARN tells more)",
                    calls->get_error_string(result), last && *last ? ": " : "", last && *last ? last : "");
}

int nccl_job_failed(const struct nccl_state *nccl, struct why *why)
{
    struct dist_work op = { .call = CALL_INIT };
    int status = backend_failed(&nccl->self->world, &op);
    *why = op.why;
    return status;
}
