/*
 * wait.c: a rank waits for its ops, notes meanwhile what is open, and gives up what nobody will come for any more.
 *
 * Only ops on host tensors are waited for here. Whoever gives an op notifies its rank.
 */
#define _GNU_SOURCE
#include "cuda.h"
#include "../common/notes.h"

#include <time.h>

#define NAP 100 /* ms after which a sleeper looks whether the job still stands */

/* ---- what this rank waits for, written down before it sleeps (launch/note.h) ------------------- */

static void cuda_wait_note_op(struct cuda_state *cuda, const struct dist_work *op)
{
    bool arrived = !op->p2p && op->step == OP_STARTED;
    notes_add(launch_notes(cuda->self), op, arrived, arrived ? op->phase : op->group->seq + 1);
}

void cuda_note(void *state, const struct dist_work *waited)
{
    struct cuda_state *cuda = state;
    struct cuda_job *job = cuda->job;
    const struct cuda_rank *own = &job->ranks[cuda->rank];
    notes_clear(launch_notes(cuda->self));
    backoff_lock(&job->lock);
    if (waited && waited->step != OP_GIVEN)
        cuda_wait_note_op(cuda, waited);
    /* Collectives first: one that is not noted would seem not to have come. */
    for (int messages = 0; messages < 2; messages++)
        for (const struct dist_work *op = own->open.first; op; op = op->next)
            if (op != waited && op->p2p == messages && op->step != OP_ASIDE)
                cuda_wait_note_op(cuda, op);
    for (const struct match *at = own->unexpected.first; at; at = at->next) {
        const struct dist_work *send = match_receive(at);
        struct claim claim = claim_of(send);
        notes_add_claim(launch_notes(cuda->self), &claim, cuda_rank_of(send), send->site);
    }
    pthread_mutex_unlock(&job->lock);
}

/* ---- giving up ------------------------------------------------------------------------------ */

static void cuda_wait_give_up(struct cuda_job *job, struct dist_work *op, int status)
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
        cuda_wait_give_up(cuda->job, op, backend_failed(&cuda->self->world, &op->why));
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
    if (given && mark_passed(op->gate))
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
    return atomic_load(&awaited->op->done) || world_failed(&awaited->cuda->self->world);
}

/* Until there is news, or so long; `op` is waited for (NULL: none). */
static void cuda_wait_sleep(struct cuda_state *cuda, struct dist_work *op, bool (*news)(void *argument),
                            void *argument, int milliseconds)
{
    cuda_note(cuda, op);
    launch_sleep(cuda->self, &launch_slot(cuda->self)->eventcount, news, argument, milliseconds,
                 op && op->timeout > 0);
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
        if (world_failed(&cuda->self->world) || left == 0)
            cuda_wait_end(cuda, op, !world_failed(&cuda->self->world));
        else
            cuda_wait_sleep(cuda, op, cuda_wait_news, &awaited, left);
    }
}

/* What was given to the device still passes there, soon: until then the tensor is neither right nor the program's. */
static void cuda_wait_let_pass(struct cuda_state *cuda, struct dist_work *op)
{
    double end = dist_time() + NAP / 1e3;
    while (op->status == DIST_OK && !mark_passed(op->gate))
        if (dist_time() > end)
            op->status = backend_failed(&cuda->self->world, &op->why);
        else
            nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
}

int cuda_wait(void *state, struct dist_work *op)
{
    struct cuda_state *cuda = state;
    if (!op->gpu)
        cuda_wait_on_host(cuda, op);
    else if (world_failed(&cuda->self->world)) {
        cuda_wait_end(cuda, op, false);
        cuda_wait_let_pass(cuda, op);
    }
    return op->status;
}

/* ---- leaving: messages are to be taken before, and collectives to be over -------------------------- */

/* Has somebody left who is needed, and has not come? */
static bool cuda_wait_is_deserted(const struct cuda_state *cuda, const struct dist_work *op)
{
    if (op->p2p)
        return op->sends && (member_is_gone(cuda->self, op->peer) || world_over(&cuda->self->world));
    const struct meeting *meeting = cuda_meet_find(cuda->job, op);
    for (int i = 0; i < meeting->size; i++)
        if (!meeting->ops[i] && member_is_gone(cuda->self, op->group->ranks[i]))
            return true;
    return false;
}

static void cuda_wait_abandon(struct cuda_state *cuda, struct dist_work *op)
{
    if (op->p2p && op->sends && cuda->self->untaken)
        cuda->self->untaken(cuda->self, op);
    cuda_wait_give_up(cuda->job, op, DIST_ERR_PEER_LOST);
}

static bool cuda_wait_is_free(void *argument)
{
    struct cuda_state *cuda = argument;
    struct cuda_rank *own = &cuda->job->ranks[cuda->rank];
    backoff_lock(&cuda->job->lock);
    bool busy = own->queued.first;
    for (struct dist_work *op = own->open.first, *next; op; op = next) {
        next = op->next;
        if (cuda_wait_is_deserted(cuda, op))
            cuda_wait_abandon(cuda, op);
        else
            busy |= !op->p2p || op->sends;
    }
    pthread_mutex_unlock(&cuda->job->lock);
    bool passed = !busy && (!cuda->stream || cuda->gpu->device->stream_passed(cuda->stream));
    return passed || world_failed(&cuda->self->world);
}

void cuda_leave(void *state)
{
    struct cuda_state *cuda = state;
    struct cuda_rank *own = &cuda->job->ranks[cuda->rank];
    while (!cuda_wait_is_free(cuda) && !world_over(&cuda->self->world))
        cuda_wait_sleep(cuda, NULL, cuda_wait_is_free, cuda, NAP);
    backoff_lock(&cuda->job->lock);
    while (own->open.first)
        cuda_wait_abandon(cuda, own->open.first);
    while (own->queued.first)
        cuda_wait_give_up(cuda->job, own->queued.first, DIST_ERR_PEER_LOST);
    pthread_mutex_unlock(&cuda->job->lock);
}
