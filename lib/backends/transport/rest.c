/* rest.c: how a thread of the rank spins, and then sleeps, that waits for something (progress.c). */
#define _GNU_SOURCE
#include "state.h"

#include <sched.h>
#include <sys/resource.h>

#define SPIN_NS 10000000   /* so long a waiter looks without a nap */
#define MODEST_ROUNDS 2    /* looks of one that does not spin where it will be notified, */
#define MODEST_WAITS 500   /* and for how many waits it does not, or gives way */
#define LONG_WAIT_NS 50000 /* after which a core may have been lost to another rank */

/* ---- spinning ------------------------------------------------------------------------------------------ */

/* Only a rank of this machine can end it, and notifies then. */
static bool rest_waits_near(const struct transport_state *state, const struct dist_work *op)
{
    const struct transport_group *g = op->group->state;
    if (op->p2p)
        return op->peer != DIST_ANY_SOURCE && near_has(state, op->peer);
    return g && g->leader != op->group->rank;
}

/* How often others took the core from this thread. */
static long rest_switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

struct spin transport_spin_for(const struct transport_state *state, const struct dist_work *op)
{
    bool modest = state->modest > 0, near = modest && rest_waits_near(state, op);
    return (struct spin){ .sleeps = near, .yields = modest && !near };
}

/*
 * Rounds alone do not say how long: a look takes MPICH some 5 us, and Open MPI 90. Until its ranks sleep nobody can tell a deadlock.
 *
 * Hosts of namespaces, or of a hypervisor, have fewer cores than each believes. Who spins there is in the way of those that it waits for:
 * MPICH's ranks, which do not give way, of 3 hosts x 2 on 2 cores took 40 times as long. So who has waited for long, and lost its core since
 * it did so last, is modest for some waits: where it will be notified it sleeps soon, and waits for another machine it gives way after each look.
 */
bool transport_spin(struct spin *spin)
{
    unsigned rounds = spin->backoff.rounds;
    if (rounds == 0)
        spin->until = launch_clock_ns() + SPIN_NS;
    if (spin->sleeps && rounds >= MODEST_ROUNDS)
        return false;
    if (rounds % 16 == 15 && launch_clock_ns() >= spin->until)
        return false;
    if (spin->yields)
        sched_yield();
    return backoff_spin(&spin->backoff);
}

/* Who gave way, and nobody came, soon tries to do without. (Who does not look in a row, backoff_looks(), gives way anyhow.) */
void transport_spun(struct transport_state *state, const struct spin *spin)
{
    bool may_lose = backoff_looks() > 0 && spin->until && !spin->sleeps,
         asks = spin->yields || (may_lose && launch_clock_ns() > spin->until - SPIN_NS + LONG_WAIT_NS);
    long now = asks ? rest_switches() : state->switches;
    int less = spin->yields ? MODEST_WAITS / 10 : 1;
    state->modest = now != state->switches ? MODEST_WAITS : state->modest > less ? state->modest - less : 0;
    state->switches = now;
}

/* ---- sleeping ------------------------------------------------------------------------------------------ */

bool transport_bytes_move(const struct transport_state *state)
{
    return transport_flies(state) || (!state->spread && transport_moves(state));
}

/* The nap after this one. Where the transport wakes a sleeper each look in between would only be in the way of its threads. */
int64_t transport_nap(const struct transport_state *state, int64_t nap)
{
    return state->transport->wakes ? LONG_NAP : nap < LONG_NAP ? nap + nap / 4 : nap;
}

/* MPI may tell a sender that its data were received only when the receiver looks again: MPICH, whose answer finds its queue through shared
 * memory full (UCX 1.13). Over several machines a sleeper looks by itself; where all goes by MPI on one, who has data under way has it look. */
void transport_remind(struct transport_state *state)
{
    for (int rank = 0; rank < state->size && state->flat && !state->spread; rank++)
        wire_announce(state, rank);
}

struct rest {
    struct transport_state *state;
    bool (*news)(void *);
    void *argument;
};

/* There is news, or another thread has sent bytes on their way before it could see the sleeper. */
static bool rest_ends(void *argument)
{
    const struct rest *rest = argument;
    if (rest->news(rest->argument))
        return true;
    state_lock(rest->state);
    bool moves = transport_bytes_move(rest->state);
    state_unlock(rest->state);
    return moves;
}

void transport_sleep(struct transport_state *state, const struct dist_work *op, bool (*news)(void *),
                     void *argument)
{
    struct rest rest = { state, news, argument };
    state_lock(state);
    wire_reap(state);
    bool moves = transport_bytes_move(state);
    if (!moves) {
        transport_notes_write(state, op);
        transport_count_heard(state);
        state->rests = true;
    } else {
        transport_remind(state);
    }
    state->nap = !moves ? SHORT_NAP : transport_nap(state, state->nap);
    int64_t nap = state->nap;
    state_unlock(state);
    if (!moves && state->spread && !state->transport->wakes) {
        launch_listen(state->self, &state->slot->eventcount, rest_ends, &rest, NAP);
        return;
    }
    if (!moves) {
        launch_sleep(state->self, &state->slot->eventcount, rest_ends, &rest, NAP, false);
        return;
    }
    eventcount_sleep_for(&state->slot->eventcount, news, argument, nap, NULL);
    if (dist_time() > state->looked + NAP / 1e3) {
        state->looked = dist_time();
        launch_look_around(state->self);
    }
}
