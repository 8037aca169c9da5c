/* rest.c: how a thread of the rank spins, and then sleeps, that waits for something (progress.c). */
#define _GNU_SOURCE
#include "answers.h"

#include <sched.h>
#include <sys/resource.h>

#define SPIN_NS 10000000   /* so long a waiter looks without a nap */
#define MODEST_ROUNDS 2    /* looks of one that does not spin where it will be rung, */
#define MODEST_WAITS 500   /* and for how many waits it does not, or gives way */
#define LONG_WAIT_NS 50000 /* after which a core may have been lost to another rank */

/* ---- spinning ------------------------------------------------------------------------------------------ */

/* Only a rank of this machine can end it, and rings then. */
static bool rest_waits_near(const struct transport_room *room, const struct dist_work *op)
{
    const struct transport_group *g = op->group->room;
    if (op->p2p)
        return op->peer != DIST_ANY_SOURCE && near_has(room, op->peer);
    return g && g->leader != op->group->rank;
}

/* How often others took the core from this thread. */
static long rest_switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

struct spin transport_spin_for(const struct transport_room *room, const struct dist_work *op)
{
    bool modest = room->modest > 0, near = modest && rest_waits_near(room, op);
    return (struct spin){ .sleeps = near, .yields = modest && !near };
}

/*
 * Rounds alone do not say how long: a look takes MPICH some 5 us, and Open MPI 90. Until its ranks sleep nobody can tell a deadlock.
 *
 * Hosts of namespaces, or of a hypervisor, have fewer cores than each believes. Who spins there is in the way of those that it waits for:
 * MPICH's ranks, which do not give way, of 3 hosts x 2 on 2 cores took 40 times as long. So who has waited for long, and lost its core since
 * it did so last, is modest for some waits: where it will be rung it sleeps soon, and waits for another machine it gives way after each look.
 */
bool transport_spin(struct spin *spin)
{
    unsigned rounds = spin->patience.rounds;
    if (rounds == 0)
        spin->until = launch_clock_ns() + SPIN_NS;
    if (spin->sleeps && rounds >= MODEST_ROUNDS)
        return false;
    if (rounds % 16 == 15 && launch_clock_ns() >= spin->until)
        return false;
    if (spin->yields)
        sched_yield();
    return patience_spin(&spin->patience);
}

/* Who gave way, and nobody came, soon tries to do without. (Who does not look in a row, patience_looks(), gives way anyhow.) */
void transport_spun(struct transport_room *room, const struct spin *spin)
{
    bool may_lose = patience_looks() > 0 && spin->until && !spin->sleeps,
         asks = spin->yields || (may_lose && launch_clock_ns() > spin->until - SPIN_NS + LONG_WAIT_NS);
    long now = asks ? rest_switches() : room->switches;
    int less = spin->yields ? MODEST_WAITS / 10 : 1;
    room->modest = now != room->switches ? MODEST_WAITS : room->modest > less ? room->modest - less : 0;
    room->switches = now;
}

/* ---- sleeping ------------------------------------------------------------------------------------------ */

/* Bytes are under way: whoever sleeps must nap, and look. */
bool transport_bytes_move(const struct transport_room *room)
{
    return transport_flies(room) || (!room->spread && transport_moves(room));
}

/* The nap after this one. Where the transport wakes a sleeper each look in between would only be in the way of its threads. */
int64_t transport_nap(const struct transport_room *room, int64_t nap)
{
    return room->transport->wakes ? LONG_NAP : nap < LONG_NAP ? nap + nap / 4 : nap;
}

struct rest {
    struct transport_room *room;
    bool (*news)(void *);
    void *argument;
};

/* There is news, or another thread has sent bytes on their way before it could see the sleeper. */
static bool rest_ends(void *argument)
{
    const struct rest *rest = argument;
    if (rest->news(rest->argument))
        return true;
    room_lock(rest->room);
    bool moves = transport_bytes_move(rest->room);
    room_unlock(rest->room);
    return moves;
}

void transport_sleep(struct transport_room *room, const struct dist_work *op, bool (*news)(void *),
                     void *argument)
{
    struct rest rest = { room, news, argument };
    room_lock(room);
    wire_reap(room);
    bool moves = transport_bytes_move(room);
    if (!moves) {
        transport_notes_write(room, op);
        transport_count_heard(room);
        room->rests = true;
    }
    room->nap = !moves ? SHORT_NAP : transport_nap(room, room->nap);
    int64_t nap = room->nap;
    room_unlock(room);
    if (!moves && room->spread && !room->transport->wakes) {
        launch_listen(room->self, &room->slot->bell, rest_ends, &rest, NAP);
        return;
    }
    if (!moves) {
        launch_sleep(room->self, &room->slot->bell, rest_ends, &rest, NAP, false);
        return;
    }
    bell_sleep_for(&room->slot->bell, news, argument, nap, NULL);
    if (dist_time() > room->looked + NAP / 1e3) {
        room->looked = dist_time();
        launch_look_around(room->self);
    }
}
