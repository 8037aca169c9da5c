/* leave.c: a rank leaves the job: what it has sent is taken first, or given up where nobody will come for it. */
#include "p2p.h"

/* Give up one operation that nobody will come for any more. False: there is none among the first of each list; until they are
 * over, the others need not be looked at. */
static bool leave_drop_one(struct shm_room *room)
{
    if (room->away.first && p2p_hopeless(room, room->away.first))
        return true;
    for (struct peer *peer = room->busy; peer; peer = peer->next)
        if ((peer->posted.first && p2p_hopeless(room, peer->posted.first)) ||
            (peer->waiting.first && p2p_hopeless(room, peer->waiting.first)))
            return true;
    for (struct shm_group *g = room->groups; g; g = g->next)
        if (collective_hopeless(room, g))
            return true;
    return false;
}

static bool leave_is_empty(const struct shm_room *room)
{
    for (const struct peer *peer = room->busy; peer; peer = peer->next)
        if (peer->posted.first || peer->waiting.first)
            return false;
    return !room->away.first && !room->copies.first && !room->groups;
}

static bool leave_flushed(void *argument)
{
    struct shm_room *room = argument;
    engine_lock(room);
    do
        while (engine_progress(room, false))
            ;
    while (leave_drop_one(room));
    bool empty = leave_is_empty(room);
    engine_unlock(room);
    return empty || world_over(room->world);
}

static void leave_flush(struct shm_room *room)
{
    engine_drive(room, +1);
    while (!leave_flushed(room))
        engine_sleep(room, NULL, leave_flushed, room);
    engine_drive(room, -1);
}

static void leave_forget(struct shm_room *room, struct queue *sends)
{
    for (struct dist_work *op; (op = sends->first);) {
        queue_remove(sends, op);
        if (room->self->untaken)
            room->self->untaken(room->self, op);
        eager_forget(room, op);
    }
}

/* What is open then are receives that nothing has come for; and after a failure anything. */
void shm_leave(void *state)
{
    struct shm_room *room = state;
    leave_flush(room);
    helper_stop(room);
    for (int peer = 0; peer < room->size; peer++) {
        leave_forget(room, &room->peers[peer].posted);
        leave_forget(room, &room->peers[peer].waiting);
    }
    leave_forget(room, &room->away);
    unexpected_close(room);
    eager_close(room);
    room->busy = NULL;
    room->groups = NULL;
}
