/*
 * watch.c: looks after what is under way.
 *
 * A kernel of NCCL that waits for a rank which never comes does not end by itself, and nobody is told. So the host, where it
 * waits, looks: has NCCL noted an error, has the job failed elsewhere, has nothing ended for DIST_TIMEOUT seconds? Then all
 * communicators are aborted. That ends NCCL's kernels, the streams go on, and all that was under way is over, with a status.
 */
#define _GNU_SOURCE
#include "agree.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NAP 20           /* ms, while NCCL is at work; whoever has news rings */
#define DEEP_NAP 100     /* ms, while other ranks are waited for */
#define SHORT_NAP 50000L /* ns, while NCCL works in the background: it cannot ring */
#define LONG_NAP 1000000L
#define ONE_LOOK 1.0 /* s: a longer time between two looks was not spent waiting */

/* ---- failing ------------------------------------------------------------------------------ */

/* What a flying op has aside is an event; else it is a result (host.c). */
static void end_all(struct nccl_room *room, struct op_queue *queue)
{
    for (struct dist_work *op = queue->first, *next; op; op = next) {
        next = op->next;
        if (queue != &room->flying)
            free(op->aside);
        else if (!op->gate && op->aside)
            room->device->event_free(op->aside);
        op->aside = NULL;
        if (op->step == STEP_ASIDE)
            aside_forget(room, op);
        else
            launch_refuse(room, op, room->failed);
    }
    queue_reset(queue);
}

void watch_fail(struct nccl_room *room, int status, const char *why)
{
    if (room->failed)
        return;
    room->failed = status;
    snprintf(room->why, sizeof room->why, "%s", why);
    groups_abort(room);
    if (room->shared)
        agree_withdraw(room, NULL);
    end_all(room, &room->flying);
    end_all(room, &room->off);
    end_all(room, &room->agreed);
    end_all(room, &room->shown);
    end_all(room, &room->posted);
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
        if (op->step == STEP_ASIDE)
            aside_forget(room, op);
        else
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

static void run_out(struct nccl_room *room, const struct dist_work *op)
{
    char why[200];
    if (op == room->flying.first)
        snprintf(why, sizeof why,
                 "NCCL has not ended it within %g s, so some rank does not take part (%sDIST_TIMEOUT=SECONDS "
                 "waits "
                 "longer)",
                 room->limit, !room->shared && !room->checked ? "DIST_CHECK=1 tells what differs, " : "");
    else
        snprintf(
            why, sizeof why,
            "not all of those that take part in it have come within %g s (DIST_TIMEOUT=SECONDS waits longer)",
            room->limit);
    watch_fail(room, DIST_ERR_TIMEOUT, why);
}

/* Only time in which the host came by to look counts: one that computes meanwhile does not wait. */
static void look_at_clock(struct nccl_room *room)
{
    const struct dist_work *op = room->flying.first ? room->flying.first : room->shown.first;
    while (op && op->step == STEP_ASIDE) /* nobody waits for it */
        op = op->next;
    double now = dist_time(), passed = now - room->seen;
    room->seen = now;
    if (!op || op->ticket != room->oldest) {
        room->oldest = op ? op->ticket : 0;
        room->waited = 0;
        return;
    }
    room->waited += passed < ONE_LOOK ? passed : ONE_LOOK;
    if (room->waited >= room->limit)
        run_out(room, op);
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

void watch_sleep(struct nccl_room *room, const struct dist_work *op, bool (*news)(void *), void *argument,
                 bool timed)
{
    struct rank_slot *slot = room->slot;
    atomic_store(&slot->sleep.bell, world_offset(&room->self->world, &slot->bell));
    atomic_store(&slot->sleep.timed, timed);
    room_lock(room);
    if (room->shared)
        nccl_notes_write(room, op);
    else
        atomic_store(&room->notes->open_count, 0);
    bool busy = room->flying.first;
    room_unlock(room);
    bell_sleep(&slot->bell, news, argument, busy || timed ? NAP : DEEP_NAP, &slot->sleep);
    launch_look_around(room->self);
}

struct hope {
    struct nccl_room *room;
    const struct dist_work *op;
};

static bool news(void *argument)
{
    const struct hope *hope = argument;
    struct nccl_room *room = hope->room;
    room_lock(room);
    room->asked = true;
    if (room->shared)
        progress_drive(room);
    else
        watch_progress(room);
    room_unlock(room);
    return atomic_load(&hope->op->done) || world_failed(&room->self->world);
}

/* Without shared memory nobody else can tell that nothing moves: NCCL goes on, or DIST_TIMEOUT ends it. */
int watch_wait(struct nccl_room *room, struct dist_work *op, double deadline)
{
    struct patience patience = { 0 };
    struct hope hope = { room, op };
    while (!news(&hope) || world_failed(&room->self->world)) {
        if (!world_failed(&room->self->world) && patience_spin(&patience))
            continue;
        room_lock(room);
        watch_look(room);
        bool over = atomic_load(&op->done) || room->failed;
        room_unlock(room);
        if (over)
            break;
        if (deadline > 0 && dist_time() > deadline)
            return DIST_ERR_TIMEOUT;
        watch_sleep(room, op, news, &hope, deadline > 0 || !room->shared);
    }
    return op->status;
}
