/*
 * clerk.c: how an op gets from its call to NCCL, on one machine.
 *
 *   posted   -->   shown   -->   agreed   -->   flying   -->   over
 *
 * POSTED, it waits until the work before it in its stream is sure to pass; what its rank posted later waits behind it. SHOWN, it
 * lies on the desk (desk.h). AGREED, it is to be given to NCCL in its turn, and FLYING, that is done (launch.c). Ops on host
 * tensors and barriers need no NCCL, and are over when they are agreed on (host.c).
 *
 * Whoever comes by does what can be done: the rank's own thread in each of its calls, and while the program computes, a
 * thread of the room's, the clerk. It sleeps, on the rank's bell while there is something to agree on, else
 * on the helper's, which rings when there is. One lock makes sure that only one of them is at it.
 */
#define _GNU_SOURCE
#include "desk.h"

#include <stdio.h>

#define NAP 100 /* ms after which a sleeper looks whether the job still stands */

/* ---- from one queue to the next ------------------------------------------------------------- */

static bool can_be_shown(const struct nccl_room *room, const struct dist_work *op)
{
    return !op->ready || room->device->event_sure(op->ready);
}

/* Its copy is posted in its place; the send itself is over, once that is made. */
static void put_aside(struct nccl_room *room, struct dist_work *op)
{
    struct dist_work *copy = aside_new(room, op);
    if (!copy) {
        watch_fail(room, DIST_ERR_MEMORY, "there is no memory left to copy the message aside");
        return;
    }
    queue_take(&room->posted, &room->posted.first);
    copy->next = room->posted.first;
    if (!copy->next)
        room->posted.end = &copy->next;
    room->posted.first = copy;
    atomic_store(&op->begun, 1);
    if (op->gpu)
        queue_add(&room->flying, op);
    else
        atomic_store(&op->done, 1);
}

static bool show_next(struct nccl_room *room)
{
    struct dist_work *op = room->posted.first;
    if (!op || !can_be_shown(room, op))
        return false;
    if (aside_wanted(room, op) && op->step != STEP_ASIDE) {
        put_aside(room, op);
        return true;
    }
    if (!desk_show(room, op))
        return false;
    queue_add(&room->shown, queue_take(&room->posted, &room->posted.first));
    atomic_store(&op->begun, 1);
    return true;
}

/* What differs is told to all whom it concerns. */
static int judge(struct nccl_room *room, struct dist_work *op, const struct slip *slip)
{
    const struct slip *first = slip->stray ? slip_at(room->desk, slip->first) : NULL;
    const struct slip *stray = slip->stray ? slip_at(room->desk, slip->stray) : NULL;
    if (!stray)
        return DIST_OK;
    return op->p2p ? cards_tell_message(op, first->rank, &first->card, stray->rank, &stray->card)
                   : cards_tell(op, first->rank, &first->card, stray->rank, &stray->card);
}

static bool take_next(struct nccl_room *room)
{
    struct slip slip;
    uint32_t number = desk_take(room, &slip);
    if (!number)
        return false;
    struct dist_work *op = op_of(&slip);
    int status = judge(room, op, &slip);
    if (status == DIST_OK && slip.card.host && !host_go(room, op, &slip, number))
        return true;
    queue_remove(&room->shown, op);
    if (op->p2p && !op->sends)
        op->from = slip.peer;
    if (status == DIST_OK && (op->gpu || op->call == CALL_NEW_GROUP)) {
        launch_later(room, op);
    } else if (op->step == STEP_ASIDE) {
        aside_forget(room, op); /* the receiver tells what was wrong */
    } else if (status != DIST_OK) {
        launch_refuse(room, op, status);
    } else {
        atomic_store(&op->done, 1);
    }
    return true;
}

bool clerk_drive(struct nccl_room *room)
{
    bool moved = false, more = !room->failed;
    if (more && world_failed(&room->self->world)) {
        char why[200];
        int status = nccl_job_failed(room, why, sizeof why);
        watch_fail(room, status, why);
        return true;
    }
    while (more && !room->failed) {
        more = show_next(room);
        more |= take_next(room);
        if (!more)
            more = launch_agreed(room);
        moved |= more;
    }
    watch_progress(room);
    return moved;
}

/* ---- the clerk --------------------------------------------------------------------------------- */

static bool has_work(const struct nccl_room *room)
{
    return room->posted.first || room->shown.first || room->agreed.first;
}

/* The rank's own thread may wait for what the clerk has done. */
static bool clerk_news(void *argument)
{
    struct nccl_room *room = argument;
    room_lock(room);
    bool moved = clerk_drive(room), stop = room->clerk_stops;
    if (moved)
        bell_ring(&room->slot->bell);
    room_unlock(room);
    return moved || stop;
}

static void *clerk_main(void *argument)
{
    struct nccl_room *room = argument;
    struct rank_slot *slot = room->slot;
    struct sleep_note *note = &room->notes->helper_sleep;
    launch_become(room->self);
    room_lock(room);
    while (!room->clerk_stops) {
        struct bell *bell = has_work(room) ? &slot->bell : &slot->helper;
        double left = launch_wait_left(room);
        room_unlock(room);
        atomic_store(&note->bell, world_offset(&room->self->world, bell));
        atomic_store(&note->timed, left > 0);
        bell_sleep_for(bell, clerk_news, room, left > 0 ? (int64_t)(left * 1e9) : (int64_t)NAP * 1000000,
                       note);
        room_lock(room);
    }
    room_unlock(room);
    return NULL;
}

static bool start_clerk(struct nccl_room *room)
{
    struct sleep_note *note = &room->notes->helper_sleep;
    if (room->clerk_runs)
        return true;
    atomic_store(&note->bell, world_offset(&room->self->world, &room->slot->helper));
    atomic_store(&note->epoch, 2);
    room->clerk_runs = pthread_create(&room->clerk, NULL, clerk_main, room) == 0;
    if (!room->clerk_runs)
        atomic_store(&note->epoch, 0);
    return room->clerk_runs;
}

void clerk_stop(struct nccl_room *room)
{
    if (!room->clerk_runs)
        return;
    room_lock(room);
    room->clerk_stops = true;
    room_unlock(room);
    bell_strike(&room->slot->bell);
    bell_strike(&room->slot->helper);
    pthread_join(room->clerk, NULL);
    room->clerk_runs = false;
    atomic_store(&room->notes->helper_sleep.epoch, 0);
}

/* ---- posting --------------------------------------------------------------------------------------- */

int clerk_post(struct nccl_room *room, struct dist_work *op)
{
    room_lock(room);
    bool busy = has_work(room);
    int status = DIST_OK;
    if (room->failed)
        status = launch_refuse(room, op, room->failed);
    op->ticket = ++room->tickets;
    op->aside = NULL;
    room->asked = !op->p2p;
    if (status == DIST_OK) {
        queue_add(&room->posted, op);
        clerk_drive(room);
    }
    bool wake = !busy && has_work(room);
    if (wake && !start_clerk(room))
        watch_fail(room, DIST_ERR_SYSTEM, "the system gives no thread for communication in the background");
    if (room->failed)
        status = op->status;
    room_unlock(room);
    if (wake)
        bell_ring(&room->slot->helper);
    return status;
}

int clerk_wait(struct nccl_room *room, struct dist_work *op, double deadline)
{
    int status = clerk_post(room, op);
    return status == DIST_OK ? watch_wait(room, op, deadline) : status;
}
