/*
 * wait.c: a rank waits for its ops, and gives them up.
 *
 * Only ops on host tensors are waited for here. Whoever gives an op notifies its rank.
 */
#define _GNU_SOURCE
#include "cuda.h"

#include <time.h>

/* ---- giving up ------------------------------------------------------------------------------ */

void cuda_wait_give_up(struct cuda_job *job, struct dist_work *op, int status)
{
    struct cuda_rank *own = &job->ranks[cuda_rank_of(op)];
    if (op->step == OP_QUEUED)
        queue_remove(&own->queued, op);
    else if (!op->p2p)
        cuda_meet_leave(job, op);
    else
        match_remove(op->sends ? &job->ranks[op->peer].unexpected : &own->posted, &op->match);
    cuda_start_given(job, op, status);
}

/* Unless it is given meanwhile: its time is up, or the job has failed. */
static void cuda_wait_end(struct cuda_state *cuda, struct dist_work *op, bool late)
{
    backoff_lock(&cuda->job->lock);
    if (op->step != OP_GIVEN && late)
        cuda_meet_end(cuda->job, op);
    else if (op->step != OP_GIVEN)
        cuda_wait_give_up(cuda->job, op, backend_failed(cuda->world, op));
    pthread_mutex_unlock(&cuda->job->lock);
}

/* ---- waiting ----------------------------------------------------------------------------------- */

bool cuda_test(void *state, struct dist_work *op)
{
    struct cuda_state *cuda = state;
    if (!op->gpu)
        return atomic_load(&op->done) != 0;
    backoff_lock(&cuda->job->lock);
    bool given = op->step == OP_GIVEN;
    pthread_mutex_unlock(&cuda->job->lock);
    if (given && cuda_device_of(op)->event_passed(op->gate))
        atomic_store(&op->done, 1);
    return atomic_load(&op->done) != 0;
}

struct awaited {
    struct cuda_state *cuda;
    const struct dist_work *op;
};

static bool cuda_wait_news(void *argument)
{
    const struct awaited *awaited = argument;
    return atomic_load(&awaited->op->done) || world_failed(awaited->cuda->world);
}

void cuda_wait_sleep(struct cuda_state *cuda, struct dist_work *op, bool (*news)(void *argument),
                     void *argument, int milliseconds)
{
    cuda_notes_write(cuda, op);
    launch_sleep(cuda->self, &cuda->slot->eventcount, news, argument, milliseconds, op && op->timeout > 0);
}

/* Milliseconds until the op's time is up, at most a nap. */
static int cuda_wait_time_left(const struct dist_work *op, double deadline)
{
    double left = deadline - dist_time();
    return op->timeout <= 0 || left > NAP / 1e3 ? NAP : left > 0 ? (int)(left * 1e3) + 1 : 0;
}

static void cuda_wait_on_host(struct cuda_state *cuda, struct dist_work *op)
{
    struct awaited awaited = { cuda, op };
    struct backoff backoff = { 0 };
    double deadline = op->timeout > 0 ? dist_time() + op->timeout : 0;
    while (!atomic_load(&op->done)) {
        if (backoff_spin(&backoff))
            continue;
        int left = cuda_wait_time_left(op, deadline);
        if (world_failed(cuda->world) || left == 0)
            cuda_wait_end(cuda, op, !world_failed(cuda->world));
        else
            cuda_wait_sleep(cuda, op, cuda_wait_news, &awaited, left);
    }
}

/* What was given to the device still passes there, soon: until then the tensor is neither right nor the program's. */
static void cuda_wait_let_pass(struct cuda_state *cuda, struct dist_work *op)
{
    double end = dist_time() + NAP / 1e3;
    while (op->status == DIST_OK && !cuda_device_of(op)->event_passed(op->gate))
        if (dist_time() > end)
            op->status = backend_failed(cuda->world, op);
        else
            nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
}

int cuda_wait(void *state, struct dist_work *op)
{
    struct cuda_state *cuda = state;
    if (!op->gpu)
        cuda_wait_on_host(cuda, op);
    else if (world_failed(cuda->world)) {
        cuda_wait_end(cuda, op, false);
        cuda_wait_let_pass(cuda, op);
    }
    return op->status;
}
