/*
 * leave.c: how it ends. By a failure: then all that is open is given up at once. Or by leaving the job: then what was sent is taken first,
 * and collectives are over, but for those that nobody will come for any more.
 */
#define _GNU_SOURCE
#include "meet.h"
#include "../common/members.h"

#include <time.h>

#define GRACE 10 /* s, until a lost connection is told */

/* ---- failing ------------------------------------------------------------------------------------------- */

static void leave_give_up(struct transport_state *state, struct dist_work *op)
{
    op->why = state->why;
    if (op->step != STEP_ASIDE || !op->ticket) /* (a copy on offer stays, too) */
        transport_done(op, state->failed);
}

/* Its op, which may have another flight, is its caller's again as soon as it is given up. */
static void leave_ground(struct transport_state *state, struct flight *flight)
{
    struct dist_work *op = flight->op;
    if (!op || op->step == STEP_ASIDE)
        return;
    for (; flight; flight = flight->next)
        if (flight->op == op)
            flight->op = NULL;
    leave_give_up(state, op);
}

/* What is under way stays where it is: the transport may still look at it. */
void transport_fail(struct transport_state *state, int status, const char *why)
{
    if (state->failed)
        return;
    state->failed = status;
    why_say(&state->why, "%s", why);
    struct op_queue *const queues[] = { &state->sends, &state->members, &state->held };
    for (int i = 0; i < 3; i++)
        while (queues[i]->first)
            leave_give_up(state, queue_take(queues[i], &queues[i]->first));
    for (struct match *match; (match = state->posted.first);) {
        match_remove(&state->posted, match);
        leave_give_up(state, match_receive(match));
    }
    for (struct flight *flight = state->flights.first; flight; flight = flight->next)
        leave_ground(state, flight);
    wire_open(state);
}

/* Whose connection ends has died, and the launcher is about to say so, in better words. */
void transport_broken(struct transport_state *state, const char *what)
{
    struct why why;
    int64_t end = launch_clock_ns() + GRACE * INT64_C(1000000000);
    why_say(&why, "%s: %.150s", what, state->transport->error());
    while (!transport_look_at_job(state) && !state->failed && launch_clock_ns() < end) {
        launch_look_around(state->self);
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    transport_fail(state, DIST_ERR_SYSTEM, why.text);
}

/* ---- leaving ------------------------------------------------------------------------------------------- */

/* Who has left sends no more, so what it has not sent by now (nothing is coming) it never will. */
static bool leave_is_deserted(struct transport_state *state, const struct dist_work *op)
{
    if (world_over(&state->self->world))
        return true;
    if (state->spread) /* how far other machines' are is not known here; the watchers say when all are */
        return false;
    if (atomic_load(&state->ranks[state->rank].coming) > 0)
        return false;
    return !op->p2p && op->group->rank == 0
               ? meet_desert(state, op)
               : member_is_gone(state->self, op->p2p ? op->peer : op->group->ranks[0]);
}

/* Of a monitored_barrier nobody waits for what is left: it was given up. */
static void leave_drop(struct transport_state *state, struct op_queue *queue, bool *busy)
{
    for (struct dist_work **at = &queue->first, *op; (op = *at);) {
        if (!leave_is_deserted(state, op)) {
            *busy |= op->call != CALL_MONITORED_BARRIER;
            at = &op->next;
            continue;
        }
        queue_take(queue, at);
        if (op->p2p && state->self->untaken)
            state->self->untaken(state->self, op);
        if (op->p2p)
            offers_forget(state, op);
        transport_done(op, DIST_ERR_PEER_LOST);
    }
}

static bool leave_is_free(void *argument)
{
    struct transport_state *state = argument;
    state_lock(state);
    transport_drive(state, NULL);
    answers_flush(state);
    wire_reap(state);
    bool busy = transport_flies(state) || state->unknown > 0;
    leave_drop(state, &state->sends, &busy);
    leave_drop(state, &state->members, &busy);
    busy &= !state->failed;
    state_unlock(state);
    return !busy;
}

/* What is left then are receives that nobody has sent for. */
void transport_leave(void *own)
{
    struct transport_state *state = own;
    state_lock(state);
    state->drivers++;
    atomic_store(&state->ranks[state->rank].listens, 0);
    state_unlock(state);
    while (!leave_is_free(state))
        transport_sleep(state, NULL, leave_is_free, state);
    transport_thread_stop(state);
    while (state->posted.first) {
        struct dist_work *op = match_receive(state->posted.first);
        match_remove(&state->posted, state->posted.first);
        ahead_take_back(state, op);
        transport_done(op, DIST_ERR_PEER_LOST);
    }
}
