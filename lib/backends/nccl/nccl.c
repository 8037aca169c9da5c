/* nccl.c: the room's table of calls. */
#include "check.h"

#include <stdio.h>

#define TESTS_TO_FLUSH 16

/* ---- NCCL by itself --------------------------------------------------------------- */

static int refuse_host(struct nccl_room *room, struct dist_work *op)
{
    snprintf(op->why, sizeof op->why,
             "the tensor lies on the host, and NCCL by itself moves only what lies on a GPU; make it there "
             "(DEVICE=cuda)");
    return launch_refuse(room, op, DIST_ERR_ARGUMENT);
}

static int far_message(struct nccl_room *room, struct dist_work *op)
{
    if (!op->gpu)
        return refuse_host(room, op);
    if (op->peer == DIST_ANY_SOURCE) {
        snprintf(op->why, sizeof op->why,
                 "NCCL by itself has to know who sends; name the rank (DIST_ANY_SOURCE works where all ranks "
                 "are on one machine)");
        return launch_refuse(room, op, DIST_ERR_ARGUMENT);
    }
    op->from = op->sends ? -1 : op->peer;
    return launch_put_off(room, op);
}

static int far_collective(struct nccl_room *room, struct dist_work *op)
{
    launch_flush(room);
    if (room->failed)
        return launch_refuse(room, op, room->failed);
    if (!op->gpu && op->call != CALL_BARRIER)
        return refuse_host(room, op);
    if (check_is_due(room)) {
        struct op_queue one;
        queue_reset(&one);
        queue_add(&one, op);
        check_agree(room, &one);
        if (!one.first)
            return op->status;
    }
    int status = launch_now(room, op, nccl_callers[op->call]);
    return op->gpu || op->async || status != DIST_OK ? status : watch_wait(room, op, 0);
}

/* The group is of no more use after it has run out of time, and neither is NCCL. */
static int far_monitored_barrier(struct nccl_room *room, struct dist_work *op)
{
    launch_flush(room);
    if (room->failed)
        return launch_refuse(room, op, room->failed);
    launch_now(room, op, nccl_callers[op->call]);
    if (!room->failed && watch_wait(room, op, dist_time() + op->timeout) == DIST_ERR_TIMEOUT &&
        !room->failed) {
        char why[80];
        snprintf(why, sizeof why, "some rank did not come within %g s", op->timeout);
        watch_fail(room, DIST_ERR_TIMEOUT, why);
    }
    return op->status;
}

/* Who asks for an op that was put off wants it to begin. Who asks for another again and again may wait, without knowing it,
 * for a peer that needs what was put off. */
static void far_test(struct nccl_room *room, const struct dist_work *op)
{
    if (!atomic_load(&op->begun) || ++room->asks > TESTS_TO_FLUSH)
        launch_flush(room);
    watch_look(room);
}

/* ---- the room's calls --------------------------------------------------------------------------- */

/* Only an op on a GPU has these, and only there they are written. */
static void clear_marks(struct dist_work *op)
{
    if (op->gpu)
        return;
    op->ready = NULL;
    op->gate = NULL;
}

static int post(struct nccl_room *room, struct dist_work *op)
{
    return op->gpu || op->async ? progress_post(room, op) : progress_wait(room, op, 0);
}

static int nccl_message(void *state, struct dist_work *op)
{
    struct nccl_room *room = state;
    clear_marks(op);
    return room->shared ? post(room, op) : far_message(room, op);
}

static int nccl_collective(void *state, struct dist_work *op)
{
    struct nccl_room *room = state;
    clear_marks(op);
    return room->shared ? post(room, op) : far_collective(room, op);
}

static int nccl_monitored_barrier(void *state, struct dist_work *op)
{
    struct nccl_room *room = state;
    char list[160] = "";
    clear_marks(op);
    if (!room->shared)
        return far_monitored_barrier(room, op);
    if (progress_wait(room, op, dist_time() + op->timeout) != DIST_ERR_TIMEOUT)
        return op->status;
    room_lock(room);
    if (!atomic_load(&op->done)) {
        int count = leave_meeting(room, op, list, sizeof list);
        snprintf(op->why, sizeof op->why, "rank%s %s did not come within %g s", count == 1 ? "" : "s", list,
                 op->timeout);
        launch_refuse(room, op, DIST_ERR_TIMEOUT);
    }
    room_unlock(room);
    return op->status;
}

static bool nccl_test(void *state, struct dist_work *op)
{
    struct nccl_room *room = state;
    if (!room->shared) {
        far_test(room, op);
        return atomic_load(&op->done);
    }
    room_lock(room);
    room->asked = true;
    progress_drive(room);
    watch_look(room);
    room_unlock(room);
    return atomic_load(&op->done);
}

/* For an op on a GPU a stream waits, not we. */
static int nccl_wait(void *state, struct dist_work *op)
{
    struct nccl_room *room = state;
    if (!room->shared)
        launch_flush(room);
    if (!op->gpu)
        return watch_wait(room, op, 0);
    if (!atomic_load(&op->done))
        nccl_test(room, op);
    return op->status;
}

/* The host waits for a stream. Over several machines nothing is pinned up: what NCCL has begun it goes on with, whoever
 * sleeps; and what was put off stays so: no stream waits for it, and what it shall go together with may come later. */
static void nccl_note(void *state, const struct dist_work *op)
{
    struct nccl_room *room = state;
    room_lock(room);
    watch_look(room);
    if (room->shared)
        nccl_notes_write(room, op);
    else
        atomic_store(&room->notes->open_count, 0);
    room_unlock(room);
}

const struct backend backend_nccl = {
    .name = "nccl",
    .on_streams = true,
    .open = nccl_open,
    .leave = nccl_leave,
    .close = nccl_close,
    .group_new = nccl_group_new,
    .group_free = nccl_group_free,
    .send = nccl_message,
    .recv = nccl_message,
    .broadcast = nccl_collective,
    .reduce = nccl_collective,
    .all_reduce = nccl_collective,
    .scatter = nccl_collective,
    .gather = nccl_collective,
    .all_gather = nccl_collective,
    .reduce_scatter = nccl_collective,
    .all_to_all = nccl_collective,
    .barrier = nccl_collective,
    .monitored_barrier = nccl_monitored_barrier,
    .test = nccl_test,
    .wait = nccl_wait,
    .note = nccl_note,
};
