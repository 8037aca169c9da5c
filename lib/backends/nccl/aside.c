/*
 * aside.c: DIST_BUFFERING=eager:BYTES, on one machine: a short message is copied aside, and its send is over. The copy goes the
 * way of a send that nobody waits for, and is forgotten at its end.
 *
 *     room->stream    ... | follow the send's ready | copy aside | open the send's gate | ...
 */
#include "agree.h"
#include "../../devices/host.h"

#include <stdio.h>
#include <stdlib.h>

static size_t bytes_of(const struct dist_work *send)
{
    return (size_t)send->in.count * dtype_size(send->type);
}

bool aside_wanted(const struct nccl_room *room, const struct dist_work *op)
{
    return op->p2p && op->sends && room->eager_bytes > 0 && bytes_of(op) <= room->eager_bytes;
}

static bool copy_in_stream(struct nccl_room *room, const struct dist_work *send, const struct dist_work *copy)
{
    const struct device *device = room->device;
    size_t bytes = bytes_of(send);
    int status = device->event_follow(send->ready, room->stream);
    if (status == DIST_OK && bytes > 0)
        status = device->copy(room->stream, copy->in.data, send->in.data, bytes, COPY_INSIDE);
    return status == DIST_OK && device->gate_open_behind(send->gate, room->stream) == DIST_OK;
}

struct dist_work *aside_new(struct nccl_room *room, struct dist_work *send)
{
    struct dist_work *copy = malloc(sizeof *copy);
    size_t bytes = bytes_of(send);
    if (!copy)
        return NULL;
    *copy = *send;
    copy->step = STEP_ASIDE;
    copy->gate = NULL;
    copy->ready = NULL; /* it is behind the copy in the stream */
    copy->in.data =
        send->gpu ? room->device->alloc(room->state, bytes + 1) : host_alloc(room->self, bytes + 1);
    bool good = copy->in.data && (!send->gpu || copy_in_stream(room, send, copy));
    if (good && !send->gpu)
        host_copy(copy->in.data, send->in.data, bytes);
    if (good)
        return copy;
    aside_forget(room, copy);
    return NULL;
}

void aside_forget(struct nccl_room *room, struct dist_work *op)
{
    if (op->step != STEP_ASIDE)
        return;
    if (op->gpu && op->in.data)
        room->device->free(room->state, op->in.data);
    else
        host_free(room->self, op->in.data);
    free(op);
}
