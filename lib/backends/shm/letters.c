/* letters.c: what sends and receives have in common: their lists, and when to give one up. */
#include "shm.h"
#include "../../devices/host.h"

#include <stdlib.h>

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

/* A send that nobody can take any more, because its receiver has left. */
bool letters_hopeless(struct shm_room *room, struct dist_work *op)
{
    if (op->peer != room->rank && atomic_load(&slot_of(room, op->peer)->state) < RANK_LEFT)
        return false;
    while (sends_progress(room))
        ; /* what it took before it left still counts */
    for (struct dist_work *still = room->sends; still; still = still->next)
        if (still == op) {
            if (room->self->untaken)
                room->self->untaken(room->self, op);
            letters_drop(room, op);
            if (!op->aside) {
                engine_done(room, op, DIST_ERR_PEER_LOST);
                return true;
            }
            host_free(room->self, op->aside);
            free(op);
            room->open--;
            return true;
        }
    return true;
}
