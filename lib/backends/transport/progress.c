/*
 * progress.c: each thread of the rank that enters drives all open operations.
 *
 * No transport goes on by itself. So the rank's own thread drives it in each of its calls, and while the program computes, a thread of
 * ours does, the progress thread. It is started by the first op that is left open, and rests while another thread waits here. Both
 * nap while something is under way, and sleep on their event counts while nothing is.
 */
#include "state.h"

#include <stdlib.h>

#define LOOK_NS 100000 /* between two looks of who only starts */

void transport_done(struct dist_work *op, int status)
{
    if (op->step == STEP_ASIDE) {
        atomic_fetch_sub(&op->group->untaken, 1);
        free(op->aside);
        free(op);
        return;
    }
    op->status = status;
    atomic_store(&op->done, 1);
}

bool transport_look_at_job(struct transport_state *state)
{
    if (state->failed || !world_failed(&state->self->world))
        return false;
    struct why why;
    int status = backend_failed(&state->self->world, &why);
    transport_fail(state, status, why.text);
    return true;
}

/* ---- driving --------------------------------------------------------------------------------------------- */

/* A look may cost a poll of all sockets: stop once `until` is done. */
bool transport_drive(struct transport_state *state, const struct dist_work *until)
{
    bool moved = transport_look_at_job(state);
    bundles_flush(state, BUNDLES_URGENT);
    while (!state->failed && !(until && atomic_load(&until->done)) &&
           (wire_hear(state) || wire_progress(state, &state->flights) || offers_progress(state) ||
            ahead_progress(state))) {
        moved = true;
        bundles_flush(state, BUNDLES_URGENT);
    }
    return moved;
}

void transport_count_heard(struct transport_state *state)
{
    if (state->spread)
        atomic_store(&state->notes->heard, state->heard);
}

bool transport_moves(const struct transport_state *state)
{
    return !state->failed && (transport_flies(state) || (state->spread && !state->transport->wakes) ||
                              atomic_load(&state->ranks[state->rank].coming) > 0);
}

bool transport_is_open(const struct transport_state *state)
{
    return state->sends.first || state->members.first || state->posted.first || state->flights.first;
}

/* ---- enter and leave ------------------------------------------------------------------------------------------ */

static void progress_enter(struct transport_state *state)
{
    state_lock(state);
    state->drivers++;
    atomic_store(&state->ranks[state->rank].listens, 0);
}

/*
 * What is left is the progress thread's, or that of another thread which waits here. Others of this rank's sleep on the same event count: they are
 * notified if something of theirs may be over (`moved`), or if one rests that must nap now; and not else, for who asks again and again, as
 * the thread of a collective by messages does, would notify itself awake.
 */
static void progress_leave(struct transport_state *state, bool moved)
{
    if (state->progress.runs && transport_is_open(state))
        wire_reap(state);
    bundles_flush(state, state->progress.runs ? BUNDLES_FIRST : BUNDLES_URGENT);
    bool open = transport_is_open(state) || transport_flies(state) || state->bundles.count > 0;
    transport_count_heard(state);
    state->drivers--;
    if (state->drivers == 0 && open && state->progress.runs)
        atomic_store(&state->ranks[state->rank].listens, 1);
    bool asleep = (state->progress_sleeps && (transport_moves(state) || state->bundles.count > 0)) ||
                  (state->progress_naps_long && transport_is_open(state)),
         needed = open && asleep && state->drivers == 0,
         notifies = moved || (state->rests && transport_bytes_move(state));
    state->progress_sleeps &= !needed;
    state->progress_naps_long &= !needed;
    state->rests &= !notifies;
    state_unlock(state);
    if (needed)
        eventcount_advance(&state->slot->progress);
    if (notifies)
        eventcount_notify(&state->slot->eventcount);
}

bool transport_test(void *own, struct dist_work *op)
{
    struct transport_state *state = own;
    atomic_fetch_add_explicit(&state->waits, 1, memory_order_relaxed);
    if (atomic_load(&op->done))
        return true;
    progress_enter(state);
    bundles_see_wait(state);
    bool moved = transport_drive(state, op);
    if (!moved) /* perhaps it asks for a long time */
        answers_flush(state);
    progress_leave(state, moved);
    return atomic_load(&op->done);
}

/* ---- waiting ------------------------------------------------------------------------------------------------------ */

struct awaited {
    struct transport_state *state;
    const struct dist_work *op;
};

static bool progress_news(void *argument)
{
    const struct awaited *awaited = argument;
    struct transport_state *state = awaited->state;
    state_lock(state);
    bool moved = transport_drive(state, awaited->op);
    if (!moved) /* who has to wait lets nobody wait */
        answers_flush(state);
    state->nap = moved ? SHORT_NAP : state->nap;
    state_unlock(state);
    if (moved) /* perhaps for another thread of this rank's */
        eventcount_notify(&state->slot->eventcount);
    return moved || atomic_load(&awaited->op->done);
}

static int progress_wait_and_leave(struct transport_state *state, struct dist_work *op)
{
    struct awaited awaited = { state, op };
    struct spin spin = transport_spin_for(state, op);
    while (!atomic_load(&op->done)) {
        if (progress_news(&awaited))
            spin.backoff.rounds = 0;
        else if (!transport_spin(&spin))
            transport_sleep(state, op, progress_news, &awaited);
    }
    state_lock(state);
    transport_spun(state, &spin);
    progress_leave(state, false);
    return op->status;
}

int transport_wait(void *own, struct dist_work *op)
{
    struct transport_state *state = own;
    atomic_fetch_add_explicit(&state->waits, 1, memory_order_relaxed);
    if (atomic_load(&op->done))
        return op->status;
    progress_enter(state);
    bundles_see_wait(state);
    state_unlock(state);
    return progress_wait_and_leave(state, op);
}

/* ---- starting ----------------------------------------------------------------------------------------------------- */

/* This thread waits next. Wake one that sleeps without a limit: bytes may be under way, so it must poll. */
static void progress_stay(struct transport_state *state)
{
    bool notifies = state->rests;
    state->rests = false;
    state_unlock(state);
    if (notifies)
        eventcount_notify(&state->slot->eventcount);
}

/* A look at all sockets may take longer than to start an op, and mostly more are started at once, and then waited for. */
static void progress_drive_now_and_then(struct transport_state *state)
{
    int64_t now = launch_clock_ns();
    if (now - state->drove < LOOK_NS)
        return;
    state->drove = now;
    transport_drive(state, NULL);
}

int transport_start(struct transport_state *state, struct dist_work *op,
                    void (*post)(struct transport_state *, struct dist_work *))
{
    progress_enter(state);
    if (op->async && !transport_thread_start(state))
        transport_fail(state, DIST_ERR_SYSTEM, BACKEND_NO_THREAD);
    transport_look_at_job(state);
    int status = state->failed;
    if (status) {
        op->why = state->why;
        transport_done(op, status);
        progress_leave(state, true);
        return status;
    }
    bool async = op->async;
    post(state, op);
    if (!async) {
        if (!op->sends || !atomic_load(&op->done)) { /* a copy is sent like something that is started */
            state->waits++;
            bundles_see_wait(state);
        }
        progress_stay(state);
        return progress_wait_and_leave(state, op);
    }
    progress_drive_now_and_then(state);
    status = state->failed;
    progress_leave(state, true);
    return status;
}

void transport_note(void *own, const struct dist_work *op)
{
    struct transport_state *state = own;
    progress_enter(state);
    bool moved = transport_drive(state, NULL);
    answers_flush(state);
    transport_notes_write(state, op);
    progress_leave(state, moved);
}
