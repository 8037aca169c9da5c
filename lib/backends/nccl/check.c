/*
 * check.c: over several machines, where ranks share no memory, DIST_CHECK=1: before anything is given to NCCL, those that it
 * concerns show each other what they claim of it, and compare.
 *
 * A message concerns two ranks; a collective every pair of its members, so that all come to the same verdict. NCCL itself
 * compares nothing: where counts differ it truncates or hangs, and who waits for whom it does not know.
 *
 * Claims go through NCCL, since there is no other way, and through the world's communicator, whatever their group. Those who speak
 * first send theirs before those who answer: NCCL's calls between two ranks meet in their order. So the n-th claim that a rank sends
 * to another is always the one that is expected there. A rank that never comes is found by DIST_TIMEOUT only.
 */
#include "state.h"
#include "../common/claim.h"
#include "../common/splits.h"

#include <stdlib.h>

/* Two ranks show each other what they claim: of a message, or of a collective. `first`: this rank speaks first. */
struct comparison {
    struct dist_work *op;
    int peer;
    bool first;
    struct claim mine, theirs;
};

/* ---- what do the others claim? ------------------------------------------------------------------- */

/* Claims in the GPU's memory: mine, then theirs, in the order of the pairs. */
struct exchange {
    struct comparison *pairs;
    int count;
    struct claim *mine, *theirs;
};

/* It is the op's input. NULL: none, and the op only marks how far the stream is. */
static ncclResult_t nccl_check_call_exchange(struct nccl_state *nccl, const struct dist_work *op)
{
    const struct exchange *exchange = op->in.data;
    cudaStream_t stream = nccl->calls->stream_of(nccl->stream);
    ncclComm_t comm = nccl->world.comm;
    ncclResult_t result = ncclSuccess;
    int turns = exchange ? 2 * exchange->count : 0;
    for (int turn = 0; turn < turns && nccl_went_well(result); turn++) {
        int i = turn % exchange->count;
        const struct comparison *m = &exchange->pairs[i];
        if (m->first == (turn < exchange->count))
            result =
                nccl->calls->send(exchange->mine + i, sizeof(struct claim), ncclUint8, m->peer, comm, stream);
        else
            result = nccl->calls->recv(exchange->theirs + i, sizeof(struct claim), ncclUint8, m->peer, comm,
                                       stream);
    }
    return result;
}

/* The host waits for it, and for all that stands in the stream before, as for a barrier. */
static int nccl_check_go(struct nccl_state *nccl, const struct dist_work *asked, struct exchange *exchange)
{
    struct dist_work op = { .call = asked->call, .at = asked->at, .site = asked->site };
    op.group = nccl->world.group;
    op.in.data = exchange;
    int status = nccl_launch_now(nccl, &op, nccl_check_call_exchange);
    return status == DIST_OK ? nccl_watch_wait(nccl, &op, 0) : status;
}

static int nccl_check_exchange(struct nccl_state *nccl, struct comparison *pairs, int count)
{
    const struct device *device = nccl->device;
    size_t bytes = (size_t)count * sizeof(struct claim);
    struct claim *staging = device->staging(nccl->state, bytes);
    struct claim *memory = device->alloc(nccl->state, 2 * bytes);
    struct exchange exchange = { pairs, count, memory, memory + count };
    int status = staging && memory ? DIST_OK : DIST_ERR_MEMORY;
    for (int i = 0; i < count && status == DIST_OK; i++)
        staging[i] = pairs[i].mine;
    if (status == DIST_OK)
        status = device->copy(nccl->stream, exchange.mine, staging, bytes, COPY_TO_DEVICE);
    if (status == DIST_OK)
        status = nccl_check_go(nccl, pairs->op, &exchange);
    if (status == DIST_OK)
        status = device->copy(nccl->stream, staging, exchange.theirs, bytes, COPY_TO_HOST);
    if (status == DIST_OK)
        status = nccl_check_go(nccl, pairs->op, NULL);
    for (int i = 0; i < count && status == DIST_OK; i++)
        pairs[i].theirs = staging[i];
    if (memory)
        device->free(nccl->state, memory);
    return status;
}

/* ---- do they fit? --------------------------------------------------------------------------------- */

/* The n-th send between two ranks has met the n-th receive. */
static int nccl_check_judge_message(const struct nccl_state *nccl, const struct comparison *m)
{
    bool sends = m->mine.side == SIDE_SENDS, lower = nccl->rank < m->peer;
    const struct claim *send = sends ? &m->mine : &m->theirs, *recv = sends ? &m->theirs : &m->mine;
    if (m->theirs.side == SIDE_MEMBER)
        return lower ? claims_tell(m->op, nccl->rank, &m->mine, m->peer, &m->theirs)
                     : claims_tell(m->op, m->peer, &m->theirs, nccl->rank, &m->mine);
    if (send->group == recv->group && send->root == recv->root && send->type == recv->type &&
        send->count == recv->count)
        return DIST_OK;
    return claims_tell_message(m->op, sends ? nccl->rank : m->peer, send, sends ? m->peer : nccl->rank, recv);
}

/* Each pair of members for itself: these two are told. */
static int nccl_check_judge_splits(const struct comparison *m)
{
    int me = m->op->group->ranks[m->op->group->rank];
    for (int i = 0; i < m->op->group->size - 1; i++) {
        struct clash out = { me, m[i].peer, m[i].mine.sends, m[i].theirs.expects };
        struct clash in = { m[i].peer, me, m[i].theirs.sends, m[i].mine.expects };
        if (out.sent != out.expected || in.sent != in.expected)
            return splits_tell(m->op, out.sent != out.expected ? &out : &in);
    }
    return DIST_OK;
}

/* One comparison with each other member, in their order. All members compare with the first, and so find the same. */
static int nccl_check_judge_collective(const struct comparison *m)
{
    const struct dist_group *group = m->op->group;
    const struct claim *first = group->rank == 0 ? &m->mine : &m->theirs;
    for (int i = 1; i < group->size; i++) {
        const struct claim *claim = i == group->rank ? &m->mine : &m[i < group->rank ? i : i - 1].theirs;
        if (claims_differ(first, claim))
            return claims_tell(m->op, group->ranks[0], first, group->ranks[i], claim);
    }
    return m->op->splits ? nccl_check_judge_splits(m) : DIST_OK;
}

/* ---- who meets whom ------------------------------------------------------------------------------ */

/* Fills them in, one behind the other: so many. */
static int nccl_check_plan(const struct nccl_state *nccl, struct dist_work *op, struct comparison *pairs)
{
    struct claim claim = claim_of(op);
    int count = 0;
    if (op->p2p && op->peer != nccl->rank)
        pairs[count++] = (struct comparison){ .op = op, .peer = op->peer, .first = op->sends, .mine = claim };
    for (int i = 0; !op->p2p && i < op->group->size; i++) {
        int peer = op->group->ranks[i];
        claim.sends = op->splits ? op->splits[i] : 0;
        claim.expects = op->splits ? op->splits[op->group->size + i] : 0;
        if (peer != nccl->rank)
            pairs[count++] =
                (struct comparison){ .op = op, .peer = peer, .first = nccl->rank < peer, .mine = claim };
    }
    return count;
}

/* Those that may be launched stay in the queue. Behind all pairs stands one without an op. */
static void nccl_check_judge(struct nccl_state *nccl, struct op_queue *ops, const struct comparison *pairs)
{
    for (struct dist_work *op = ops->first, *next; op; op = next) {
        int status = DIST_OK;
        next = op->next;
        if (pairs->op == op)
            status = op->p2p ? nccl_check_judge_message(nccl, pairs) : nccl_check_judge_collective(pairs);
        while (pairs->op == op)
            pairs++;
        if (status == DIST_OK)
            continue;
        queue_remove(ops, op);
        nccl_launch_end(nccl, op, status);
    }
}

static void nccl_check_give_up(struct nccl_state *nccl, struct op_queue *ops, int status)
{
    if (!nccl_watch_job(nccl))
        nccl_watch_fail(nccl, status,
                        status == DIST_ERR_MEMORY ? "the system gives no memory for checking" : device_why());
    nccl_watch_end_all(nccl, ops);
}

void nccl_check_agree(struct nccl_state *nccl, struct op_queue *ops)
{
    int most = 1, count = 0;
    if (!nccl->checked || nccl->shared || nccl->failed || ops->first->call == CALL_MONITORED_BARRIER)
        return;
    for (const struct dist_work *op = ops->first; op; op = op->next)
        most += op->p2p ? 1 : op->group->size;
    struct comparison *pairs = calloc((size_t)most, sizeof *pairs);
    int status = pairs ? DIST_OK : DIST_ERR_MEMORY;
    for (struct dist_work *op = ops->first; op && pairs; op = op->next)
        count += nccl_check_plan(nccl, op, pairs + count);
    if (pairs && count > 0)
        status = nccl_check_exchange(nccl, pairs, count);
    if (status == DIST_OK)
        nccl_check_judge(nccl, ops, pairs);
    else
        nccl_check_give_up(nccl, ops, status);
    free(pairs);
}
