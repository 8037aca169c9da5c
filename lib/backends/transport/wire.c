/* wire.c: notes go out and come in; what is under way is tested until it is over. */
#include "bundles.h"
#include "meet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTES_REAPED 32 /* so many at once */

/* ---- under way -------------------------------------------------------------------------------------- */

void wire_broken(struct transport_room *room)
{
    char why[200];
    snprintf(why, sizeof why, "the transport has failed: %.150s", room->transport->error());
    transport_fail(room, DIST_ERR_SYSTEM, why);
}

void wire_open(struct transport_room *room)
{
    room->flights = (struct flights){ .end = &room->flights.first };
    room->notes_out = (struct flights){ .end = &room->notes_out.first };
}

static void wire_add_flight(struct flights *flights, struct flight *flight)
{
    flight->next = NULL;
    *flights->end = flight;
    flights->end = &flight->next;
    flights->count++;
}

void wire_hang_up(struct transport_room *room, struct flight *notes)
{
    wire_add_flight(&room->notes_out, notes);
    if (room->notes_out.count % NOTES_REAPED == 0)
        wire_reap(room);
}

void wire_fly(struct transport_room *room, transport_request request, struct dist_work *op)
{
    struct flight *flight = malloc(sizeof *flight);
    if (!flight)
        transport_fail(room, DIST_ERR_MEMORY, "the system gives no memory for what is under way");
    else if (request == 0)
        wire_broken(room);
    if (room->failed) {
        free(flight);
        transport_done(op, room->failed);
        return;
    }
    *flight = (struct flight){ .request = request, .op = op };
    wire_add_flight(&room->flights, flight);
}

void wire_swallow(struct transport_room *room, int from, size_t bytes, uint64_t tag)
{
    struct flight *flight = malloc(sizeof *flight + bytes);
    if (!flight) {
        transport_fail(room, DIST_ERR_MEMORY, "there is no memory left for a message that does not fit");
        return;
    }
    flight->op = NULL;
    flight->request = room->transport->recv(flight->note, bytes, from, tag);
    wire_add_flight(&room->flights, flight);
    if (flight->request == 0)
        wire_broken(room);
}

static void wire_land(struct transport_room *room, struct dist_work *op)
{
    if (op->p2p && op->sends)
        messages_end(op, DIST_OK);
    else if (op->p2p)
        transport_done(op, DIST_OK);
    else if (op->step == STEP_BETWEEN)
        levels_finish(room, op);
    else if (op->step == STEP_RING)
        ring_landed(room, op);
    else
        collect_finish(op);
}

int wire_test(struct transport_room *room, transport_request *request)
{
    int done = room->transport->test(request);
    if (done < 0)
        wire_broken(room);
    return done;
}

/* True: some have landed. */
static bool wire_test_all(struct transport_room *room, struct flights *flights)
{
    bool moved = false;
    for (struct flight **at = &flights->first, *flight; (flight = *at);) {
        int done = wire_test(room, &flight->request);
        if (done < 0)
            return true;
        if (done == 0) {
            at = &flight->next;
            continue;
        }
        *at = flight->next;
        flights->count--;
        if (!*at)
            flights->end = at;
        if (flight->op)
            wire_land(room, flight->op);
        free(flight);
        moved = true;
        if (room->failed) /* the list was forgotten, and who waited for what was in it no longer does */
            return true;
    }
    return moved;
}

bool wire_progress(struct transport_room *room)
{
    return wire_test_all(room, &room->flights);
}

/* Each test may cost a look at all sockets, and nobody waits for a note to have left: they are tested together, now and then. */
void wire_reap(struct transport_room *room)
{
    wire_test_all(room, &room->notes_out);
}

/* ---- notes ------------------------------------------------------------------------------------------- */

static void wire_read_note(struct transport_room *room, int from, const struct wire *wire)
{
    if (wire->kind <= WIRE_KNOWN)
        messages_hear(room, from, wire);
    else
        meet_hear(room, from, wire);
}

/* It is counted before it leaves, and rung for after. */
void wire_count(struct transport_room *room, int peer)
{
    if (room->spread)
        atomic_fetch_add(&world_notes(&room->self->world, peer)->sent, 1);
    else
        atomic_fetch_add(&room->ranks[peer].coming, 1);
}

void wire_announce(struct transport_room *room, int peer)
{
    if (room->failed || (room->spread && !near_has(room, peer)))
        return; /* nobody can ring between machines */
    struct rank_slot *slot = &room->self->world.header->slots[peer];
    bell_ring(&slot->bell);
    if (atomic_load(&room->ranks[peer].listens))
        bell_strike(&slot->helper);
}

static void wire_send_note(struct transport_room *room, int peer, const struct wire *wire, size_t bytes,
                           const void *data, size_t inside, bool waits)
{
    if (peer == room->rank) {
        wire_read_note(room, peer, wire);
        return;
    }
    wire_count(room, peer);
    bool near = near_has(room, peer);
    if (!(near ? near_send(room, peer, wire, bytes, data, inside)
               : bundles_add(room, peer, wire, bytes, data, inside, waits)))
        transport_fail(room, DIST_ERR_MEMORY, "there is no memory left for a message");
    if (near)
        wire_announce(room, peer);
}

void wire_send(struct transport_room *room, int peer, const struct wire *wire, size_t bytes)
{
    wire_send_note(room, peer, wire, bytes, "", 0, false);
}

void wire_send_message(struct transport_room *room, int peer, const struct wire *wire, const void *data,
                       size_t inside)
{
    wire_send_note(room, peer, wire, WIRE_ONE, data, inside, false);
}

void wire_send_later(struct transport_room *room, int peer, const struct wire *wire, size_t bytes)
{
    wire_send_note(room, peer, wire, bytes, "", 0, true);
}

size_t wire_inside(const struct transport_room *room, int peer, size_t bytes)
{
    size_t most = room->spread && !near_has(room, peer) ? INSIDE_FAR : INSIDE_NEAR;
    return peer != room->rank && bytes <= most ? bytes : 0;
}

void wire_heard(struct transport_room *room)
{
    room->heard++;
    if (!room->spread)
        atomic_fetch_sub(&room->ranks[room->rank].coming, 1);
}

/* Mostly those of this machine are looked for first; but who sends without end must not be all that is heard. */
static int wire_next_note(struct transport_room *room, struct wire *wire, int *from)
{
    bool far_first = room->spread && ++room->looks % 16 == 0;
    if (!room->spread && atomic_load(&room->ranks[room->rank].coming) == 0)
        return 0;
    int bytes = far_first ? 0 : near_hear(room, wire, from);
    if (bytes == 0)
        bytes = room->transport->hear(wire, TRANSPORT_NOTE, from);
    return bytes == 0 && far_first ? near_hear(room, wire, from) : bytes;
}

bool wire_hear(struct transport_room *room)
{
    union {
        struct wire first;
        char bytes[TRANSPORT_NOTE]; /* and all behind it */
    } notes;
    int from, bytes = wire_next_note(room, &notes.first, &from);
    if (bytes < 0)
        wire_broken(room);
    for (int at = 0; at < bytes && !room->failed;) {
        const struct wire *wire = (const struct wire *)(const void *)(notes.bytes + at);
        at += wire->bytes;
        wire_read_note(room, from, wire);
        wire_heard(room);
    }
    return bytes != 0;
}
