/*
 * match.c: the two halves of a message find each other.
 *
 * A send looks among the receives of its destination, a receive among the messages that have come for it, each in the order
 * in which they were started; whoever finds nothing joins its line. So messages with one tag never pass each
 * other, and those with different tags may.
 */
#include "cuda.h"

#include <stdio.h>

static const struct site *site_of(const struct cuda_job *job, const struct dist_work *op)
{
    return world_site_at(room_of(job, op)->world, rank_of(op), op->site);
}

static const char *where(const struct dist_work *op)
{
    return op->gpu ? "GPU" : "host";
}

/* Say to both how they differ. The receiver shall tell. */
static void refuse(struct cuda_job *job, struct dist_work *send, struct dist_work *recv)
{
    int sender = rank_of(send), receiver = rank_of(recv);
    const struct site *sends = site_of(job, send), *receives = site_of(job, recv);
    const char *type = dtype_name(send->type), *own_type = dtype_name(recv->type);
    long long count = send->in.count, room = recv->out.count;
    const char *plural = count == 1 ? "" : "s";
    if (!send->gpu != !recv->gpu) {
        snprintf(recv->why, sizeof recv->why,
                 "rank %d sends from its %s (%s:%d), this receive has its tensor on the %s", sender,
                 where(send), sends->file, sends->line, where(recv));
        snprintf(send->why, sizeof send->why,
                 "rank %d receives on its %s (%s:%d), this message lies on the %s", receiver, where(recv),
                 receives->file, receives->line, where(send));
    } else {
        snprintf(recv->why, sizeof recv->why,
                 "rank %d sends %lld element%s of %s (%s:%d), this receive has room for exactly %lld of %s",
                 sender, count, plural, type, sends->file, sends->line, room, own_type);
        snprintf(send->why, sizeof send->why,
                 "rank %d's receive (%s:%d) has room for exactly %lld of %s, this message has %lld element%s "
                 "of %s",
                 receiver, receives->file, receives->line, room, own_type, count, plural, type);
    }
    send->speaker = receiver + 1;
    start_given(job, recv, DIST_ERR_MISMATCH);
    if (send->aside)
        move_forget(send);
    else
        start_given(job, send, DIST_ERR_MISMATCH);
}

static void deliver(struct cuda_job *job, struct dist_work *send, struct dist_work *recv)
{
    recv->from = rank_of(send);
    if (send->type == recv->type && send->in.count == recv->out.count && !send->gpu == !recv->gpu)
        move_message(job, send, recv);
    else
        refuse(job, send, recv);
}

/* A short message that nobody waits for is copied aside, where messages are buffered. */
static struct dist_work *buffered(struct cuda_job *job, struct dist_work *send)
{
    size_t most = room_of(job, send)->eager_bytes;
    return most && bytes_of(send, send->in) <= most ? move_aside(job, send) : send;
}

/* What an op waits for, from or to this rank (DIST_ANY_SOURCE: a receive from anybody). */
static uint64_t key_of(const struct dist_work *op, int sender)
{
    return match_key(sender, op->group->id, op->tag);
}

static struct dist_work *take(struct match_table *table, struct match *match)
{
    match_remove(table, match);
    return match_receive(match);
}

void match_send(struct cuda_job *job, struct dist_work *op)
{
    struct seat *seat = &job->seats[op->peer];
    struct match *recv = match_earlier(match_find(&seat->recvs, key_of(op, rank_of(op))),
                                       match_find(&seat->recvs, key_of(op, DIST_ANY_SOURCE)));
    if (recv)
        deliver(job, op, take(&seat->recvs, recv));
    else if ((op = buffered(job, op)))
        match_add(&seat->letters, &op->match, key_of(op, rank_of(op)));
}

void match_recv(struct cuda_job *job, struct dist_work *op)
{
    struct seat *seat = &job->seats[rank_of(op)];
    bool any = op->peer == DIST_ANY_SOURCE;
    struct match *letter = any ? NULL : match_find(&seat->letters, key_of(op, op->peer));
    for (int i = 0; any && i < op->group->size; i++)
        letter = match_earlier(letter, match_find(&seat->letters, key_of(op, op->group->ranks[i])));
    if (letter)
        deliver(job, take(&seat->letters, letter), op);
    else
        match_add(&seat->recvs, &op->match, key_of(op, op->peer));
}
