/*
 * leave.c: how it ends. By a failure: then all that is open is given up at once. Or by leaving the job: then what was sent is taken first,
 * and collectives are over, but for those that nobody will come for any more.
 */
#include "ahead.h"
#include "answers.h"
#include "meet.h"
#include "offers.h"
#include "../common/members.h"

#include <stdio.h>

/* ---- failing ------------------------------------------------------------------------------------------- */

static void leave_give_up(struct transport_room *room, struct dist_work *op)
{
    snprintf(op->why, sizeof op->why, "%s", room->why);
    if (!op->p2p || !op->sends)
        transport_done(op, room->failed);
    else if (op->step != STEP_ASIDE || !op->ticket) /* (a copy on offer stays, too) */
        messages_end(op, room->failed);
}

/* What is under way stays where it is: the transport may still look at it. */
void transport_fail(struct transport_room *room, int status, const char *why)
{
    if (room->failed)
        return;
    room->failed = status;
    snprintf(room->why, sizeof room->why, "%s", why);
    struct op_queue *const queues[] = { &room->sends, &room->members };
    for (int i = 0; i < 2; i++)
        while (queues[i]->first)
            leave_give_up(room, queue_take(queues[i], &queues[i]->first));
    for (struct match *match; (match = room->posted.first);) {
        match_remove(&room->posted, match);
        leave_give_up(room, match_receive(match));
    }
    for (struct flight *flight = room->flights.first; flight; flight = flight->next)
        if (flight->op && flight->op->step != STEP_ASIDE)
            leave_give_up(room, flight->op);
    wire_open(room);
}

/* ---- leaving ------------------------------------------------------------------------------------------- */

/* Who has left sends no more, so what it has not sent by now (nothing is coming) it never will. A first member tells the others. */
static bool leave_is_deserted(const struct transport_room *room, const struct dist_work *op)
{
    if (world_over(&room->self->world))
        return true;
    if (room->spread) /* how far those of other machines are is not known here; the watchers say when all are */
        return false;
    bool left = member_is_gone(room->self, op->p2p ? op->peer : op->group->ranks[0]);
    return left && (op->p2p || op->group->rank != 0) && atomic_load(&room->ranks[room->rank].coming) == 0;
}

static void leave_drop(struct transport_room *room, struct op_queue *queue, bool *busy)
{
    for (struct dist_work **at = &queue->first, *op; (op = *at);) {
        if (!leave_is_deserted(room, op)) {
            *busy = true;
            at = &op->next;
            continue;
        }
        queue_take(queue, at);
        if (op->p2p && room->self->untaken)
            room->self->untaken(room->self, op);
        if (op->p2p) {
            offers_forget(room, op);
            messages_end(op, DIST_ERR_PEER_LOST);
        } else {
            transport_done(op, DIST_ERR_PEER_LOST);
        }
    }
}

static bool leave_is_free(void *argument)
{
    struct transport_room *room = argument;
    room_lock(room);
    transport_drive(room, NULL);
    meet_desert(room);
    answers_pay(room);
    wire_reap(room);
    bool busy = transport_flies(room) || room->unknown > 0;
    leave_drop(room, &room->sends, &busy);
    leave_drop(room, &room->members, &busy);
    busy &= !room->failed;
    room_unlock(room);
    return !busy;
}

/* What is left then are receives that nobody has sent for. */
void transport_leave(void *state)
{
    struct transport_room *room = state;
    room_lock(room);
    room->drivers++;
    atomic_store(&room->ranks[room->rank].listens, 0);
    room_unlock(room);
    while (!leave_is_free(room))
        transport_sleep(room, NULL, leave_is_free, room);
    transport_thread_stop(room);
    while (room->posted.first) {
        struct dist_work *op = match_receive(room->posted.first);
        match_remove(&room->posted, room->posted.first);
        ahead_take_back(room, op);
        transport_done(op, DIST_ERR_PEER_LOST);
    }
}
