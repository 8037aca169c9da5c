/*
 * progress.c: whoever comes by does what can be done.
 *
 * No transport goes on by itself. So the rank's own thread drives it in each of its calls, and while the program computes, a thread of
 * ours does, the progress thread. It is started by the first op that is left open, and rests while another thread waits here. Both
 * nap while something is under way, and sleep on their bells while nothing is.
 */
#define _GNU_SOURCE
#include "ahead.h"
#include "answers.h"
#include "bundles.h"
#include "offers.h"

#include <stdio.h>

#define LOOK_NS 100000 /* between two looks of who only starts */

void transport_done(struct dist_work *op, int status)
{
    op->status = status;
    atomic_store(&op->done, 1);
}

static void progress_give_up_with_job(struct transport_room *room)
{
    struct dist_work op = { .call = CALL_BARRIER };
    int status = backend_failed(&room->self->world, &op);
    transport_fail(room, status, op.why);
}

static bool progress_look_at_job(struct transport_room *room)
{
    if (room->failed || !world_failed(&room->self->world))
        return false;
    progress_give_up_with_job(room);
    return true;
}

/* ---- driving --------------------------------------------------------------------------------------------- */

/* Each look may cost a look at all sockets. So who has what it waits for looks no more. */
bool transport_drive(struct transport_room *room, const struct dist_work *until)
{
    bool moved = progress_look_at_job(room);
    bundles_let_urgent(room);
    while (!room->failed && !(until && atomic_load(&until->done)) &&
           (wire_hear(room) || wire_progress(room) || offers_progress(room) || ahead_progress(room))) {
        moved = true;
        bundles_let_urgent(room);
    }
    return moved;
}

void transport_count_heard(struct transport_room *room)
{
    if (room->spread)
        atomic_store(&room->notes->heard, room->heard);
}

bool transport_moves(const struct transport_room *room)
{
    return !room->failed && (transport_flies(room) || (room->spread && !room->transport->wakes) ||
                             atomic_load(&room->ranks[room->rank].coming) > 0);
}

bool transport_is_open(const struct transport_room *room)
{
    return room->sends.first || room->members.first || room->posted.first || room->flights.first;
}

/* ---- coming and going ------------------------------------------------------------------------------------------ */

static void progress_enter(struct transport_room *room)
{
    room_lock(room);
    room->drivers++;
    atomic_store(&room->ranks[room->rank].listens, 0);
}

/*
 * What is left is the progress thread's, or that of another thread which waits here. Others of this rank's sleep on the same bell: they are
 * rung if something of theirs may be over (`moved`), or if one rests that must nap now; and not else, for who asks again and again, as
 * the thread of a collective by messages does, would ring itself awake.
 */
static void progress_leave(struct transport_room *room, bool moved)
{
    if (room->progress.runs && transport_is_open(room))
        wire_reap(room);
    if (room->progress.runs)
        bundles_let_first(room);
    else
        bundles_let_urgent(room);
    bool open = transport_is_open(room) || transport_flies(room) || room->bundles.count > 0;
    transport_count_heard(room);
    room->drivers--;
    if (room->drivers == 0 && open && room->progress.runs)
        atomic_store(&room->ranks[room->rank].listens, 1);
    bool asleep = (room->progress_sleeps && (transport_moves(room) || room->bundles.count > 0)) ||
                  (room->progress_naps_long && transport_is_open(room)),
         strike = open && asleep && room->drivers == 0,
         rings = moved || (room->rests && transport_bytes_move(room));
    room->progress_sleeps &= !strike;
    room->progress_naps_long &= !strike;
    room->rests &= !rings;
    room_unlock(room);
    if (strike)
        bell_strike(&room->slot->helper);
    if (rings)
        bell_ring(&room->slot->bell);
}

bool transport_test(void *state, struct dist_work *op)
{
    struct transport_room *room = state;
    atomic_fetch_add_explicit(&room->waits, 1, memory_order_relaxed);
    if (atomic_load(&op->done))
        return true;
    progress_enter(room);
    bool moved = transport_drive(room, op);
    if (!moved) /* perhaps it asks for a long time */
        answers_pay(room);
    progress_leave(room, moved);
    return atomic_load(&op->done);
}

/* ---- waiting ------------------------------------------------------------------------------------------------------ */

struct hope {
    struct transport_room *room;
    const struct dist_work *op;
};

static bool progress_news(void *argument)
{
    const struct hope *hope = argument;
    struct transport_room *room = hope->room;
    room_lock(room);
    bool moved = transport_drive(room, hope->op);
    if (!moved) /* who has to wait lets nobody wait */
        answers_pay(room);
    room->nap = moved ? SHORT_NAP : room->nap;
    room_unlock(room);
    if (moved) /* perhaps for another thread of this rank's */
        bell_ring(&room->slot->bell);
    return moved || atomic_load(&hope->op->done);
}

static int progress_wait_and_leave(struct transport_room *room, struct dist_work *op)
{
    struct hope hope = { room, op };
    struct spin spin = transport_spin_for(room, op);
    while (!atomic_load(&op->done)) {
        if (progress_news(&hope))
            spin.patience.rounds = 0;
        else if (!transport_spin(&spin))
            transport_sleep(room, op, progress_news, &hope);
    }
    room_lock(room);
    transport_spun(room, &spin);
    progress_leave(room, false);
    return op->status;
}

int transport_wait(void *state, struct dist_work *op)
{
    struct transport_room *room = state;
    atomic_fetch_add_explicit(&room->waits, 1, memory_order_relaxed);
    if (atomic_load(&op->done))
        return op->status;
    progress_enter(room);
    room_unlock(room);
    return progress_wait_and_leave(room, op);
}

/* ---- starting ----------------------------------------------------------------------------------------------------- */

/* This thread goes on to wait: but another one of this rank's, that sleeps, may have to nap from now on. */
static void progress_stay(struct transport_room *room)
{
    bool rings = room->rests;
    room->rests = false;
    room_unlock(room);
    if (rings)
        bell_ring(&room->slot->bell);
}

/* A look at all sockets may take longer than to start an op, and mostly more are started at once, and then waited for. */
static void progress_drive_now_and_then(struct transport_room *room)
{
    int64_t now = launch_clock_ns();
    if (now - room->drove < LOOK_NS)
        return;
    room->drove = now;
    transport_drive(room, NULL);
}

int transport_start(struct transport_room *room, struct dist_work *op,
                    void (*post)(struct transport_room *, struct dist_work *))
{
    progress_enter(room);
    if (op->async && !transport_thread_start(room))
        transport_fail(room, DIST_ERR_SYSTEM,
                       "the system gives no thread for communication in the background");
    progress_look_at_job(room);
    int status = room->failed;
    if (status) {
        snprintf(op->why, sizeof op->why, "%s", room->why);
        transport_done(op, status);
        progress_leave(room, true);
        return status;
    }
    bool async = op->async;
    post(room, op);
    if (!async) {
        if (!op->sends || !atomic_load(&op->done)) /* a copy is sent like something that is started */
            room->waits++;
        progress_stay(room);
        return progress_wait_and_leave(room, op);
    }
    progress_drive_now_and_then(room);
    status = room->failed;
    progress_leave(room, true);
    return status;
}

void transport_note(void *state, const struct dist_work *op)
{
    struct transport_room *room = state;
    progress_enter(room);
    bool moved = transport_drive(room, NULL);
    answers_pay(room);
    transport_notes_write(room, op);
    progress_leave(room, moved);
}
