/*
 * collectives.c: walks the plans: a blocking collective in its caller, an asynchronous one in the engine.
 *
 * Collectives of a group happen in call order: a blocking one lets the asynchronous ones before it finish. Small asynchronous ones may arrive at
 * their barriers before their turn.
 */
#include "engine.h"

/* ---- blocking: the caller takes the steps ------------------------------------------ */

static int collectives_run_directly(struct shm_state *shm, struct shm_group *g, struct dist_work *op,
                                    double deadline)
{
    bool over = false;
    op->ticket = op->begun_quickly ? g->seq : ++g->seq;
    if (op->begun_quickly) /* it stands at its first barrier */
        op->step = 1;
    else
        over = plan_step(shm, g, op);
    while (!over && barrier_wait(shm, g, op, deadline) == DIST_OK)
        over = plan_step(shm, g, op);
    atomic_store_explicit(&op->done, 1, memory_order_relaxed);
    return op->status;
}

/* ---- asynchronous: the engine takes them -------------------------------------------- */

bool collective_ready(struct shm_group *g)
{
    const struct dist_work *op = g->queue.first;
    return op && !op->claimed && (op->step == 0 || barrier_passed(g));
}

void collective_drop(struct shm_state *shm, struct dist_work *op)
{
    struct shm_group *g = op->group->state;
    queue_remove(&g->queue, op);
    const struct dist_work *first = g->queue.first;
    if (first && first->step > 0 && first->ticket != g->seq)
        barrier_turn(g, first->ticket);
    if (first)
        return;
    struct shm_group **link = &shm->groups;
    while (*link != g)
        link = &(*link)->next;
    *link = g->next;
}

/* Where the first of the queue has not begun, or does its work, it waits for nobody. */
static bool collectives_stands(const struct shm_group *g)
{
    const struct dist_work *first = g->queue.first;
    return !first->claimed && first->step > 0 && !g->at_work;
}

bool collective_may_go(const struct shm_group *g, struct dist_work *op, double deadline)
{
    if (!g->queue.first)
        return true;
    return deadline > 0 && dist_time() > deadline && collectives_stands(g) &&
           barrier_timed_out(g, op) != DIST_OK;
}

bool collective_hopeless(struct shm_state *shm, struct shm_group *g)
{
    struct dist_work *op = g->queue.first;
    if (!collectives_stands(g) || !barrier_deserted(shm, g))
        return false;
    collective_drop(shm, op);
    engine_done(shm, op, DIST_ERR_PEER_LOST);
    return true;
}

/* Does it read what one before it in the queue is still to write? */
static bool collectives_depends(const struct shm_group *g, const struct dist_work *op)
{
    size_t element = dtype_size(op->type);
    const char *in = op->in.data, *in_end = in + (size_t)op->in.count * element;
    for (const struct dist_work *before = g->queue.first; before != op; before = before->next) {
        const char *out = before->out.data;
        if (out && in && in < out + (size_t)before->out.count * dtype_size(before->type) && out < in_end)
            return true;
    }
    return false;
}

/* While the first waits for the others, those behind it arrive, too: barrier.c has when they may. */
static void collectives_run_ahead(struct shm_state *shm, struct shm_group *g)
{
    struct dist_work *op = g->queue.first;
    if (op->claimed || op->step == 0 || g->at_work)
        return;
    while (op->next && op->next->step > 0)
        op = op->next;
    for (; op->next && op->next->ticket - g->seq < AHEAD; op = op->next) {
        if (!plan_runs_ahead(g, op) || !plan_runs_ahead(g, op->next) || collectives_depends(g, op->next))
            return;
        plan_step(shm, g, op->next);
    }
}

bool collective_progress(struct shm_state *shm, struct shm_group *g, bool light)
{
    struct dist_work *op = g->queue.first;
    if (!collective_ready(g) || (light && op->step > 0 && !plan_is_short(g, op))) {
        collectives_run_ahead(shm, g);
        return false;
    }
    if (op->step == 0)
        g->seq = op->ticket; /* here, under the lock: notes.c reads it */
    op->claimed = true;
    bool guest = engine_step_out(shm), over = plan_step(shm, g, op);
    engine_step_in(shm, guest);
    op->claimed = false;
    if (over) {
        collective_drop(shm, op);
        engine_done(shm, op, op->status);
    } else if (engine_is_shared(
                   shm)) { /* a waiter may have looked meanwhile, found it claimed, and gone to sleep */
        eventcount_notify(&rank_slot_of(shm, shm->rank)->eventcount);
    }
    return true;
}

/* Each arrival of a peer notifies the progress thread, which would come as a guest at each: 7 us for one of 8 bytes, in place of 1. So it is
 * let in for good, which also keeps quick_meet.c from overtaking what is in the queue. */
static int collectives_start_in_engine(struct shm_state *shm, struct shm_group *g, struct dist_work *op)
{
    if (!bias_is_gone(&shm->self->bias)) /* a guest may be here, who goes again */
        bias_revoke(&shm->self->bias, BIAS_SEVERAL);
    if (engine_enter(shm, op, true) != DIST_OK)
        return op->status;
    if (!g->queue.first) {
        g->next = shm->groups;
        shm->groups = g;
    }
    op->ticket = (g->queue.last ? g->queue.last->ticket : g->seq) + 1;
    queue_add(&g->queue, op);
    collective_progress(shm, g, true);
    return engine_start(shm, op);
}

int shm_collective(void *state, struct dist_work *op)
{
    struct shm_state *shm = state;
    struct shm_group *g = op->group->state;
    if (!op->begun_quickly &&
        world_failed(shm->world)) /* members may have given up, and wait at no barrier */
        return op->status = backend_failed(shm->world, &op->why);
    if (op->async)
        return collectives_start_in_engine(shm, g, op);
    double deadline = op->timeout > 0 ? dist_time() + op->timeout : 0;
    if (!engine_await_group(shm, g, op, deadline))
        return op->status = backend_failed(shm->world, &op->why);
    return op->status == DIST_OK ? collectives_run_directly(shm, g, op, deadline) : op->status;
}
