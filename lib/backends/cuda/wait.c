/*
 * wait.c: a rank waits for its ops, and gives them up.
 *
 * Only ops on host tensors are waited for here. Whoever gives an op rings its rank's bell.
 */
#define _GNU_SOURCE
#include "cuda.h"

#include <stdio.h>
#include <time.h>

/* ---- giving up ------------------------------------------------------------------------------ */

/* Take it out of the tables, wherever it is. */
static void drop(struct cuda_job *job, struct dist_work *op)
{
    int rank = rank_of(op);
    if (op->step == OP_POSTED)
        queue_remove(&job->seats[rank].posted, op);
    else if (!op->p2p)
        meet_leave(job, op);
    else if (op->sends)
        match_remove(&job->seats[op->peer].letters, &op->match);
    else
        match_remove(&job->seats[rank].recvs, &op->match);
}

static void give_up(struct cuda_job *job, struct dist_work *op, int status)
{
    if (op->step == OP_GIVEN)
        return;
    drop(job, op);
    start_given(job, op, status);
}

static void end_with_job(struct cuda_room *room, struct dist_work *op)
{
    pthread_mutex_lock(&room->job->lock);
    if (op->step != OP_GIVEN)
        give_up(room->job, op, backend_failed(room->world, op));
    pthread_mutex_unlock(&room->job->lock);
}

static void time_out(struct cuda_room *room, struct dist_work *op)
{
    char list[160] = "";
    pthread_mutex_lock(&room->job->lock);
    int count = meet_missing(room->job, op, list, sizeof list);
    if (op->step != OP_GIVEN)
        snprintf(op->why, sizeof op->why, "rank%s %s did not come within %g s", count == 1 ? "" : "s", list,
                 op->timeout);
    give_up(room->job, op, DIST_ERR_TIMEOUT);
    pthread_mutex_unlock(&room->job->lock);
}

/* ---- waiting ----------------------------------------------------------------------------------- */

bool cuda_test(void *state, struct dist_work *op)
{
    struct cuda_room *room = state;
    if (!op->gpu)
        return atomic_load(&op->done) != 0;
    pthread_mutex_lock(&room->job->lock);
    bool given = op->step == OP_GIVEN;
    pthread_mutex_unlock(&room->job->lock);
    if (given && device_of(op)->gate_is_open(op->gate))
        atomic_store(&op->done, 1);
    return atomic_load(&op->done) != 0;
}

struct hope {
    struct cuda_room *room;
    bool (*news)(struct cuda_room *room, struct dist_work *op);
    struct dist_work *op;
};

static bool news(void *argument)
{
    struct hope *hope = argument;
    return hope->news(hope->room, hope->op) || world_failed(hope->room->world);
}

void wait_asleep(struct cuda_room *room, struct dist_work *op,
                 bool (*wanted)(struct cuda_room *room, struct dist_work *op), int milliseconds)
{
    struct hope hope = { room, wanted, op };
    notes_pin(room, op);
    launch_sleep(room->self, &room->slot->bell, news, &hope, milliseconds, op && op->timeout > 0);
}

static bool is_done(struct cuda_room *room, struct dist_work *op)
{
    (void)room;
    return atomic_load(&op->done) != 0;
}

/* Milliseconds until the op's time is up, at most a nap. */
static int time_left(const struct dist_work *op, double deadline)
{
    double left = deadline - dist_time();
    return op->timeout <= 0 || left > NAP / 1e3 ? NAP : left > 0 ? (int)(left * 1e3) + 1 : 0;
}

static void wait_on_host(struct cuda_room *room, struct dist_work *op)
{
    struct patience patience = { 0 };
    double deadline = op->timeout > 0 ? dist_time() + op->timeout : 0;
    while (!atomic_load(&op->done)) {
        if (patience_spin(&patience))
            continue;
        int left = time_left(op, deadline);
        if (world_failed(room->world))
            end_with_job(room, op);
        else if (left == 0)
            time_out(room, op);
        else
            wait_asleep(room, op, is_done, left);
    }
}

/* What was given to the device still passes there, soon: until then the tensor is neither right nor the program's. */
static void let_pass(struct cuda_room *room, struct dist_work *op)
{
    double end = dist_time() + NAP / 1e3;
    while (op->status == DIST_OK && !device_of(op)->gate_is_open(op->gate))
        if (dist_time() > end)
            op->status = backend_failed(room->world, op);
        else
            nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
}

int cuda_wait(void *state, struct dist_work *op)
{
    struct cuda_room *room = state;
    if (!op->gpu)
        wait_on_host(room, op);
    else if (world_failed(room->world)) {
        end_with_job(room, op);
        let_pass(room, op);
    }
    return op->status;
}
