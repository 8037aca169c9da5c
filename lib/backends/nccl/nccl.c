/* nccl.c: the backend's table of calls. */
#include "state.h"

#include <stdio.h>

#define TESTS_TO_FLUSH 16

/* ---- NCCL by itself --------------------------------------------------------------- */

static int nccl_refuse_host(struct nccl_state *nccl, struct dist_work *op)
{
    return nccl_launch_refuse(
        nccl, op,
        why_fail(
            DIST_ERR_ARGUMENT, &op->why,
            "the tensor lies on the host, and NCCL by itself moves only what lies on a GPU; make it there "
            "(DEVICE=cuda)"));
}

static int nccl_far_message(struct nccl_state *nccl, struct dist_work *op)
{
    if (!op->gpu)
        return nccl_refuse_host(nccl, op);
    if (op->peer == DIST_ANY_SOURCE)
        return nccl_launch_refuse(
            nccl, op,
            why_fail(
                DIST_ERR_ARGUMENT, &op->why,
                "NCCL by itself has to know who sends; name the rank (DIST_ANY_SOURCE works where all ranks "
                "are on one machine)"));
    if (nccl->failed)
        return nccl_launch_refuse(nccl, op, nccl->failed);
    op->from = op->sends ? -1 : op->peer;
    queue_add(&nccl->off, op);
    nccl->asks = 0;
    return DIST_OK;
}

/* The group is of no more use after it has run out of time, and neither is NCCL. */
static int nccl_far_monitored_barrier(struct nccl_state *nccl, struct dist_work *op)
{
    nccl_launch_now(nccl, op, nccl_collect);
    if (!nccl->failed && nccl_watch_wait(nccl, op, dist_time() + op->timeout) == DIST_ERR_TIMEOUT &&
        !nccl->failed) {
        struct why why;
        why_say(&why, "some rank did not come within %g s", op->timeout);
        nccl_watch_fail(nccl, DIST_ERR_TIMEOUT, why.text);
    }
    return op->status;
}

static int nccl_far_collective(struct nccl_state *nccl, struct dist_work *op)
{
    nccl_launch_flush(nccl);
    if (nccl->failed)
        return nccl_launch_refuse(nccl, op, nccl->failed);
    if (op->call == CALL_MONITORED_BARRIER)
        return nccl_far_monitored_barrier(nccl, op);
    if (!op->gpu && op->call != CALL_BARRIER)
        return nccl_refuse_host(nccl, op);
    struct op_queue one = { 0 };
    queue_add(&one, op);
    nccl_check_agree(nccl, &one);
    if (!one.first)
        return op->status;
    int status = nccl_launch_now(nccl, op, nccl_collect);
    return op->gpu || op->async || status != DIST_OK ? status : nccl_watch_wait(nccl, op, 0);
}

/* Who asks for an op that was put off wants it to begin. Who asks for another again and again may wait, without knowing it,
 * for a peer that needs what was put off. */
static void nccl_far_test(struct nccl_state *nccl, const struct dist_work *op)
{
    if (!atomic_load(&op->begun) || ++nccl->asks > TESTS_TO_FLUSH)
        nccl_launch_flush(nccl);
    nccl_watch_look(nccl);
}

/* ---- the backend's calls --------------------------------------------------------------------------- */

static int nccl_monitored_barrier(struct nccl_state *nccl, struct dist_work *op)
{
    if (nccl_progress_wait(nccl, op, dist_time() + op->timeout) != DIST_ERR_TIMEOUT)
        return op->status;
    nccl_lock(nccl);
    if (!atomic_load(&op->done))
        nccl_leave_late(nccl, op);
    nccl_unlock(nccl);
    return op->status;
}

static int nccl_start(void *state, struct dist_work *op)
{
    struct nccl_state *nccl = state;
    if (!op->gpu) { /* only an op on a GPU has these, and only there they are written */
        op->ready = NULL;
        op->gate = NULL;
    }
    if (!nccl->shared)
        return op->p2p ? nccl_far_message(nccl, op) : nccl_far_collective(nccl, op);
    if (op->call == CALL_MONITORED_BARRIER)
        return nccl_monitored_barrier(nccl, op);
    return op->gpu || op->async ? nccl_progress_post(nccl, op) : nccl_progress_wait(nccl, op, 0);
}

static bool nccl_test(void *state, struct dist_work *op)
{
    struct nccl_state *nccl = state;
    if (!nccl->shared) {
        nccl_far_test(nccl, op);
        return atomic_load(&op->done);
    }
    nccl_lock(nccl);
    nccl->asked = true;
    nccl_progress_drive(nccl);
    nccl_watch_look(nccl);
    nccl_unlock(nccl);
    return atomic_load(&op->done);
}

/* For an op on a GPU a stream waits, not we. */
static int nccl_wait(void *state, struct dist_work *op)
{
    struct nccl_state *nccl = state;
    if (!nccl->shared)
        nccl_launch_flush(nccl);
    if (!op->gpu)
        return nccl_watch_wait(nccl, op, 0);
    if (!atomic_load(&op->done))
        nccl_test(nccl, op);
    return op->status;
}

/* The host waits for a stream. Over several machines nothing is noted: what NCCL has begun it goes on with, whoever
 * sleeps; and what was put off stays so: no stream waits for it, and what it shall go together with may come later. */
static void nccl_note(void *state, const struct dist_work *op)
{
    struct nccl_state *nccl = state;
    nccl_lock(nccl);
    nccl_watch_look(nccl);
    nccl_progress_note(nccl, op);
    nccl_unlock(nccl);
}

const struct backend backend_nccl = {
    .name = "nccl",
    .on_streams = true,
    .open = nccl_open,
    .leave = nccl_leave,
    .close = nccl_close,
    .group_new = nccl_group_new,
    .group_free = nccl_group_free,
    .send = nccl_start,
    .recv = nccl_start,
    .collective = nccl_start,
    .test = nccl_test,
    .wait = nccl_wait,
    .note = nccl_note,
};
