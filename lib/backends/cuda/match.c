/*
 * match.c: the two halves of a message find each other.
 *
 * A send looks among the receives of its destination, a receive among the messages that have come for it, each in the order
 * in which they were started; whoever finds nothing joins its line. So messages with one tag never pass each
 * other, and those with different tags may.
 */
#include "cuda.h"

#include <stdio.h>

static bool fits(const struct dist_work *recv, const struct dist_work *send)
{
    return (recv->peer == DIST_ANY_SOURCE || recv->peer == rank_of(send)) && recv->tag == send->tag &&
           recv->group->id == send->group->id;
}

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

void match_send(struct cuda_job *job, struct dist_work *op)
{
    struct seat *seat = &job->seats[op->peer];
    for (struct dist_work **at = &seat->recvs.first; *at; at = &(*at)->next)
        if (fits(*at, op)) {
            deliver(job, op, line_take(&seat->recvs, at));
            return;
        }
    op = buffered(job, op);
    if (op)
        line_append(&seat->letters, op);
}

void match_recv(struct cuda_job *job, struct dist_work *op)
{
    struct seat *seat = &job->seats[rank_of(op)];
    for (struct dist_work **at = &seat->letters.first; *at; at = &(*at)->next)
        if (fits(op, *at)) {
            deliver(job, line_take(&seat->letters, at), op);
            return;
        }
    line_append(&seat->recvs, op);
}
