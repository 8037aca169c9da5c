/* leave.c: a rank leaves the job: what it has sent is taken first, or given up where nobody will come for it. */
#include "p2p.h"

/* Give up one operation that nobody will come for any more. False: there is none among the first of each list; until they are
 * over, the others need not be looked at. */
static bool leave_drop_one(struct shm_state *shm)
{
    if (shm->by_ticket.first && p2p_hopeless(shm, shm->by_ticket.first))
        return true;
    for (struct peer *peer = shm->busy; peer; peer = peer->next)
        if ((peer->posted.first && p2p_hopeless(shm, peer->posted.first)) ||
            (peer->waiting.first && p2p_hopeless(shm, peer->waiting.first)))
            return true;
    for (struct shm_group *g = shm->groups; g; g = g->next)
        if (collective_hopeless(shm, g))
            return true;
    return false;
}

static bool leave_is_empty(const struct shm_state *shm)
{
    for (const struct peer *peer = shm->busy; peer; peer = peer->next)
        if (peer->posted.first || peer->waiting.first)
            return false;
    return !shm->by_ticket.first && !shm->copies.first && !shm->groups;
}

static bool leave_flushed(void *argument)
{
    struct shm_state *shm = argument;
    engine_lock(shm);
    do
        while (engine_progress(shm, false))
            ;
    while (leave_drop_one(shm));
    bool empty = leave_is_empty(shm);
    engine_unlock(shm);
    return empty || world_over(shm->world);
}

static void leave_flush(struct shm_state *shm)
{
    engine_count_waiter(shm, +1);
    while (!leave_flushed(shm))
        engine_sleep(shm, NULL, false, leave_flushed, shm);
    engine_count_waiter(shm, -1);
}

static void leave_forget(struct shm_state *shm, struct op_queue *sends)
{
    for (struct dist_work *op; (op = sends->first);) {
        queue_remove(sends, op);
        if (shm->self->untaken)
            shm->self->untaken(shm->self, op);
        eager_forget(shm, op);
    }
}

/* What is open then are receives that nothing has come for; and after a failure anything. */
void shm_leave(void *state)
{
    struct shm_state *shm = state;
    leave_flush(shm);
    progress_stop(shm);
    for (int peer = 0; peer < shm->size; peer++) {
        leave_forget(shm, &shm->peers[peer].posted);
        leave_forget(shm, &shm->peers[peer].waiting);
    }
    leave_forget(shm, &shm->by_ticket);
    unexpected_close(shm);
    eager_close(shm);
    shm->busy = NULL;
    shm->groups = NULL;
}
