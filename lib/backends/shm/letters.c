/* letters.c: what sends and receives have in common: their lists, and when to give one up. */
#include "shm.h"

#include <stdio.h>

void list_remove(struct dist_work *op, struct dist_work **list, struct dist_work ***end)
{
    for (; *list; list = &(*list)->next)
        if (*list == op) {
            *list = op->next;
            if (!*list)
                *end = list;
            op->next = NULL;
            return;
        }
}

bool letters_drop(struct shm_room *room, struct dist_work *op)
{
    if (op->claimed)
        return false;
    list_remove(op, &room->sends, &room->sends_end);
    list_remove(op, &room->recvs, &room->recvs_end);
    list_remove(op, &room->copies, &room->copies_end);
    return true;
}

/* Has everyone left whom the op could hear from? */
static bool all_gone(struct shm_room *room, const struct dist_work *op, bool *self_only)
{
    *self_only = true;
    for (int i = 0; i < op->group->size; i++) {
        int peer = op->group->ranks[i];
        if (peer == room->rank || (op->peer != DIST_ANY_SOURCE && op->peer != peer))
            continue;
        *self_only = false;
        if (atomic_load(&slot_of(room, peer)->state) < RANK_LEFT)
            return false;
    }
    return true;
}

bool letters_hopeless(struct shm_room *room, struct dist_work *op)
{
    bool self_only;
    if (!all_gone(room, op, &self_only))
        return false;
    while (sends_progress(room) || recvs_progress(room, false))
        ; /* what they did before they left still counts */
    if (atomic_load(&op->done) || !letters_drop(room, op))
        return false;
    if (self_only)
        snprintf(op->why, sizeof op->why,
                 "this rank waits for itself, and cannot post the other half while it waits");
    else if (op->peer == DIST_ANY_SOURCE)
        snprintf(op->why, sizeof op->why, "all the others have left the job without sending to it");
    else
        snprintf(op->why, sizeof op->why, "rank %d has left the job without the matching call", op->peer);
    engine_done(room, op, self_only ? DIST_ERR_DEADLOCK : DIST_ERR_PEER_LOST);
    return true;
}
