/* wire.c: notes go out and come in; what is under way is tested until it is over. */
#include "answers.h"
#include "meet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTES_REAPED 32 /* so many at once */
#define NOTE_USUAL 256  /* bytes, of one with few data */

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

static void hang_up(struct flights *flights, struct flight *flight)
{
    flight->next = NULL;
    *flights->end = flight;
    flights->end = &flight->next;
    flights->count++;
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
    hang_up(&room->flights, flight);
}

void wire_swallow(struct transport_room *room, int from, size_t bytes, int tag)
{
    struct flight *flight = malloc(sizeof *flight + bytes);
    if (!flight) {
        transport_fail(room, DIST_ERR_MEMORY, "there is no memory left for a message that does not fit");
        return;
    }
    flight->op = NULL;
    flight->request = room->transport->recv(flight->note, bytes, from, tag);
    hang_up(&room->flights, flight);
    if (flight->request == 0)
        wire_broken(room);
}

static void land(struct transport_room *room, struct dist_work *op)
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

/* True: some have landed. */
static bool test_all(struct transport_room *room, struct flights *flights)
{
    bool moved = false;
    for (struct flight **at = &flights->first, *flight; (flight = *at);) {
        int done = room->transport->test(&flight->request);
        if (done < 0) {
            wire_broken(room);
            return true;
        }
        if (done == 0) {
            at = &flight->next;
            continue;
        }
        *at = flight->next;
        flights->count--;
        if (!*at)
            flights->end = at;
        if (flight->op)
            land(room, flight->op);
        free(flight);
        moved = true;
        if (room->failed) /* the list was forgotten, and who waited for what was in it no longer does */
            return true;
    }
    return moved;
}

bool wire_progress(struct transport_room *room)
{
    return test_all(room, &room->flights);
}

/* Each test may cost a look at all sockets, and nobody waits for a note to have left: they are tested together, now and then. */
void wire_reap(struct transport_room *room)
{
    test_all(room, &room->notes_out);
}

/* ---- notes ------------------------------------------------------------------------------------------- */

static void read_note(struct transport_room *room, int from, const struct wire *wire)
{
    if (wire->kind <= WIRE_REFUSED)
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

/* The last one that the transport had done with at once, if it is large enough. */
static struct flight *take_note(struct transport_room *room, size_t bytes)
{
    struct flight *note = room->spare;
    room->spare = NULL;
    if (note && note->size >= bytes)
        return note;
    free(note);
    bytes = bytes > NOTE_USUAL ? bytes : NOTE_USUAL;
    if ((note = malloc(sizeof *note + bytes)))
        *note = (struct flight){ .size = bytes };
    return note;
}

static void send_by_transport(struct transport_room *room, int peer, const struct wire *wire, size_t bytes,
                              const void *data, size_t inside)
{
    struct flight *flight = take_note(room, bytes + inside + answers_bytes(room, peer));
    if (!flight) {
        transport_fail(room, DIST_ERR_MEMORY, "there is no memory left for a message");
        return;
    }
    memcpy(flight->note, wire, bytes);
    memcpy(flight->note + bytes, data, inside);
    bytes += inside + answers_take_along(room, peer, flight->note, bytes + inside);
    flight->request = room->transport->send(flight->note, bytes, peer, TRANSPORT_NOTES);
    if (flight->request != 0 && flight->request != TRANSPORT_SENT) {
        hang_up(&room->notes_out, flight);
        if (room->notes_out.count % NOTES_REAPED == 0)
            wire_reap(room);
        return;
    }
    room->spare = flight;
    if (flight->request == 0)
        wire_broken(room);
}

static void send_note(struct transport_room *room, int peer, const struct wire *wire, size_t bytes,
                      const void *data, size_t inside)
{
    if (peer == room->rank) {
        read_note(room, peer, wire);
        return;
    }
    wire_count(room, peer);
    if (!near_has(room, peer))
        send_by_transport(room, peer, wire, bytes, data, inside);
    else if (!near_send(room, peer, wire, bytes, data, inside))
        transport_fail(room, DIST_ERR_MEMORY, "there is no memory left for a message");
    wire_announce(room, peer);
}

void wire_send(struct transport_room *room, int peer, const struct wire *wire, size_t bytes)
{
    send_note(room, peer, wire, bytes, "", 0);
}

void wire_send_message(struct transport_room *room, int peer, const struct wire *wire, const void *data,
                       size_t inside)
{
    send_note(room, peer, wire, WIRE_ONE, data, inside);
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
static int hear(struct transport_room *room, struct wire *wire, int *from)
{
    bool far_first = room->spread && ++room->looks % 16 == 0;
    if (!room->spread && atomic_load(&room->ranks[room->rank].coming) == 0)
        return 0;
    if (!far_first && near_hear(room, wire, from))
        return 1;
    int bytes = room->transport->hear(wire, WIRE_MOST, from);
    return bytes == 0 && far_first ? near_hear(room, wire, from) : bytes;
}

bool wire_hear(struct transport_room *room)
{
    union {
        struct wire wire;
        char bytes[WIRE_MOST]; /* and the answers behind it */
    } note;
    int from, bytes = hear(room, &note.wire, &from);
    if (bytes < 0)
        wire_broken(room);
    if (bytes <= 0)
        return bytes < 0;
    answers_read(room, &note.wire, (size_t)bytes);
    read_note(room, from, &note.wire);
    wire_heard(room);
    return true;
}
