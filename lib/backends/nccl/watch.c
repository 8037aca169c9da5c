/*
 * watch.c: looks after what is under way.
 *
 * A kernel of NCCL that waits for a rank which never comes does not end by itself, and nobody is told. So the host, where it
 * waits, looks: has NCCL noted an error, has the job failed elsewhere, has nothing ended for DIST_TIMEOUT seconds? Then all
 * communicators are aborted. That ends NCCL's kernels, the streams go on, and all that was under way is over, with a status.
 */
#define _GNU_SOURCE
#include "room.h"

#include <stdio.h>
#include <time.h>

#define NAP 20           /* ms; whoever has news rings */
#define SHORT_NAP 50000L /* ns, while NCCL works in the background: it cannot ring */
#define LONG_NAP 1000000L
#define ONE_LOOK 1.0 /* s: a longer time between two looks was not spent waiting */

/* ---- failing ------------------------------------------------------------------------------ */

static void abort_group(struct nccl_room *room, struct nccl_group *g)
{
    if (g->comm)
        room->nccl->comm_abort(g->comm);
    g->comm = NULL;
}

static void end(struct nccl_room *room, struct dist_work *op)
{
    if (!op->gate && op->aside)
        room->device->event_free(op->aside);
    op->aside = NULL;
    launch_refuse(room, op, room->failed);
}

void watch_fail(struct nccl_room *room, int status, const char *why)
{
    if (room->failed)
        return;
    room->failed = status;
    snprintf(room->why, sizeof room->why, "%s", why);
    for (struct nccl_group *g = room->groups; g; g = g->next)
        abort_group(room, g);
    for (struct nccl_group *g = room->retired; g; g = g->next)
        abort_group(room, g);
    abort_group(room, &room->world);
    struct op_queue *const queues[] = { &room->flying, &room->off };
    for (int i = 0; i < 2; i++) {
        for (struct dist_work *op = queues[i]->first, *next; op; op = next) {
            next = op->next;
            end(room, op);
        }
        queue_reset(queues[i]);
    }
}

/* ---- looking -------------------------------------------------------------------------------- */

static bool is_over(const struct nccl_room *room, const struct dist_work *op)
{
    if (op->gate)
        return room->device->gate_is_open(op->gate);
    return op->aside && room->device->event_passed(op->aside);
}

/* They end in the order in which they were launched: the stream has one. */
void watch_progress(struct nccl_room *room)
{
    for (struct dist_work *op; (op = room->flying.first) && is_over(room, op);) {
        room->flying.first = op->next;
        if (!op->next)
            queue_reset(&room->flying);
        if (!op->gate)
            room->device->event_free(op->aside);
        op->aside = NULL;
        atomic_store(&op->done, 1);
    }
}

static void look_at_nccl(struct nccl_room *room)
{
    struct nccl_group *g = &room->world, *next = room->groups;
    for (; g && !room->failed; g = next, next = g ? g->next : NULL) {
        ncclResult_t state = ncclSuccess;
        char why[200];
        ncclResult_t result = room->nccl->comm_get_async_error(g->comm, &state);
        state = result != ncclSuccess ? result : state;
        if (state != ncclSuccess && state != ncclInProgress) {
            int status = nccl_explain(room->nccl, state, why, sizeof why);
            watch_fail(room, status, why);
        }
    }
}

/* Only time in which the host came by to look counts: one that computes meanwhile does not wait. */
static void look_at_clock(struct nccl_room *room)
{
    const struct dist_work *op = room->flying.first;
    double now = dist_time(), passed = now - room->seen;
    room->seen = now;
    if (!op || op->ticket != room->oldest) {
        room->oldest = op ? op->ticket : 0;
        room->waited = 0;
        return;
    }
    room->waited += passed < ONE_LOOK ? passed : ONE_LOOK;
    if (room->waited < room->limit)
        return;
    char why[200];
    snprintf(why, sizeof why,
             "NCCL has not ended it within %g s, so some rank does not take part (DIST_CHECK=1 tells who%s, "
             "DIST_TIMEOUT=SECONDS waits longer)",
             room->limit, room->checked ? " on one machine" : "");
    watch_fail(room, DIST_ERR_TIMEOUT, why);
}

void watch_look(struct nccl_room *room)
{
    char why[200];
    watch_progress(room);
    if (room->failed)
        return;
    if (world_failed(&room->self->world)) {
        int status = nccl_job_failed(room, why, sizeof why);
        watch_fail(room, status, why);
        return;
    }
    look_at_nccl(room);
    if (!room->failed)
        look_at_clock(room);
}

/* ---- waiting -------------------------------------------------------------------------------- */

int watch_settle(struct nccl_room *room, ncclComm_t comm, double seconds, char *why, size_t why_size)
{
    double limit = seconds > 0 ? seconds : room->limit, deadline = dist_time() + limit;
    struct timespec nap = { .tv_nsec = SHORT_NAP };
    struct patience patience = { 0 };
    for (;;) {
        ncclResult_t state = ncclSuccess, result = room->nccl->comm_get_async_error(comm, &state);
        state = result != ncclSuccess ? result : state;
        if (state == ncclSuccess)
            return DIST_OK;
        if (state != ncclInProgress)
            return nccl_explain(room->nccl, state, why, why_size);
        if (world_failed(&room->self->world))
            return nccl_job_failed(room, why, why_size);
        if (patience_spin(&patience))
            continue;
        if (dist_time() > deadline) {
            snprintf(why, why_size,
                     "NCCL has been making connections for %g s, so some rank does not take part "
                     "(DIST_TIMEOUT=SECONDS waits longer)",
                     limit);
            return DIST_ERR_TIMEOUT;
        }
        nanosleep(&nap, NULL);
        if (nap.tv_nsec < LONG_NAP)
            nap.tv_nsec += nap.tv_nsec / 4;
        launch_look_around(room->self);
    }
}

struct hope {
    struct nccl_room *room;
    const struct dist_work *op;
};

static bool news(void *argument)
{
    const struct hope *hope = argument;
    watch_progress(hope->room);
    return atomic_load(&hope->op->done) || world_failed(&hope->room->self->world);
}

int watch_wait(struct nccl_room *room, struct dist_work *op, double deadline)
{
    struct patience patience = { 0 };
    struct hope hope = { room, op };
    struct rank_slot *slot = room->slot;
    while (!news(&hope) || world_failed(&room->self->world)) {
        if (!world_failed(&room->self->world) && patience_spin(&patience))
            continue;
        watch_look(room);
        if (atomic_load(&op->done) || room->failed)
            break;
        if (deadline > 0 && dist_time() > deadline)
            return DIST_ERR_TIMEOUT;
        atomic_store(&room->notes->open_count, 0);
        atomic_store(&slot->sleep.bell, world_offset(&room->self->world, &slot->bell));
        atomic_store(&slot->sleep.timed, 1); /* NCCL goes on, or DIST_TIMEOUT ends it */
        bell_sleep(&slot->bell, news, &hope, NAP, &slot->sleep);
        launch_look_around(room->self);
    }
    return op->status;
}
