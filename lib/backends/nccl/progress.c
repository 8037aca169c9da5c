/*
 * progress.c: how an op gets from its call to NCCL.
 *
 *   posted   -->   shown   -->   agreed   -->   flying   -->   over
 *
 * POSTED, it waits until the work before it in its stream is sure to pass; what its rank posted later waits behind it. SHOWN, it
 * stands in the match table (agree.h). AGREED, it is to be given to NCCL in its turn, and FLYING, that is done (launch.c). Ops on host
 * tensors and barriers need no NCCL, and are over when they are agreed on (host.c). Where ranks share no memory there is nobody to agree
 * with, and every op begins as one that was agreed on.
 *
 * Whoever comes by does what can be done: the rank's own thread in each of its calls, and on one machine, while the program computes, a
 * thread of the backend, the progress thread. It sleeps, on the rank's event count while there is something to agree on, else
 * on the progress thread's, which is notified when there is. One lock makes sure that only one of them is at it.
 */
#include "agree.h"
#include "../common/notes.h"

#define NAP 100 /* ms after which a sleeper looks whether the job still stands */

/* ---- from one queue to the next ------------------------------------------------------------- */

/* Its copy is posted in its place; the send itself is over, once that is made. */
static void nccl_progress_send_eagerly(struct nccl_state *nccl, struct dist_work *op)
{
    struct dist_work *copy = nccl_eager_copy(nccl, op);
    if (!copy) {
        nccl_watch_fail(nccl, DIST_ERR_MEMORY, "there is no memory left to copy the message aside");
        return;
    }
    queue_take(&nccl->posted, &nccl->posted.first);
    queue_add_first(&nccl->posted, copy);
    atomic_store(&op->begun, 1);
    if (op->gpu)
        queue_add(&nccl->flying, op);
    else
        atomic_store(&op->done, 1);
}

static bool nccl_progress_show_next(struct nccl_state *nccl)
{
    struct dist_work *op = nccl->posted.first;
    if (!op || (op->ready && !mark_sure(op->ready)))
        return false;
    if (nccl_eager_wanted(nccl, op) && op->step != STEP_EAGER_COPY) {
        nccl_progress_send_eagerly(nccl, op);
        return true;
    }
    if (!nccl_agree_show(nccl, op))
        return false;
    queue_add(&nccl->shown, queue_take(&nccl->posted, &nccl->posted.first));
    atomic_store(&op->begun, 1);
    return true;
}

/* What differs is told to all whom it concerns. */
static int nccl_progress_judge(struct nccl_state *nccl, struct dist_work *op, const struct table_entry *entry)
{
    const struct table_entry *first = entry->differing ? table_at(nccl->shared, entry->first) : NULL;
    const struct table_entry *differing = entry->differing ? table_at(nccl->shared, entry->differing) : NULL;
    if (entry->clash.sent != entry->clash.expected)
        return splits_tell(op, &entry->clash);
    if (!differing)
        return DIST_OK;
    return op->p2p ? claims_tell_message(op, first->rank, &first->claim, differing->rank, &differing->claim)
                   : claims_tell(op, first->rank, &first->claim, differing->rank, &differing->claim);
}

static bool nccl_progress_take_next(struct nccl_state *nccl)
{
    struct table_entry entry;
    uint32_t number = nccl_agree_take(nccl, &entry);
    if (!number)
        return false;
    struct dist_work *op = table_op(&entry);
    int status = nccl_progress_judge(nccl, op, &entry);
    if (status == DIST_OK && entry.claim.host && !nccl_host_run(nccl, op, &entry, number))
        return true;
    queue_remove(&nccl->shown, op);
    if (op->p2p && !op->sends)
        op->from = entry.peer;
    if (status == DIST_OK && (op->gpu || op->call == CALL_NEW_GROUP))
        nccl_launch_later(nccl, op);
    else
        nccl_launch_end(nccl, op, status); /* of a copy the receiver tells what was wrong */
    return true;
}

bool nccl_progress_drive(struct nccl_state *nccl)
{
    bool moved = false, more = !nccl->failed;
    if (nccl_watch_job(nccl))
        return true;
    while (more && !nccl->failed) {
        more = nccl_progress_show_next(nccl);
        more |= nccl->shared && nccl_progress_take_next(nccl);
        if (!more)
            more = nccl_launch_agreed(nccl);
        moved |= more;
    }
    nccl_watch_progress(nccl);
    return moved;
}

/* ---- what this rank waits for, written down before it sleeps (launch/note.h) --------------------- */

static void nccl_progress_note_queue(struct nccl_state *nccl, const struct op_queue *queue,
                                     const struct dist_work *waited, bool first)
{
    bool shown = queue == &nccl->shown;
    for (const struct dist_work *op = queue->first; op; op = op->next) {
        if ((op == waited) != first || op->step == STEP_EAGER_COPY)
            continue;
        uint32_t seq = shown ? op->phase : op->group->seq + 1;
        struct note_op *note = notes_add(launch_notes(nccl->self), op, shown, seq);
        if (note)
            note->behind = op->p2p && !shown;
    }
}

/* While NCCL is at work, it is not the other ranks that hold us up: DIST_TIMEOUT ends that. */
void nccl_progress_note(struct nccl_state *nccl, const struct dist_work *waited)
{
    struct sleep_note *note = launch_note(nccl->self);
    notes_clear(launch_notes(nccl->self));
    if (!nccl->shared)
        return;
    if (note && (nccl->flying.first || nccl->agreed.first))
        atomic_store(&note->timed, 1);
    nccl_progress_note_queue(nccl, &nccl->shown, waited, true);
    nccl_progress_note_queue(nccl, &nccl->posted, waited, true);
    nccl_progress_note_queue(nccl, &nccl->shown, waited, false);
    nccl_progress_note_queue(nccl, &nccl->posted, waited, false);
    nccl_agree_lock(nccl->shared);
    table_note(nccl->shared, nccl->rank, launch_notes(nccl->self));
    pthread_mutex_unlock(&nccl->shared->lock);
}

/* ---- the progress thread -------------------------------------------------------------------------- */

static bool nccl_progress_has_work(const struct nccl_state *nccl)
{
    return nccl->posted.first || nccl->shown.first || nccl->agreed.first;
}

/* The rank's own thread may wait for what the progress thread has done. */
static bool nccl_progress_news(void *argument)
{
    struct nccl_state *nccl = argument;
    nccl_lock(nccl);
    bool moved = nccl_progress_drive(nccl), stop = nccl->progress_stops;
    if (moved)
        eventcount_notify(&launch_slot(nccl->self)->eventcount);
    nccl_unlock(nccl);
    return moved || stop;
}

static void nccl_progress_main(void *argument)
{
    struct nccl_state *nccl = argument;
    struct rank_slot *slot = launch_slot(nccl->self);
    struct sleep_note *note = &launch_notes(nccl->self)->progress_sleep;
    nccl->calls->use(nccl->stream);
    nccl_lock(nccl);
    while (!nccl->progress_stops) {
        struct eventcount *eventcount = nccl_progress_has_work(nccl) ? &slot->eventcount : &slot->progress;
        double left = nccl_launch_wait_left(nccl);
        nccl_unlock(nccl);
        atomic_store(&note->eventcount, world_offset(&nccl->self->world, eventcount));
        atomic_store(&note->timed, left > 0);
        eventcount_sleep_for(eventcount, nccl_progress_news, nccl,
                             left > 0 ? (int64_t)(left * 1e9) : (int64_t)NAP * 1000000, note);
        nccl_lock(nccl);
    }
    nccl_unlock(nccl);
}

void nccl_progress_stop(struct nccl_state *nccl)
{
    if (!nccl->progress.runs)
        return;
    nccl_lock(nccl);
    nccl->progress_stops = true;
    nccl_unlock(nccl);
    eventcount_advance(&launch_slot(nccl->self)->eventcount);
    eventcount_advance(&launch_slot(nccl->self)->progress);
    worker_join(&nccl->progress);
}

/* ---- posting --------------------------------------------------------------------------------------- */

/* Where nothing is shared there is nobody to agree with. */
static void nccl_progress_add(struct nccl_state *nccl, struct dist_work *op)
{
    if (nccl->shared) {
        queue_add(&nccl->posted, op);
        return;
    }
    op->from = op->p2p && !op->sends ? op->peer : -1;
    nccl_launch_later(nccl, op);
}

int nccl_progress_post(struct nccl_state *nccl, struct dist_work *op)
{
    nccl_lock(nccl);
    bool busy = nccl_progress_has_work(nccl);
    int status = DIST_OK;
    if (nccl->failed)
        status = nccl_launch_end(nccl, op, nccl->failed);
    op->ticket = ++nccl->tickets;
    op->aside = NULL;
    nccl->asked = !op->p2p;
    nccl->asks = 0;
    if (status == DIST_OK) {
        nccl_progress_add(nccl, op);
        nccl_progress_drive(nccl);
    }
    bool wake = nccl->shared && !busy && nccl_progress_has_work(nccl);
    if (wake && !worker_start_progress(&nccl->progress, nccl->self, nccl_progress_main, nccl))
        nccl_watch_fail(nccl, DIST_ERR_SYSTEM, BACKEND_NO_THREAD);
    if (nccl->failed || !nccl->shared)
        status = op->status;
    nccl_unlock(nccl);
    if (wake)
        eventcount_notify(&launch_slot(nccl->self)->progress);
    return status;
}

int nccl_progress_wait(struct nccl_state *nccl, struct dist_work *op, double deadline)
{
    int status = nccl_progress_post(nccl, op);
    return status == DIST_OK ? nccl_watch_wait(nccl, op, deadline) : status;
}
