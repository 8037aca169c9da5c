/*
 * messages.c: the two halves of a message find each other, and it moves.
 *
 * A send looks among the receives of its destination, a receive among the messages that have come for it, each in the order
 * in which they were started; whoever finds nothing joins its line. So messages with one tag never pass each
 * other, and those with different tags may.
 *
 * It moves by one copy: from the sender's tensor to the receiver's, or first aside, and then there.
 *
 *     sender's stream      ... ready                       receiver's stream     ... ready
 *                                 \                                                /
 *     receiver's communication     follow both | copy | open the sender's gate | open the receiver's
 */
#include "cuda.h"
#include "../common/claim.h"
#include "../../devices/host.h"

#include <stdlib.h>

/* ---- from tensor to tensor --------------------------------------------------------------- */

/* In the stream of `to`: the receive, or a copy aside, whose `ready` then marks that it is there. */
static int cuda_messages_enqueue(const struct cuda_job *job, const struct dist_work *send,
                                 const struct dist_work *to, void *data)
{
    const struct device *device = cuda_device_of(to);
    struct stream *stream = cuda_of(job, to)->stream;
    size_t bytes = bytes_of(send, send->in);
    int status = mark_follow(send->ready, stream);
    if (status == DIST_OK && !to->sends)
        status = mark_follow(to->ready, stream);
    if (status == DIST_OK && bytes > 0)
        status = device->copy(stream, data, send->in.data, bytes, COPY_INSIDE);
    if (status == DIST_OK && to->sends)
        status = mark_record(to->ready, stream);
    if (status == DIST_OK && send->gate)
        status = mark_open_behind(send->gate, stream);
    return status == DIST_OK && !to->sends ? mark_open_behind(to->gate, stream) : status;
}

/* Or here and now. What a device says that refuses goes into `why`. */
static int cuda_messages_copy(const struct cuda_job *job, const struct dist_work *send,
                              const struct dist_work *to, void *data, struct why *why)
{
    int status = DIST_OK;
    if (!to->gpu)
        host_copy(data, send->in.data, bytes_of(send, send->in));
    else if ((status = cuda_messages_enqueue(job, send, to, data)) != DIST_OK)
        why_say(why, "%s", device_why());
    return status;
}

/* The sender's stream follows the copy: memory that is freed behind that is free for certain. */
static void cuda_messages_free_behind(const struct cuda_job *job, struct dist_work *aside,
                                      const struct dist_work *recv)
{
    if (cuda_start_behind(cuda_of(job, aside), cuda_of(job, recv)) == DIST_OK)
        cuda_device_of(recv)->free(aside->gpu->state, aside->in.data);
    aside->in.data = NULL; /* else it is lost until the rank ends */
}

static void cuda_messages_move(struct cuda_job *job, struct dist_work *send, struct dist_work *recv)
{
    int status = cuda_messages_copy(job, send, recv, recv->out.data, &recv->why);
    if (send->step != OP_ASIDE)
        send->why = recv->why;
    else if (send->gpu)
        cuda_messages_free_behind(job, send, recv);
    cuda_start_given(job, send, status);
    cuda_start_given(job, recv, status);
}

/* ---- aside --------------------------------------------------------------------------------- */

/* Memory for it. False: there is none. */
static bool cuda_messages_open_aside(struct dist_work *aside)
{
    size_t bytes = bytes_of(aside, aside->in) + 1;
    aside->in.data = aside->gpu ? cuda_device_of(aside)->alloc(aside->gpu->state, bytes) : malloc(bytes);
    if (aside->in.data && aside->gpu)
        aside->ready = cuda_device_of(aside)->event_new(aside->gpu->state, false);
    return aside->in.data && (!aside->gpu || aside->ready);
}

/* A copy of a short message, which waits in its place; the send is given. NULL: no memory; the send has the words. */
static struct dist_work *cuda_messages_eager(struct cuda_job *job, struct dist_work *send)
{
    struct dist_work *aside = malloc(sizeof *aside);
    int status = DIST_ERR_MEMORY;
    why_say(&send->why, "there is no memory left to copy the message aside");
    if (aside) {
        work_copy_asked(aside, send);
        atomic_fetch_add(&send->group->untaken, 1);
        if (cuda_messages_open_aside(aside))
            status = cuda_messages_copy(job, send, aside, aside->in.data, &send->why);
    }
    if (aside && status != DIST_OK) {
        cuda_messages_free(aside);
        aside = NULL;
    } else if (aside) {
        aside->step = OP_ASIDE;
        queue_add(&job->ranks[cuda_rank_of(aside)].open, aside);
    }
    cuda_start_given(job, send, status);
    return aside;
}

void cuda_messages_free(struct dist_work *aside)
{
    if (aside->gpu && aside->in.data)
        cuda_device_of(aside)->free(aside->gpu->state, aside->in.data);
    else
        free(aside->in.data);
    if (aside->gpu && aside->ready)
        mark_free(aside->ready);
    atomic_fetch_sub(&aside->group->untaken, 1);
    free(aside);
}

/* ---- two halves --------------------------------------------------------------------------- */

/* Both are told how they differ; the receiver reports it. */
static void cuda_messages_refuse(struct cuda_job *job, struct dist_work *send, struct dist_work *recv)
{
    struct claim sends = claim_of(send), receives = claim_of(recv);
    int sender = cuda_rank_of(send), receiver = cuda_rank_of(recv);
    claims_say_receiver(&recv->why, sender, &sends, &receives);
    claims_say_sender(&send->why, &sends, receiver, &receives);
    send->speaker = receiver + 1;
    cuda_start_given(job, recv, DIST_ERR_MISMATCH);
    cuda_start_given(job, send, DIST_ERR_MISMATCH);
}

static void cuda_messages_deliver(struct cuda_job *job, struct dist_work *send, struct dist_work *recv)
{
    recv->from = cuda_rank_of(send);
    if (send->type == recv->type && send->in.count == recv->out.count && !send->gpu == !recv->gpu)
        cuda_messages_move(job, send, recv);
    else
        cuda_messages_refuse(job, send, recv);
}

/* What an op waits for, from or to this rank (DIST_ANY_SOURCE: a receive from anybody). */
static uint64_t cuda_messages_key_of(const struct dist_work *op, int sender)
{
    return match_key(sender, op->group->id, op->tag);
}

static struct dist_work *cuda_messages_take(struct match_table *table, struct match *match)
{
    match_remove(table, match);
    return match_receive(match);
}

void cuda_messages_send(struct cuda_job *job, struct dist_work *op)
{
    struct cuda_rank *receiver = &job->ranks[op->peer];
    struct match *recv = match_receive_for(&receiver->posted, true, cuda_rank_of(op), op->group->id, op->tag);
    size_t most = cuda_of(job, op)->eager_bytes;
    if (recv)
        cuda_messages_deliver(job, op, cuda_messages_take(&receiver->posted, recv));
    else if (most && bytes_of(op, op->in) <= most) /* where messages are buffered */
        op = cuda_messages_eager(job, op);
    if (!recv && op)
        match_add(&receiver->unexpected, &op->match, cuda_messages_key_of(op, cuda_rank_of(op)));
}

void cuda_messages_recv(struct cuda_job *job, struct dist_work *op)
{
    struct cuda_rank *receiver = &job->ranks[cuda_rank_of(op)];
    bool any = op->peer == DIST_ANY_SOURCE;
    struct match *message =
        any ? NULL : match_find(&receiver->unexpected, cuda_messages_key_of(op, op->peer));
    for (int i = 0; any && i < op->group->size; i++)
        message = match_earlier(
            message, match_find(&receiver->unexpected, cuda_messages_key_of(op, op->group->ranks[i])));
    if (message)
        cuda_messages_deliver(job, cuda_messages_take(&receiver->unexpected, message), op);
    else
        match_add(&receiver->posted, &op->match, cuda_messages_key_of(op, op->peer));
}
