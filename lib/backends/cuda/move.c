/*
 * move.c: one message moves, by one copy: from the sender's tensor to the receiver's, or first aside, and then there.
 *
 *     sender's stream      ... ready                       receiver's stream     ... ready
 *                                 \                                                /
 *     receiver's communication     follow both | copy | open the sender's gate | open the receiver's
 */
#include "cuda.h"
#include "../../devices/host.h"

#include <stdio.h>
#include <stdlib.h>

/* The device refused: what it says. */
static int cuda_move_say(struct dist_work *op, int status)
{
    if (status != DIST_OK)
        why_say(&op->why, "%s", device_why());
    return status;
}

/* ---- from tensor to tensor --------------------------------------------------------------- */

static int cuda_move_enqueue(const struct cuda_job *job, const struct dist_work *send,
                             const struct dist_work *recv)
{
    const struct device *device = cuda_device_of(recv);
    struct stream *stream = cuda_of(job, recv)->stream;
    size_t bytes = cuda_bytes_of(recv, recv->out);
    int status = device->event_follow(send->ready, stream);
    if (status == DIST_OK)
        status = device->event_follow(recv->ready, stream);
    if (status == DIST_OK && bytes > 0)
        status = device->copy(stream, recv->out.data, send->in.data, bytes, COPY_INSIDE);
    if (status == DIST_OK && send->gate)
        status = device->gate_open_behind(send->gate, stream);
    return status == DIST_OK ? device->gate_open_behind(recv->gate, stream) : status;
}

/* The sender's stream follows the copy: memory that is freed behind that is free for certain. */
static void cuda_move_free_behind(const struct cuda_job *job, struct dist_work *aside,
                                  const struct dist_work *recv)
{
    const struct device *device = cuda_device_of(recv);
    const struct cuda_state *sender = cuda_of(job, aside), *receiver = cuda_of(job, recv);
    if (receiver == sender || (device->event_record(receiver->mark, receiver->stream) == DIST_OK &&
                               device->event_follow(receiver->mark, sender->stream) == DIST_OK))
        device->free(aside->gpu->state, aside->in.data);
    aside->in.data = NULL; /* else it is lost until the rank ends */
}

void cuda_move_message(struct cuda_job *job, struct dist_work *send, struct dist_work *recv)
{
    int status = DIST_OK;
    if (recv->gpu)
        status = cuda_move_say(recv, cuda_move_enqueue(job, send, recv));
    else
        host_copy(recv->out.data, send->in.data, cuda_bytes_of(recv, recv->out));
    if (send->step != OP_ASIDE)
        send->why = recv->why;
    else if (send->gpu)
        cuda_move_free_behind(job, send, recv);
    cuda_start_given(job, send, status);
    cuda_start_given(job, recv, status);
}

/* ---- aside --------------------------------------------------------------------------------- */

static int cuda_move_enqueue_aside(const struct cuda_job *job, const struct dist_work *send,
                                   const struct dist_work *aside)
{
    const struct device *device = cuda_device_of(send);
    struct stream *stream = cuda_of(job, send)->stream;
    size_t bytes = cuda_bytes_of(send, send->in);
    int status = device->event_follow(send->ready, stream);
    if (status == DIST_OK && bytes > 0)
        status = device->copy(stream, aside->in.data, send->in.data, bytes, COPY_INSIDE);
    if (status == DIST_OK)
        status = device->event_record(aside->ready, stream);
    return status == DIST_OK ? device->gate_open_behind(send->gate, stream) : status;
}

/* Memory for it. False: there is none. */
static bool cuda_move_open_aside(struct dist_work *aside)
{
    size_t bytes = cuda_bytes_of(aside, aside->in) + 1;
    aside->in.data = aside->gpu ? cuda_device_of(aside)->alloc(aside->gpu->state, bytes) : malloc(bytes);
    if (aside->in.data && aside->gpu)
        aside->ready = cuda_device_of(aside)->event_new(aside->gpu->state, false);
    return aside->in.data && (!aside->gpu || aside->ready);
}

struct dist_work *cuda_move_eager(struct cuda_job *job, struct dist_work *send)
{
    struct dist_work *aside = malloc(sizeof *aside);
    int status = DIST_ERR_MEMORY;
    why_say(&send->why, "there is no memory left to copy the message aside");
    if (aside) {
        work_copy_asked(aside, send);
        atomic_fetch_add(&send->group->untaken, 1);
        status = cuda_move_open_aside(aside) ? DIST_OK : DIST_ERR_MEMORY;
    }
    if (status == DIST_OK && send->gpu)
        status = cuda_move_say(send, cuda_move_enqueue_aside(job, send, aside));
    else if (status == DIST_OK)
        host_copy(aside->in.data, send->in.data, cuda_bytes_of(send, send->in));
    if (aside && status != DIST_OK) {
        cuda_move_free(aside);
        aside = NULL;
    } else if (aside) {
        aside->step = OP_ASIDE;
        queue_add(&job->ranks[cuda_rank_of(aside)].open, aside);
    }
    cuda_start_given(job, send, status);
    return aside;
}

void cuda_move_free(struct dist_work *aside)
{
    if (aside->gpu && aside->in.data)
        cuda_device_of(aside)->free(aside->gpu->state, aside->in.data);
    else
        free(aside->in.data);
    if (aside->gpu && aside->ready)
        cuda_device_of(aside)->event_free(aside->ready);
    atomic_fetch_sub(&aside->group->untaken, 1);
    free(aside);
}
