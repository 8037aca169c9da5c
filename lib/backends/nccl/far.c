/*
 * far.c: ranks on different machines show each other their claims, through NCCL itself: they have no other way.
 *
 * All go through the world's communicator, whatever their group. First those who speak first send their claim, then the
 * others answer: two groups of NCCL calls. So the n-th claim that a rank sends to another is always the one that is expected
 * there. A rank that never comes is found by DIST_TIMEOUT only.
 */
#include "check.h"

#include <stdio.h>

/* Cards in the GPU's memory: mine, then theirs, in the order of the meetings. */
struct tray {
    struct meeting *meetings;
    int count;
    char *mine, *theirs;
};

static ncclResult_t exchange(struct nccl_room *room, const struct tray *tray, bool first)
{
    cudaStream_t stream = room->nccl->stream_of(room->stream);
    ncclResult_t result = ncclSuccess;
    for (int i = 0; i < tray->count && went_well(result); i++) {
        const struct meeting *m = &tray->meetings[i];
        size_t place = (size_t)i * sizeof(struct claim);
        if (m->first == first)
            result = room->nccl->send(tray->mine + place, sizeof(struct claim), ncclUint8, m->peer,
                                      room->world.comm, stream);
        else
            result = room->nccl->recv(tray->theirs + place, sizeof(struct claim), ncclUint8, m->peer,
                                      room->world.comm, stream);
    }
    return result;
}

/* An nccl_caller finds its claims here. */
static _Thread_local const struct tray *current;

static ncclResult_t call_first(struct nccl_room *room, const struct dist_work *op)
{
    (void)op;
    return exchange(room, current, true);
}

static ncclResult_t call_answer(struct nccl_room *room, const struct dist_work *op)
{
    (void)op;
    return exchange(room, current, false);
}

static ncclResult_t call_nothing(struct nccl_room *room, const struct dist_work *op)
{
    (void)room, (void)op;
    return ncclSuccess;
}

/* The host waits for it, and for all that stands in the stream before, as for a barrier. */
static int go(struct nccl_room *room, const struct dist_work *asked, nccl_caller *call)
{
    struct dist_work op = { .call = asked->call, .at = asked->at, .site = asked->site };
    op.group = room->world.group;
    int status = launch_now(room, &op, call);
    return status == DIST_OK ? watch_wait(room, &op, 0) : status;
}

static int by_way_of_the_gpu(struct nccl_room *room, struct tray *tray, struct claim *staging)
{
    const struct device *device = room->device;
    size_t bytes = (size_t)tray->count * sizeof *staging;
    const struct dist_work *asked = tray->meetings->op;
    for (int i = 0; i < tray->count; i++)
        staging[i] = tray->meetings[i].mine;
    current = tray;
    int status = device->copy(room->stream, tray->mine, staging, bytes, COPY_TO_DEVICE);
    if (status == DIST_OK)
        status = go(room, asked, call_first);
    if (status == DIST_OK)
        status = go(room, asked, call_answer);
    if (status == DIST_OK)
        status = device->copy(room->stream, staging, tray->theirs, bytes, COPY_TO_HOST);
    if (status == DIST_OK)
        status = go(room, asked, call_nothing);
    for (int i = 0; i < tray->count && status == DIST_OK; i++) {
        tray->meetings[i].theirs = staging[i];
        tray->meetings[i].met = true;
    }
    return status;
}

int far_meet(struct nccl_room *room, struct meeting *meetings, int count)
{
    const struct device *device = room->device;
    size_t bytes = (size_t)count * sizeof(struct claim);
    struct claim *staging = device->staging(room->state, bytes);
    char *memory = device->alloc(room->state, 2 * bytes);
    struct tray tray = { meetings, count, memory, memory + bytes };
    int status = staging && memory ? by_way_of_the_gpu(room, &tray, staging) : DIST_ERR_MEMORY;
    if (memory)
        device->free(room->state, memory);
    return status;
}
