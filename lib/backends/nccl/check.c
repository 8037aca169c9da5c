/*
 * check.c: over several machines, where ranks share no memory, DIST_CHECK=1: before anything is given to NCCL, those that it
 * concerns compare what they mean by it.
 *
 * A message concerns two ranks; a collective every pair of its members, so that all come to the same verdict. NCCL itself
 * compares nothing: where counts differ it truncates or hangs, and who waits for whom it does not know.
 */
#include "check.h"
#include "../common/splits.h"

#include <stdio.h>
#include <stdlib.h>

bool check_is_due(const struct nccl_room *room)
{
    return room->checked && !room->failed;
}

/* ---- do they fit? --------------------------------------------------------------------------------- */

/* The n-th send between two ranks has met the n-th receive. */
static int judge_message(const struct nccl_room *room, const struct meeting *m)
{
    bool sends = m->mine.side == SIDE_SENDS, lower = room->rank < m->peer;
    const struct claim *send = sends ? &m->mine : &m->theirs, *recv = sends ? &m->theirs : &m->mine;
    if (m->theirs.side == SIDE_MEMBER)
        return lower ? claims_tell(m->op, room->rank, &m->mine, m->peer, &m->theirs)
                     : claims_tell(m->op, m->peer, &m->theirs, room->rank, &m->mine);
    if (send->group == recv->group && send->root == recv->root && send->type == recv->type &&
        send->count == recv->count)
        return DIST_OK;
    return claims_tell_message(m->op, sends ? room->rank : m->peer, send, sends ? m->peer : room->rank, recv);
}

/* Each pair of members for itself: these two are told. */
static int judge_splits(const struct meeting *m)
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

/* One meeting with each other member, in their order. All members compare with the first, and so find the same. */
static int judge_collective(const struct meeting *m)
{
    const struct dist_group *group = m->op->group;
    const struct claim *first = group->rank == 0 ? &m->mine : &m->theirs;
    for (int i = 1; i < group->size; i++) {
        const struct claim *claim = i == group->rank ? &m->mine : &m[i < group->rank ? i : i - 1].theirs;
        if (claims_differ(first, claim))
            return claims_tell(m->op, group->ranks[0], first, group->ranks[i], claim);
    }
    return m->op->splits ? judge_splits(m) : DIST_OK;
}

/* ---- who meets whom ------------------------------------------------------------------------------ */

static int count_meetings(const struct nccl_room *room, const struct op_queue *ops)
{
    int count = 0;
    for (const struct dist_work *op = ops->first; op; op = op->next)
        count += !op->p2p ? op->group->size - 1 : op->peer != room->rank;
    return count;
}

static int plan(const struct nccl_room *room, struct dist_work *op, struct meeting *meetings)
{
    struct claim claim = claim_of(op);
    int count = 0;
    if (op->p2p && op->peer != room->rank)
        meetings[count++] = (struct meeting){ .op = op, .peer = op->peer, .first = op->sends, .mine = claim };
    for (int i = 0; !op->p2p && i < op->group->size; i++) {
        int peer = op->group->ranks[i];
        claim.sends = op->splits ? op->splits[i] : 0;
        claim.expects = op->splits ? op->splits[op->group->size + i] : 0;
        if (peer != room->rank)
            meetings[count++] =
                (struct meeting){ .op = op, .peer = peer, .first = room->rank < peer, .mine = claim };
    }
    return count;
}

/* Those that may be launched stay in the queue. */
static void judge(struct nccl_room *room, struct op_queue *ops, const struct meeting *meetings)
{
    struct dist_work *op = ops->first, *next;
    queue_reset(ops);
    for (; op; op = next) {
        int count = !op->p2p ? op->group->size - 1 : op->peer != room->rank;
        int status = DIST_OK;
        next = op->next;
        if (count > 0)
            status = op->p2p ? judge_message(room, meetings) : judge_collective(meetings);
        meetings += count;
        if (status == DIST_OK)
            queue_add(ops, op);
        else
            launch_refuse(room, op, status);
    }
}

static void give_up(struct nccl_room *room, struct op_queue *ops, int status)
{
    char why[200];
    if (status == DIST_ERR_MEMORY)
        snprintf(why, sizeof why, "the system gives no memory for checking");
    else if (!room->failed)
        status = nccl_job_failed(room, why, sizeof why);
    watch_fail(room, status, why);
    for (struct dist_work *op = ops->first, *next; op; op = next) {
        next = op->next;
        launch_refuse(room, op, room->failed);
    }
    queue_reset(ops);
}

void check_agree(struct nccl_room *room, struct op_queue *ops)
{
    int count = count_meetings(room, ops), planned = 0;
    struct meeting *meetings = calloc((size_t)count + 1, sizeof *meetings);
    int status = meetings ? DIST_OK : DIST_ERR_MEMORY;
    for (struct dist_work *op = ops->first; op && meetings; op = op->next)
        planned += plan(room, op, meetings + planned);
    if (meetings && count > 0)
        status = far_meet(room, meetings, count);
    if (status == DIST_OK)
        judge(room, ops, meetings);
    else
        give_up(room, ops, status);
    free(meetings);
}
