/*
 * leave.c: a rank gives up what is not agreed on: one op whose time is up, or all, where it has failed or leaves. Its messages
 * are to be taken before it leaves, and its collectives to be over, but for those that nobody will come for any more.
 */
#include "agree.h"

#include <stdio.h>

int leave_meeting(struct nccl_room *room, struct dist_work *op, char *list, size_t size)
{
    agree_lock(room->shared);
    int count = table_missing(room->table, op, list, size);
    agree_unlock(room->shared);
    agree_withdraw(room, op);
    queue_remove(&room->shown, op);
    return count;
}

static bool has_left(const struct nccl_room *room, int rank)
{
    return rank == room->rank || atomic_load(&room->self->world.header->slots[rank].state) >= RANK_LEFT;
}

/* Has somebody left who is needed, and has not come? */
static bool is_deserted(struct nccl_room *room, const struct dist_work *op)
{
    if (world_over(&room->self->world))
        return true;
    if (op->p2p)
        return op->sends && has_left(room, op->peer);
    agree_lock(room->shared);
    bool deserted = false;
    for (int place = 0; place < op->group->size && !deserted; place++)
        deserted = has_left(room, op->group->ranks[place]) && !table_has_come(room->table, op, place);
    agree_unlock(room->shared);
    return deserted;
}

/* Give up what nobody will come for any more. True: something of this rank is still needed. */
static bool is_busy(struct nccl_room *room)
{
    bool busy = room->posted.first || room->agreed.first || room->flying.first;
    for (struct dist_work **at = &room->shown.first, *op; (op = *at);) {
        if (!is_deserted(room, op)) {
            busy |= !op->p2p || op->sends;
            at = &op->next;
            continue;
        }
        queue_take(&room->shown, at);
        agree_withdraw(room, op);
        if (op->p2p && room->self->untaken)
            room->self->untaken(room->self, op);
        if (op->step == STEP_ASIDE)
            aside_forget(room, op);
        else
            launch_refuse(room, op, DIST_ERR_PEER_LOST);
    }
    return busy;
}

static bool is_free(void *argument)
{
    struct nccl_room *room = argument;
    room_lock(room);
    room->asked = true;
    while (progress_drive(room))
        ;
    bool busy = is_busy(room) && !room->failed;
    room_unlock(room);
    return !busy;
}

/* What is left then are receives that nobody has sent for. */
void leave_wait(struct nccl_room *room)
{
    while (!is_free(room)) {
        room_lock(room);
        watch_look(room);
        room_unlock(room);
        watch_sleep(room, NULL, is_free, room, false);
    }
    progress_stop(room);
    agree_withdraw(room, NULL);
    for (struct dist_work *op; (op = room->shown.first);)
        launch_refuse(room, queue_take(&room->shown, &room->shown.first), DIST_ERR_PEER_LOST);
}
