/*
 * match.c: the two halves of a message find each other.
 *
 * A send looks among the receives of its destination, a receive among the messages that have come for it, each in the order
 * in which they were started; whoever finds nothing joins its line. So messages with one tag never pass each
 * other, and those with different tags may.
 */
#include "cuda.h"
#include "../common/claim.h"

/* Both are told how they differ; the receiver reports it. */
static void cuda_match_refuse(struct cuda_job *job, struct dist_work *send, struct dist_work *recv)
{
    struct claim sends = claim_of(send), receives = claim_of(recv);
    int sender = cuda_rank_of(send), receiver = cuda_rank_of(recv);
    claims_say_receiver(&recv->why, sender, &sends, &receives);
    claims_say_sender(&send->why, &sends, receiver, &receives);
    send->speaker = receiver + 1;
    cuda_start_given(job, recv, DIST_ERR_MISMATCH);
    cuda_start_given(job, send, DIST_ERR_MISMATCH);
}

static void cuda_match_deliver(struct cuda_job *job, struct dist_work *send, struct dist_work *recv)
{
    recv->from = cuda_rank_of(send);
    if (send->type == recv->type && send->in.count == recv->out.count && !send->gpu == !recv->gpu)
        cuda_move_message(job, send, recv);
    else
        cuda_match_refuse(job, send, recv);
}

/* A short message that nobody waits for is copied aside, where messages are buffered. */
static struct dist_work *cuda_match_buffered(struct cuda_job *job, struct dist_work *send)
{
    size_t most = cuda_of(job, send)->eager_bytes;
    return most && cuda_bytes_of(send, send->in) <= most ? cuda_move_eager(job, send) : send;
}

/* What an op waits for, from or to this rank (DIST_ANY_SOURCE: a receive from anybody). */
static uint64_t cuda_match_key_of(const struct dist_work *op, int sender)
{
    return match_key(sender, op->group->id, op->tag);
}

static struct dist_work *cuda_match_take(struct match_table *table, struct match *match)
{
    match_remove(table, match);
    return match_receive(match);
}

void cuda_match_send(struct cuda_job *job, struct dist_work *op)
{
    struct cuda_rank *receiver = &job->ranks[op->peer];
    struct match *recv = match_receive_for(&receiver->posted, true, cuda_rank_of(op), op->group->id, op->tag);
    if (recv)
        cuda_match_deliver(job, op, cuda_match_take(&receiver->posted, recv));
    else if ((op = cuda_match_buffered(job, op)))
        match_add(&receiver->unexpected, &op->match, cuda_match_key_of(op, cuda_rank_of(op)));
}

void cuda_match_recv(struct cuda_job *job, struct dist_work *op)
{
    struct cuda_rank *receiver = &job->ranks[cuda_rank_of(op)];
    bool any = op->peer == DIST_ANY_SOURCE;
    struct match *message = any ? NULL : match_find(&receiver->unexpected, cuda_match_key_of(op, op->peer));
    for (int i = 0; any && i < op->group->size; i++)
        message = match_earlier(
            message, match_find(&receiver->unexpected, cuda_match_key_of(op, op->group->ranks[i])));
    if (message)
        cuda_match_deliver(job, cuda_match_take(&receiver->unexpected, message), op);
    else
        match_add(&receiver->posted, &op->match, cuda_match_key_of(op, op->peer));
}
