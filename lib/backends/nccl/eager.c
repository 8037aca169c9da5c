/*
 * eager.c: DIST_BUFFERING=eager:BYTES, on one machine: a short message is copied aside, and its send is over. The copy goes the
 * way of a send that nobody waits for, and is forgotten at its end.
 *
 *     nccl->stream    ... | follow the send's ready | copy aside | open the send's gate | ...
 */
#include "agree.h"
#include "../../devices/host.h"

#include <stdlib.h>

bool nccl_eager_wanted(const struct nccl_state *nccl, const struct dist_work *op)
{
    return op->p2p && op->sends && nccl->eager_bytes > 0 && bytes_of(op, op->in) <= nccl->eager_bytes;
}

static bool nccl_eager_copy_in_stream(struct nccl_state *nccl, const struct dist_work *send,
                                      const struct dist_work *copy)
{
    const struct device *device = nccl->device;
    size_t bytes = bytes_of(send, send->in);
    int status = mark_follow(send->ready, nccl->stream);
    if (status == DIST_OK && bytes > 0)
        status = device->copy(nccl->stream, copy->in.data, send->in.data, bytes, COPY_INSIDE);
    return status == DIST_OK && mark_open_behind(send->gate, nccl->stream) == DIST_OK;
}

struct dist_work *nccl_eager_copy(struct nccl_state *nccl, struct dist_work *send)
{
    struct dist_work *copy = malloc(sizeof *copy);
    size_t bytes = bytes_of(send, send->in);
    if (!copy)
        return NULL;
    work_copy_asked(copy, send);
    atomic_fetch_add(&copy->group->untaken, 1);
    copy->step = STEP_EAGER_COPY; /* without `ready`: it is behind the copy in the stream */
    copy->in.data =
        send->gpu ? nccl->device->alloc(nccl->state, bytes + 1) : host_alloc(nccl->self, bytes + 1);
    bool good = copy->in.data && (!send->gpu || nccl_eager_copy_in_stream(nccl, send, copy));
    if (good && !send->gpu)
        host_copy(copy->in.data, send->in.data, bytes);
    if (good)
        return copy;
    nccl_eager_free(nccl, copy);
    return NULL;
}

void nccl_eager_free(struct nccl_state *nccl, struct dist_work *op)
{
    if (op->gpu && op->in.data)
        nccl->device->free(nccl->state, op->in.data);
    else
        host_free(nccl->self, op->in.data);
    atomic_fetch_sub(&op->group->untaken, 1);
    free(op);
}
