/*
 * check.c: DIST_CHECK=1: before anything is given to NCCL, those that it concerns compare what they mean by it.
 *
 * A message concerns two ranks; a collective every pair of its members, so that all come to the same verdict. NCCL itself
 * compares nothing: where counts differ it truncates or hangs, and who waits for whom it does not know.
 */
#include "room.h"

#include <stdio.h>
#include <stdlib.h>

bool check_is_due(const struct nccl_room *room)
{
    return room->checked && !room->failed;
}

/* ---- cards --------------------------------------------------------------------------------- */

static bool reduces(enum call call)
{
    return call == CALL_REDUCE || call == CALL_ALL_REDUCE || call == CALL_REDUCE_SCATTER;
}

/* What does not count for a call is 0 on all sides. */
static struct card card_of(const struct dist_work *op)
{
    const char *slash = op->at.file ? strrchr(op->at.file, '/') : NULL;
    struct card card = { .call = (uint8_t)op->call, .group = (uint16_t)op->group->id, .line = op->at.line };
    snprintf(card.file, sizeof card.file, "%s", slash ? slash + 1 : op->at.file ? op->at.file : "?");
    card.type = (uint8_t)op->type;
    if (op->p2p) {
        card.side = op->sends ? SIDE_SENDS : SIDE_RECEIVES;
        card.root = op->tag;
        card.count = op->sends ? op->in.count : op->out.count;
    } else {
        card.side = SIDE_MEMBER;
        card.op = reduces(op->call) ? (uint8_t)op->op : 0;
        card.root = has_root(op) ? op->group->ranks[op->peer] : 0;
        card.count = op->block;
    }
    return card;
}

/* ---- what differs, in words ------------------------------------------------------------------- */

/* "rank 2 calls dist_reduce (x.c:17)": what one of two ranks says, where the other says something else. */
static bool differ(const struct card *a, const struct card *b, char *say_a, char *say_b, size_t size)
{
    if (a->side != b->side || a->call != b->call) {
        snprintf(say_a, size, "calls %s", call_name(a->call));
        snprintf(say_b, size, "calls %s", call_name(b->call));
    } else if (a->group != b->group) {
        snprintf(say_a, size, "means group %d", a->group);
        snprintf(say_b, size, "means group %d", b->group);
    } else if (a->call == CALL_NEW_GROUP && a->count != b->count) {
        snprintf(say_a, size, "lists other ranks");
        snprintf(say_b, size, "lists these");
    } else if (a->type != b->type) {
        snprintf(say_a, size, "has a tensor of %s", dtype_name(a->type));
        snprintf(say_b, size, "has a tensor of %s", dtype_name(b->type));
    } else if (a->count != b->count) {
        snprintf(say_a, size, "has %lld elements", (long long)a->count);
        snprintf(say_b, size, "has %lld elements", (long long)b->count);
    } else if (a->root != b->root) {
        snprintf(say_a, size, "names %d as the root", a->root);
        snprintf(say_b, size, "names %d as the root", b->root);
    } else if (a->op != b->op) {
        snprintf(say_a, size, "asks for %s", op_name(a->op));
        snprintf(say_b, size, "asks for %s", op_name(b->op));
    } else {
        return false;
    }
    return true;
}

static int mismatch(struct dist_work *op, int rank_a, const struct card *a, int rank_b, const struct card *b)
{
    char say_a[48], say_b[48];
    differ(a, b, say_a, say_b, sizeof say_a);
    snprintf(op->why, sizeof op->why, "rank %d %s (%s:%d), rank %d %s (%s:%d)", rank_a, say_a, a->file,
             a->line, rank_b, say_b, b->file, b->line);
    op->speaker = rank_b + 1;
    return op->status = DIST_ERR_MISMATCH;
}

/* The n-th send between two ranks has met the n-th receive: do they fit? */
static int judge_message(const struct nccl_room *room, const struct meeting *m)
{
    bool sends = m->mine.side == SIDE_SENDS;
    const struct card *send = sends ? &m->mine : &m->theirs, *recv = sends ? &m->theirs : &m->mine;
    int sender = sends ? room->rank : m->peer, receiver = sends ? m->peer : room->rank;
    struct dist_work *op = m->op;
    if (m->theirs.side == SIDE_MEMBER || m->theirs.group != m->mine.group)
        return room->rank < m->peer ? mismatch(op, room->rank, &m->mine, m->peer, &m->theirs)
                                    : mismatch(op, m->peer, &m->theirs, room->rank, &m->mine);
    if (send->root == recv->root && send->type == recv->type && send->count == recv->count)
        return DIST_OK;
    if (send->root != recv->root)
        snprintf(op->why, sizeof op->why,
                 "rank %d sends with tag %d (%s:%d), and rank %d's next receive from it asks for tag %d "
                 "(%s:%d), but NCCL "
                 "takes messages in the order in which they were sent",
                 sender, send->root, send->file, send->line, receiver, recv->root, recv->file, recv->line);
    else
        snprintf(op->why, sizeof op->why,
                 "rank %d sends %lld elements of %s (%s:%d), rank %d's receive has room for exactly %lld of "
                 "%s (%s:%d)",
                 sender, (long long)send->count, dtype_name(send->type), send->file, send->line, receiver,
                 (long long)recv->count, dtype_name(recv->type), recv->file, recv->line);
    op->speaker = receiver + 1;
    return op->status = DIST_ERR_MISMATCH;
}

/* One meeting with each other member, in their order. All members compare with the first, and so find the same. */
static int judge_collective(const struct meeting *m)
{
    const struct dist_group *group = m->op->group;
    const struct card *first = group->rank == 0 ? &m->mine : &m->theirs;
    char a[48], b[48];
    for (int i = 1; i < group->size; i++) {
        const struct card *card = i == group->rank ? &m->mine : &m[i < group->rank ? i : i - 1].theirs;
        if (differ(first, card, a, b, sizeof a))
            return mismatch(m->op, group->ranks[0], first, group->ranks[i], card);
    }
    return DIST_OK;
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
    struct card card = card_of(op);
    int count = 0;
    if (op->p2p && op->peer != room->rank)
        meetings[count++] = (struct meeting){ .op = op, .peer = op->peer, .first = op->sends, .mine = card };
    for (int i = 0; !op->p2p && i < op->group->size; i++) {
        int peer = op->group->ranks[i];
        if (peer != room->rank)
            meetings[count++] =
                (struct meeting){ .op = op, .peer = peer, .first = room->rank < peer, .mine = card };
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
        status = room->spread ? far_meet(room, meetings, count) : slips_meet(room, meetings, count, 0);
    if (status == DIST_OK)
        judge(room, ops, meetings);
    else
        give_up(room, ops, status);
    free(meetings);
}

/* ---- a barrier with names -------------------------------------------------------------------------- */

static void name_missing(struct dist_work *op, const struct meeting *meetings, int count)
{
    char list[160] = "";
    size_t used = 0;
    int missing = 0;
    for (int i = 0; i < count; i++)
        if (!meetings[i].met && used + 16 < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%d", missing++ ? ", " : "",
                                     meetings[i].peer);
    snprintf(op->why, sizeof op->why, "rank%s %s did not come within %g s", missing == 1 ? "" : "s", list,
             op->timeout);
}

int check_monitored(struct nccl_room *room, struct dist_work *op)
{
    int count = op->group->size - 1, status = DIST_OK;
    struct meeting *meetings = calloc((size_t)count + 1, sizeof *meetings);
    if (!meetings) {
        snprintf(op->why, sizeof op->why, "the system gives no memory for a barrier");
        return launch_refuse(room, op, DIST_ERR_MEMORY);
    }
    plan(room, op, meetings);
    status = slips_meet(room, meetings, count, dist_time() + op->timeout);
    if (status == DIST_OK && count > 0)
        status = judge_collective(meetings);
    else if (status == DIST_ERR_TIMEOUT)
        name_missing(op, meetings, count);
    else if (status != DIST_OK)
        status = nccl_job_failed(room, op->why, sizeof op->why);
    free(meetings);
    op->status = status;
    atomic_store(&op->done, 1);
    return status;
}
