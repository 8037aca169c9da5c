/*
 * progress.c: how an op gets from its call to NCCL, on one machine.
 *
 *   posted   -->   shown   -->   agreed   -->   flying   -->   over
 *
 * POSTED, it waits until the work before it in its stream is sure to pass; what its rank posted later waits behind it. SHOWN, it
 * stands in the match table (agree.h). AGREED, it is to be given to NCCL in its turn, and FLYING, that is done (launch.c). Ops on host
 * tensors and barriers need no NCCL, and are over when they are agreed on (host.c).
 *
 * Whoever comes by does what can be done: the rank's own thread in each of its calls, and while the program computes, a
 * thread of the backend, the progress thread. It sleeps, on the rank's bell while there is something to agree on, else
 * on the helper's, which rings when there is. One lock makes sure that only one of them is at it.
 */
#define _GNU_SOURCE
#include "agree.h"

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
    if (!agree_show(room, op))
        return false;
    queue_add(&room->shown, queue_take(&room->posted, &room->posted.first));
    atomic_store(&op->begun, 1);
    return true;
}

/* What differs is told to all whom it concerns. */
static int judge(struct nccl_room *room, struct dist_work *op, const struct table_entry *entry)
{
    const struct table_entry *first = entry->stray ? table_at(room->table, entry->first) : NULL;
    const struct table_entry *stray = entry->stray ? table_at(room->table, entry->stray) : NULL;
    if (entry->clash.sent != entry->clash.expected)
        return splits_tell(op, &entry->clash);
    if (!stray)
        return DIST_OK;
    return op->p2p ? claims_tell_message(op, first->rank, &first->claim, stray->rank, &stray->claim)
                   : claims_tell(op, first->rank, &first->claim, stray->rank, &stray->claim);
}

static bool take_next(struct nccl_room *room)
{
    struct table_entry entry;
    uint32_t number = agree_take(room, &entry);
    if (!number)
        return false;
    struct dist_work *op = table_op(&entry);
    int status = judge(room, op, &entry);
    if (status == DIST_OK && entry.claim.host && !host_go(room, op, &entry, number))
        return true;
    queue_remove(&room->shown, op);
    if (op->p2p && !op->sends)
        op->from = entry.peer;
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

bool progress_drive(struct nccl_room *room)
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

/* ---- the progress thread -------------------------------------------------------------------------- */

static bool has_work(const struct nccl_room *room)
{
    return room->posted.first || room->shown.first || room->agreed.first;
}

/* The rank's own thread may wait for what the progress thread has done. */
static bool progress_news(void *argument)
{
    struct nccl_room *room = argument;
    room_lock(room);
    bool moved = progress_drive(room), stop = room->progress_stops;
    if (moved)
        bell_ring(&room->slot->bell);
    room_unlock(room);
    return moved || stop;
}

static void *progress_main(void *argument)
{
    struct nccl_room *room = argument;
    struct rank_slot *slot = room->slot;
    struct sleep_note *note = &room->notes->helper_sleep;
    launch_become(room->self);
    room->nccl->use(room->stream);
    room_lock(room);
    while (!room->progress_stops) {
        struct bell *bell = has_work(room) ? &slot->bell : &slot->helper;
        double left = launch_wait_left(room);
        room_unlock(room);
        atomic_store(&note->bell, world_offset(&room->self->world, bell));
        atomic_store(&note->timed, left > 0);
        bell_sleep_for(bell, progress_news, room, left > 0 ? (int64_t)(left * 1e9) : (int64_t)NAP * 1000000,
                       note);
        room_lock(room);
    }
    room_unlock(room);
    return NULL;
}

static bool progress_start(struct nccl_room *room)
{
    struct sleep_note *note = &room->notes->helper_sleep;
    if (room->progress_runs)
        return true;
    atomic_store(&note->bell, world_offset(&room->self->world, &room->slot->helper));
    atomic_store(&note->epoch, 2);
    room->progress_runs = pthread_create(&room->progress, NULL, progress_main, room) == 0;
    if (!room->progress_runs)
        atomic_store(&note->epoch, 0);
    return room->progress_runs;
}

void progress_stop(struct nccl_room *room)
{
    if (!room->progress_runs)
        return;
    room_lock(room);
    room->progress_stops = true;
    room_unlock(room);
    bell_strike(&room->slot->bell);
    bell_strike(&room->slot->helper);
    pthread_join(room->progress, NULL);
    room->progress_runs = false;
    atomic_store(&room->notes->helper_sleep.epoch, 0);
}

/* ---- posting --------------------------------------------------------------------------------------- */

int progress_post(struct nccl_room *room, struct dist_work *op)
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
        progress_drive(room);
    }
    bool wake = !busy && has_work(room);
    if (wake && !progress_start(room))
        watch_fail(room, DIST_ERR_SYSTEM, "the system gives no thread for communication in the background");
    if (room->failed)
        status = op->status;
    room_unlock(room);
    if (wake)
        bell_ring(&room->slot->helper);
    return status;
}

int progress_wait(struct nccl_room *room, struct dist_work *op, double deadline)
{
    int status = progress_post(room, op);
    return status == DIST_OK ? watch_wait(room, op, deadline) : status;
}
