/*
 * collectives.c: walks the plans: a blocking collective in its caller, an asynchronous one in the engine.
 *
 * Collectives of a group happen in call order: a blocking one lets the asynchronous ones before it finish.
 */
#include "shm.h"

/* ---- blocking: the caller takes the steps ------------------------------------------ */

static int collectives_run_directly(struct shm_room *room, struct shm_group *g, struct dist_work *op)
{
    bool over = false;
    if (op->begun_quickly) { /* it stands at its first barrier */
        op->step = 1;
    } else {
        g->seq++;
        over = plan_step(room, g, op);
    }
    while (!over && board_wait(room, g, op) == DIST_OK)
        over = plan_step(room, g, op);
    atomic_store_explicit(&op->done, 1, memory_order_relaxed);
    return op->status;
}

/* ---- asynchronous: the engine takes them -------------------------------------------- */

bool collective_ready(struct shm_group *g)
{
    const struct dist_work *op = g->queue.first;
    return op && !op->claimed && (op->step == 0 || board_passed(g));
}

void collective_drop(struct shm_room *room, struct dist_work *op)
{
    struct shm_group *g = op->group->room;
    queue_remove(&g->queue, op);
    if (g->queue.first)
        return;
    atomic_fetch_sub(&g->board->listeners, 1);
    struct shm_group **link = &room->groups;
    while (*link != g)
        link = &(*link)->next;
    *link = g->next;
}

bool collective_hopeless(struct shm_room *room, struct shm_group *g)
{
    struct dist_work *op = g->queue.first;
    if (op->claimed || op->step == 0 || g->at_work || !board_deserted(room, g))
        return false;
    collective_drop(room, op);
    engine_done(room, op, DIST_ERR_PEER_LOST);
    return true;
}

bool collective_progress(struct shm_room *room, struct shm_group *g, bool light)
{
    struct dist_work *op = g->queue.first;
    if (!collective_ready(g) || (light && op->step > 0))
        return false;
    if (op->step == 0)
        g->seq++; /* here, under the lock: notes.c reads it */
    op->claimed = true;
    engine_unlock(room);
    bool over = plan_step(room, g, op);
    engine_lock(room);
    op->claimed = false;
    if (over) {
        collective_drop(room, op);
        engine_done(room, op, op->status);
    } else if (engine_is_shared(
                   room)) { /* a waiter may have looked meanwhile, found it claimed, and gone to sleep */
        bell_ring(&slot_of(room, room->rank)->bell);
    }
    return true;
}

static int collectives_start_in_engine(struct shm_room *room, struct shm_group *g, struct dist_work *op)
{
    if (engine_enter(room, op, true) != DIST_OK)
        return op->status;
    if (!g->queue.first) {
        g->next = room->groups;
        room->groups = g;
        atomic_fetch_add(&g->board->listeners, 1);
    }
    queue_add(&g->queue, op);
    collective_progress(room, g, true);
    return engine_start(room, op);
}

int shm_collective(void *state, struct dist_work *op)
{
    struct shm_room *room = state;
    struct shm_group *g = op->group->room;
    if (!op->begun_quickly && world_failed(room->world)) /* members may have given up, and wait on no board */
        return op->status = backend_failed(room->world, op);
    if (op->async)
        return collectives_start_in_engine(room, g, op);
    if (!engine_await_group(room, g))
        return op->status = backend_failed(room->world, op);
    return collectives_run_directly(room, g, op);
}
