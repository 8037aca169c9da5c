/*
 * progress.c: whoever comes by does what can be done.
 *
 * No transport goes on by itself. So the rank's own thread drives it in each of its calls, and while the program computes, a thread of
 * ours does, the progress thread. It is started by the first op that is left open, and rests while another thread waits here. Both
 * nap while something is under way, and sleep on their bells while nothing is.
 */
#define _GNU_SOURCE
#include "room.h"

#include <stdio.h>

#define NAP 100         /* ms after which a sleeper looks whether the job still stands */
#define SHORT_NAP 20000 /* ns, while something is under way; it grows */
#define LONG_NAP 1000000

void transport_done(struct dist_work *op, int status)
{
    op->status = status;
    atomic_store(&op->done, 1);
}

/* ---- failing ------------------------------------------------------------------------------------------- */

static void give_up(struct transport_room *room, struct dist_work *op)
{
    snprintf(op->why, sizeof op->why, "%s", room->why);
    if (op->p2p && op->sends)
        messages_end(op, room->failed);
    else
        transport_done(op, room->failed);
}

/* What is under way stays where it is: the transport may still look at it. */
void transport_fail(struct transport_room *room, int status, const char *why)
{
    if (room->failed)
        return;
    room->failed = status;
    snprintf(room->why, sizeof room->why, "%s", why);
    for (struct dist_work *op; (op = room->sends.first);)
        give_up(room, queue_take(&room->sends, &room->sends.first));
    for (struct dist_work *op; (op = room->begun.first);)
        give_up(room, queue_take(&room->begun, &room->begun.first));
    for (struct dist_work *op; (op = room->members.first);)
        give_up(room, queue_take(&room->members, &room->members.first));
    for (struct match *match; (match = room->posted.first);) {
        match_remove(&room->posted, match);
        give_up(room, match_receive(match));
    }
    for (struct flight *flight = room->flights; flight; flight = flight->next)
        if (flight->op && flight->op->step != STEP_ASIDE)
            give_up(room, flight->op);
    room->flights = NULL;
    room->flight = &room->flights;
}

static bool look_at_job(struct transport_room *room)
{
    struct dist_work op = { .call = CALL_BARRIER };
    if (room->failed || !world_failed(&room->self->world))
        return false;
    int status = backend_failed(&room->self->world, &op);
    transport_fail(room, status, op.why);
    return true;
}

/* ---- driving --------------------------------------------------------------------------------------------- */

bool transport_drive(struct transport_room *room)
{
    bool moved = look_at_job(room);
    while (!room->failed && (wire_hear(room) || messages_set_out(room) || wire_progress(room)))
        moved = true;
    return moved;
}

void transport_count_heard(struct transport_room *room)
{
    if (room->spread)
        atomic_store(&room->notes->heard, room->heard);
}

bool transport_moves(const struct transport_room *room)
{
    return !room->failed &&
           (room->flights || room->spread || atomic_load(&room->ranks[room->rank].coming) > 0);
}

bool transport_is_open(const struct transport_room *room)
{
    return room->sends.first || room->members.first || room->posted.first || room->flights;
}

/* ---- coming and going ------------------------------------------------------------------------------------------ */

static void enter(struct transport_room *room)
{
    room_lock(room);
    room->drivers++;
    atomic_store(&room->ranks[room->rank].listens, 0);
}

/* What is left is the progress thread's, or that of another thread which waits here. */
static void leave(struct transport_room *room)
{
    bool open = transport_is_open(room);
    transport_count_heard(room);
    room->drivers--;
    if (room->drivers == 0 && open && room->progress.runs)
        atomic_store(&room->ranks[room->rank].listens, 1);
    bool moves = open && transport_moves(room), strike = moves && room->drivers == 0 && room->progress_sleeps;
    room->progress_sleeps &= !strike;
    room_unlock(room);
    if (strike)
        bell_strike(&room->slot->helper);
    else if (moves)
        bell_ring(&room->slot->bell);
}

int transport_start(struct transport_room *room, struct dist_work *op,
                    void (*post)(struct transport_room *, struct dist_work *))
{
    bool async = op->async;
    enter(room);
    if (async && !transport_thread_start(room))
        transport_fail(room, DIST_ERR_SYSTEM,
                       "the system gives no thread for communication in the background");
    transport_drive(room);
    if (room->failed) {
        snprintf(op->why, sizeof op->why, "%s", room->why);
        transport_done(op, room->failed);
    } else {
        post(room, op);
    }
    int status = room->failed;
    leave(room);
    return async ? status : transport_wait(room, op);
}

bool transport_test(void *state, struct dist_work *op)
{
    struct transport_room *room = state;
    if (atomic_load(&op->done))
        return true;
    enter(room);
    transport_drive(room);
    leave(room);
    return atomic_load(&op->done);
}

/* ---- waiting ------------------------------------------------------------------------------------------------------ */

void transport_sleep(struct transport_room *room, const struct dist_work *op, bool (*news)(void *),
                     void *argument)
{
    room_lock(room);
    bool listens = room->spread && !room->flights, moves = !listens && transport_moves(room);
    if (!moves) {
        transport_notes_write(room, op);
        transport_count_heard(room);
    }
    room->nap = !moves ? SHORT_NAP : room->nap < LONG_NAP ? room->nap + room->nap / 4 : room->nap;
    int64_t nap = room->nap;
    room_unlock(room);
    if (listens) {
        launch_listen(room->self, &room->slot->bell, news, argument, NAP);
        return;
    }
    if (!moves) {
        launch_sleep(room->self, &room->slot->bell, news, argument, NAP, false);
        return;
    }
    bell_sleep_for(&room->slot->bell, news, argument, nap, NULL);
    if (dist_time() > room->looked + NAP / 1e3) {
        room->looked = dist_time();
        launch_look_around(room->self);
    }
}

struct hope {
    struct transport_room *room;
    const struct dist_work *op;
};

static bool news(void *argument)
{
    const struct hope *hope = argument;
    room_lock(hope->room);
    bool moved = transport_drive(hope->room);
    room_unlock(hope->room);
    return moved || atomic_load(&hope->op->done);
}

int transport_wait(void *state, struct dist_work *op)
{
    struct transport_room *room = state;
    struct hope hope = { room, op };
    struct patience patience = { 0 };
    if (atomic_load(&op->done))
        return op->status;
    enter(room);
    room_unlock(room);
    while (!atomic_load(&op->done)) {
        if (news(&hope))
            patience.rounds = 0;
        else if (!patience_spin(&patience))
            transport_sleep(room, op, news, &hope);
    }
    room_lock(room);
    leave(room);
    return op->status;
}

void transport_note(void *state, const struct dist_work *op)
{
    struct transport_room *room = state;
    room_lock(room);
    transport_drive(room);
    transport_notes_write(room, op);
    room_unlock(room);
}
