/* nccl.c: the backend's table of calls. */
#include "state.h"

#define TESTS_TO_FLUSH 16

/* ---- starting ---------------------------------------------------------------------------------- */

/* What NCCL by itself cannot do: op->why says it. */
static bool nccl_is_beyond(struct dist_work *op)
{
    if (!op->gpu && op->call != CALL_BARRIER && op->call != CALL_MONITORED_BARRIER)
        why_say(
            &op->why,
            "the tensor lies on the host, and NCCL by itself moves only what lies on a GPU; make it there "
            "(DEVICE=cuda)");
    else if (op->p2p && op->peer == DIST_ANY_SOURCE)
        why_say(&op->why,
                "NCCL by itself has to know who sends; name the rank (DIST_ANY_SOURCE works where all ranks "
                "are on one machine)");
    else
        return false;
    return true;
}

/* Where nothing is shared nobody knows who has not come; and after it the group is of no more use, and neither is NCCL. */
static void nccl_give_up_barrier(struct nccl_state *nccl, struct dist_work *op)
{
    struct why why;
    if (nccl->shared) {
        nccl_leave_late(nccl, op);
        return;
    }
    why_say(&why, "some rank did not come within %g s", op->timeout);
    nccl_watch_fail(nccl, DIST_ERR_TIMEOUT, why.text);
}

static int nccl_monitored_barrier(struct nccl_state *nccl, struct dist_work *op)
{
    if (nccl_progress_wait(nccl, op, dist_time() + op->timeout) != DIST_ERR_TIMEOUT)
        return op->status;
    nccl_lock(nccl);
    if (!atomic_load(&op->done))
        nccl_give_up_barrier(nccl, op);
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
    if (!nccl->shared && nccl_is_beyond(op))
        return nccl_launch_end(nccl, op, DIST_ERR_ARGUMENT);
    if (op->call == CALL_MONITORED_BARRIER)
        return nccl_monitored_barrier(nccl, op);
    return op->gpu || op->async ? nccl_progress_post(nccl, op) : nccl_progress_wait(nccl, op, 0);
}

/* ---- asking ------------------------------------------------------------------------------------ */

static bool nccl_look(struct nccl_state *nccl, const struct dist_work *op, bool asked)
{
    nccl_lock(nccl);
    nccl->asked |= asked;
    nccl_progress_drive(nccl);
    nccl_watch_look(nccl);
    nccl_unlock(nccl);
    return atomic_load(&op->done);
}

/* Who asks for an op that was put off wants it to begin. Who asks for another again and again may wait, without knowing it,
 * for a peer that needs what was put off. */
static bool nccl_test(void *state, struct dist_work *op)
{
    struct nccl_state *nccl = state;
    return nccl_look(nccl, op, nccl->shared || !atomic_load(&op->begun) || ++nccl->asks > TESTS_TO_FLUSH);
}

/* For an op on a GPU a stream waits, not we. */
static int nccl_wait(void *state, struct dist_work *op)
{
    struct nccl_state *nccl = state;
    if (!op->gpu)
        return nccl_watch_wait(nccl, op, 0);
    if (!nccl->shared || !atomic_load(&op->done))
        nccl_look(nccl, op, true);
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
