/*
 * leave.c: a rank gives up what is not agreed on: one op whose time is up, or all, where it has failed or leaves. Its messages
 * are to be taken before it leaves, and its collectives to be over, but for those that nobody will come for any more.
 */
#include "desk.h"

#include <stdio.h>

/* ---- giving up ------------------------------------------------------------------------------ */

static void withdraw_from(struct nccl_room *room, struct pile *pile, const struct dist_work *op)
{
    struct desk *desk = room->desk;
    for (uint32_t at = pile->first, next; at; at = next) {
        const struct slip *slip = slip_at(desk, at);
        next = slip->next;
        if (slip->rank == room->rank && (!op || op_of(slip) == op)) {
            pile_remove(desk, pile, at);
            slip_free(desk, at);
        }
    }
}

/* A slip stays with those of the other members: it tells that its rank had come. */
static void leave_meetings(struct nccl_room *room, const struct dist_work *op)
{
    struct desk *desk = room->desk;
    for (uint32_t head = desk->meetings.first; head; head = slip_at(desk, head)->next)
        for (uint32_t at = head; at; at = slip_at(desk, at)->mate) {
            struct slip *slip = slip_at(desk, at);
            if (slip->rank == room->rank && (!op || op_of(slip) == op))
                slip->left = true;
        }
}

void desk_withdraw(struct nccl_room *room, const struct dist_work *op)
{
    struct desk *desk = room->desk;
    desk_lock(desk);
    withdraw_from(room, &desk->trays[room->rank].recvs, op);
    for (int rank = 0; rank < room->size; rank++)
        withdraw_from(room, &desk->trays[rank].letters, op);
    leave_meetings(room, op);
    desk_unlock(desk);
}

/* ---- who is missing --------------------------------------------------------------------------- */

static bool has_come(struct desk *desk, const struct dist_work *op, int place)
{
    for (uint32_t head = desk->meetings.first; head; head = slip_at(desk, head)->next)
        for (uint32_t at = head; at; at = slip_at(desk, at)->mate) {
            const struct slip *slip = slip_at(desk, at);
            if (slip->card.group == op->group->id && slip->seq == op->phase && slip->place == place)
                return true;
        }
    return false;
}

int leave_meeting(struct nccl_room *room, struct dist_work *op, char *list, size_t size)
{
    size_t used = 0;
    int count = 0;
    desk_lock(room->desk);
    for (int place = 0; place < op->group->size; place++)
        if (!has_come(room->desk, op, place)) {
            if (used + 16 < size)
                used += (size_t)snprintf(list + used, size - used, "%s%d", count ? ", " : "",
                                         op->group->ranks[place]);
            count++;
        }
    desk_unlock(room->desk);
    desk_withdraw(room, op);
    queue_remove(&room->shown, op);
    return count;
}

/* ---- leaving ------------------------------------------------------------------------------------ */

static bool has_left(const struct nccl_room *room, int rank)
{
    return rank == room->rank || atomic_load(&room->self->world.header->slots[rank].state) >= RANK_LEFT;
}

/* Messages to ranks that have left. True: something of this rank is still needed. */
static bool is_busy(struct nccl_room *room)
{
    bool busy = room->posted.first || room->agreed.first || room->flying.first;
    for (struct dist_work **at = &room->shown.first, *op; (op = *at);) {
        if (!op->p2p || !op->sends || !has_left(room, op->peer)) {
            busy |= !op->p2p || op->sends;
            at = &op->next;
            continue;
        }
        queue_take(&room->shown, at);
        desk_withdraw(room, op);
        if (room->self->untaken)
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
    while (clerk_drive(room))
        ;
    bool busy = is_busy(room) && !room->failed;
    room_unlock(room);
    return !busy;
}

/* What is left then are receives that nobody has sent for. */
void leave_desk(struct nccl_room *room)
{
    while (!is_free(room)) {
        room_lock(room);
        watch_look(room);
        room_unlock(room);
        watch_sleep(room, NULL, is_free, room, false);
    }
    clerk_stop(room);
    desk_withdraw(room, NULL);
    for (struct dist_work *op; (op = room->shown.first);)
        launch_refuse(room, queue_take(&room->shown, &room->shown.first), DIST_ERR_PEER_LOST);
}
