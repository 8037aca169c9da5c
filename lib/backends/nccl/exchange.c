/*
 * exchange.c: ranks on different machines show each other their claims, through NCCL itself: they have no other way.
 *
 * All go through the world's communicator, whatever their group. First those who speak first send their claim, then the
 * others answer: two groups of NCCL calls. So the n-th claim that a rank sends to another is always the one that is expected
 * there. A rank that never comes is found by DIST_TIMEOUT only.
 */
#include "check.h"

/* Claims in the GPU's memory: mine, then theirs, in the order of the pairs. */
struct exchange {
    struct comparison *pairs;
    int count;
    char *mine, *theirs;
    enum { TURN_FIRST, TURN_ANSWER, TURN_OVER } turn;
};

/* An nccl_caller finds its claims here. */
static _Thread_local const struct exchange *current;

static ncclResult_t nccl_exchange_call(struct nccl_state *nccl, const struct dist_work *op)
{
    const struct exchange *exchange = current;
    cudaStream_t stream = nccl->calls->stream_of(nccl->stream);
    ncclResult_t result = ncclSuccess;
    (void)op;
    for (int i = 0; exchange->turn != TURN_OVER && i < exchange->count && nccl_went_well(result); i++) {
        const struct comparison *m = &exchange->pairs[i];
        size_t place = (size_t)i * sizeof(struct claim);
        if (m->first == (exchange->turn == TURN_FIRST))
            result = nccl->calls->send(exchange->mine + place, sizeof(struct claim), ncclUint8, m->peer,
                                       nccl->world.comm, stream);
        else
            result = nccl->calls->recv(exchange->theirs + place, sizeof(struct claim), ncclUint8, m->peer,
                                       nccl->world.comm, stream);
    }
    return result;
}

/* The host waits for it, and for all that stands in the stream before, as for a barrier. */
static int nccl_exchange_go(struct nccl_state *nccl, struct exchange *exchange, int turn)
{
    const struct dist_work *asked = exchange->pairs->op;
    struct dist_work op = { .call = asked->call, .at = asked->at, .site = asked->site };
    op.group = nccl->world.group;
    exchange->turn = turn;
    int status = nccl_launch_now(nccl, &op, nccl_exchange_call);
    return status == DIST_OK ? nccl_watch_wait(nccl, &op, 0) : status;
}

static int nccl_exchange_by_way_of_the_gpu(struct nccl_state *nccl, struct exchange *exchange,
                                           struct claim *staging)
{
    const struct device *device = nccl->device;
    size_t bytes = (size_t)exchange->count * sizeof *staging;
    for (int i = 0; i < exchange->count; i++)
        staging[i] = exchange->pairs[i].mine;
    current = exchange;
    int status = device->copy(nccl->stream, exchange->mine, staging, bytes, COPY_TO_DEVICE);
    if (status == DIST_OK)
        status = nccl_exchange_go(nccl, exchange, TURN_FIRST);
    if (status == DIST_OK)
        status = nccl_exchange_go(nccl, exchange, TURN_ANSWER);
    if (status == DIST_OK)
        status = device->copy(nccl->stream, staging, exchange->theirs, bytes, COPY_TO_HOST);
    if (status == DIST_OK)
        status = nccl_exchange_go(nccl, exchange, TURN_OVER);
    for (int i = 0; i < exchange->count && status == DIST_OK; i++)
        exchange->pairs[i].theirs = staging[i];
    return status;
}

int nccl_exchange_claims(struct nccl_state *nccl, struct comparison *pairs, int count)
{
    const struct device *device = nccl->device;
    size_t bytes = (size_t)count * sizeof(struct claim);
    struct claim *staging = device->staging(nccl->state, bytes);
    char *memory = device->alloc(nccl->state, 2 * bytes);
    struct exchange exchange = { pairs, count, memory, memory + bytes, TURN_FIRST };
    int status =
        staging && memory ? nccl_exchange_by_way_of_the_gpu(nccl, &exchange, staging) : DIST_ERR_MEMORY;
    if (memory)
        device->free(nccl->state, memory);
    return status;
}
