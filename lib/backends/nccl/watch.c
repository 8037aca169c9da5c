/*
 * watch.c: looks after what is under way.
 *
 * A kernel of NCCL that waits for a rank which never comes does not end by itself, and nobody is told. So the host, where it
 * waits, looks: has NCCL noted an error, has the job failed elsewhere, has nothing ended for DIST_TIMEOUT seconds? Then all
 * communicators are aborted. That ends NCCL's kernels, the streams go on, and all that was under way is over, with a status.
 */
#define _GNU_SOURCE
#include "agree.h"

#include <stdlib.h>
#include <time.h>

#define NAP 20           /* ms, while NCCL is at work; whoever has news notifies */
#define DEEP_NAP 100     /* ms, while other ranks are waited for */
#define SHORT_NAP 50000L /* ns, while NCCL works in the background: it cannot notify */
#define LONG_NAP 1000000L
#define ONE_LOOK 1.0 /* s: a longer time between two looks was not spent waiting */

/* ---- failing ------------------------------------------------------------------------------ */

void nccl_watch_end_all(struct nccl_state *nccl, struct op_queue *queue)
{
    for (struct dist_work *op = queue->first, *next; op; op = next) {
        next = op->next;
        if (queue != &nccl->flying)
            free(op->result);
        else if (!op->gate && op->mark)
            mark_free(op->mark);
        op->mark = NULL;
        nccl_launch_end(nccl, op, nccl->failed);
    }
    *queue = (struct op_queue){ 0 };
}

void nccl_watch_fail(struct nccl_state *nccl, int status, const char *why)
{
    if (nccl->failed)
        return;
    nccl->failed = status;
    why_say(&nccl->why, "%s", why);
    nccl_groups_abort(nccl);
    if (nccl->shared)
        nccl_agree_withdraw(nccl, NULL);
    nccl_watch_end_all(nccl, &nccl->flying);
    nccl_watch_end_all(nccl, &nccl->agreed);
    nccl_watch_end_all(nccl, &nccl->shown);
    nccl_watch_end_all(nccl, &nccl->posted);
}

bool nccl_watch_job(struct nccl_state *nccl)
{
    struct why why;
    if (nccl->failed || !world_failed(&nccl->self->world))
        return false;
    int status = backend_failed(&nccl->self->world, &why);
    nccl_watch_fail(nccl, status, why.text);
    return true;
}

/* ---- looking -------------------------------------------------------------------------------- */

/* They end in the order in which they were launched: the stream has one. */
void nccl_watch_progress(struct nccl_state *nccl)
{
    for (struct dist_work *op; (op = nccl->flying.first);) {
        struct event *end = op->gate ? op->gate : op->mark;
        if (!end || !mark_passed(end))
            break;
        queue_remove(&nccl->flying, op);
        if (!op->gate)
            mark_free(op->mark);
        op->mark = NULL;
        if (op->step == STEP_EAGER_COPY)
            nccl_eager_free(nccl, op);
        else
            atomic_store(&op->done, 1);
    }
}

static void nccl_watch_look_at_nccl(struct nccl_state *nccl)
{
    for (struct nccl_group *g = nccl->groups; g && !nccl->failed; g = g->next) {
        ncclResult_t state = ncclSuccess;
        struct why why;
        ncclResult_t result = nccl->calls->comm_get_async_error(g->comm, &state);
        state = result != ncclSuccess ? result : state;
        if (state != ncclSuccess && state != ncclInProgress) {
            int status = nccl_explain(nccl->calls, state, &why);
            nccl_watch_fail(nccl, status, why.text);
        }
    }
}

static void nccl_watch_run_out(struct nccl_state *nccl, const struct dist_work *op)
{
    struct why why;
    if (op == nccl->flying.first)
        why_say(&why,
                "NCCL has not ended it within %g s, so some rank does not take part (%sDIST_TIMEOUT=SECONDS "
                "waits longer)",
                nccl->limit, !nccl->shared && !nccl->checked ? "DIST_CHECK=1 tells what differs, " : "");
    else
        why_say(
            &why,
            "not all of those that take part in it have come within %g s (DIST_TIMEOUT=SECONDS waits longer)",
            nccl->limit);
    nccl_watch_fail(nccl, DIST_ERR_TIMEOUT, why.text);
}

/* Only time in which the host came by to look counts: one that computes meanwhile does not wait. */
static void nccl_watch_look_at_clock(struct nccl_state *nccl)
{
    const struct dist_work *op = nccl->flying.first ? nccl->flying.first : nccl->shown.first;
    while (op && op->step == STEP_EAGER_COPY) /* nobody waits for it */
        op = op->next;
    double now = dist_time(), passed = now - nccl->seen;
    nccl->seen = now;
    if (!op || op->ticket != nccl->oldest) {
        nccl->oldest = op ? op->ticket : 0;
        nccl->waited = 0;
        return;
    }
    nccl->waited += passed < ONE_LOOK ? passed : ONE_LOOK;
    if (nccl->waited >= nccl->limit)
        nccl_watch_run_out(nccl, op);
}

void nccl_watch_look(struct nccl_state *nccl)
{
    nccl_watch_progress(nccl);
    if (nccl->failed || nccl_watch_job(nccl))
        return;
    nccl_watch_look_at_nccl(nccl);
    if (!nccl->failed)
        nccl_watch_look_at_clock(nccl);
}

/* ---- waiting -------------------------------------------------------------------------------- */

int nccl_watch_settle(struct nccl_state *nccl, ncclComm_t comm, double seconds, struct why *why)
{
    double limit = seconds > 0 ? seconds : nccl->limit, deadline = dist_time() + limit;
    struct timespec nap = { .tv_nsec = SHORT_NAP };
    struct backoff backoff = { 0 };
    for (;;) {
        ncclResult_t state = ncclSuccess, result = nccl->calls->comm_get_async_error(comm, &state);
        state = result != ncclSuccess ? result : state;
        if (state == ncclSuccess)
            return DIST_OK;
        if (state != ncclInProgress)
            return nccl_explain(nccl->calls, state, why);
        if (world_failed(&nccl->self->world))
            return backend_failed(&nccl->self->world, why);
        if (backoff_spin(&backoff))
            continue;
        if (dist_time() > deadline)
            return why_fail(DIST_ERR_TIMEOUT, why,
                            "NCCL has been making connections for %g s, so some rank does not take part "
                            "(DIST_TIMEOUT=SECONDS waits longer)",
                            limit);
        nanosleep(&nap, NULL);
        if (nap.tv_nsec < LONG_NAP)
            nap.tv_nsec += nap.tv_nsec / 4;
        launch_look_around(nccl->self);
    }
}

void nccl_watch_sleep(struct nccl_state *nccl, const struct dist_work *op, bool (*nccl_watch_news)(void *),
                      void *argument, bool timed)
{
    struct eventcount *eventcount = &launch_slot(nccl->self)->eventcount;
    struct sleep_note *note = launch_note_on(nccl->self, eventcount, timed);
    nccl_lock(nccl);
    nccl_progress_note(nccl, op);
    bool busy = nccl->flying.first;
    nccl_unlock(nccl);
    eventcount_sleep(eventcount, nccl_watch_news, argument, busy || timed ? NAP : DEEP_NAP, note);
    launch_look_around(nccl->self);
}

struct awaited {
    struct nccl_state *nccl;
    const struct dist_work *op;
};

static bool nccl_watch_news(void *argument)
{
    const struct awaited *awaited = argument;
    struct nccl_state *nccl = awaited->nccl;
    nccl_lock(nccl);
    nccl->asked = true;
    nccl_progress_drive(nccl);
    nccl_unlock(nccl);
    return atomic_load(&awaited->op->done) || world_failed(&nccl->self->world);
}

/* Without shared memory nobody else can tell that nothing moves: NCCL goes on, or DIST_TIMEOUT ends it. */
int nccl_watch_wait(struct nccl_state *nccl, struct dist_work *op, double deadline)
{
    struct backoff backoff = { 0 };
    struct awaited awaited = { nccl, op };
    while (!nccl_watch_news(&awaited) || world_failed(&nccl->self->world)) {
        if (!world_failed(&nccl->self->world) && backoff_spin(&backoff))
            continue;
        nccl_lock(nccl);
        nccl_watch_look(nccl);
        bool over = atomic_load(&op->done) || nccl->failed;
        nccl_unlock(nccl);
        if (over)
            break;
        if (deadline > 0 && dist_time() > deadline)
            return DIST_ERR_TIMEOUT;
        nccl_watch_sleep(nccl, op, nccl_watch_news, &awaited, deadline > 0 || !nccl->shared);
    }
    return op->status;
}
