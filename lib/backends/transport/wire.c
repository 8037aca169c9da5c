/* wire.c: notes go out and come in; what is under way is tested until it is over. */
#include "meet.h"

#include <stdlib.h>

#define NOTES_REAPED 32 /* so many at once */

/* ---- under way -------------------------------------------------------------------------------------- */

void wire_broken(struct transport_state *state)
{
    transport_broken(state, "the transport has failed");
}

void wire_open(struct transport_state *state)
{
    state->flights = (struct flights){ .end = &state->flights.first };
    state->notes_out = (struct flights){ .end = &state->notes_out.first };
}

static void wire_add_flight(struct flights *flights, struct flight *flight)
{
    flight->next = NULL;
    *flights->end = flight;
    flights->end = &flight->next;
    flights->count++;
}

void wire_keep_notes(struct transport_state *state, struct flight *notes)
{
    wire_add_flight(&state->notes_out, notes);
    if (state->notes_out.count % NOTES_REAPED == 0)
        wire_reap(state);
}

static bool wire_flies(const struct transport_state *state, const struct dist_work *op)
{
    for (const struct flight *flight = state->flights.first; flight; flight = flight->next)
        if (flight->op == op)
            return true;
    return false;
}

void wire_fly(struct transport_state *state, transport_request request, struct dist_work *op)
{
    struct flight *flight = state->failed ? NULL : malloc(sizeof *flight);
    if (flight) {
        *flight = (struct flight){ .request = request, .op = op };
        wire_add_flight(&state->flights, flight);
        if (request == 0)
            wire_broken(state); /* it gives up all that is under way, this op too */
        return;
    }
    bool has_another = wire_flies(state, op);
    transport_fail(state, DIST_ERR_MEMORY, "the system gives no memory for what is under way");
    if (!has_another)
        transport_done(op, state->failed);
}

void wire_swallow(struct transport_state *state, int from, size_t bytes, uint64_t tag)
{
    struct flight *flight = malloc(sizeof *flight + bytes);
    if (!flight) {
        transport_fail(state, DIST_ERR_MEMORY, "there is no memory left for a message that does not fit");
        return;
    }
    flight->op = NULL;
    flight->request = state->transport->recv(flight->note, bytes, from, tag);
    wire_add_flight(&state->flights, flight);
    if (flight->request == 0)
        wire_broken(state);
}

static void wire_land(struct transport_state *state, struct dist_work *op)
{
    if (op->p2p)
        transport_done(op, DIST_OK);
    else if (op->step == STEP_RING)
        ring_landed(state, op);
    else
        collect_landed(state, op);
}

int wire_test(struct transport_state *state, transport_request *request)
{
    int done = state->transport->test(request);
    if (done < 0)
        wire_broken(state);
    return done;
}

bool wire_progress(struct transport_state *state, struct flights *flights)
{
    bool moved = false;
    for (struct flight **at = &flights->first, *flight; (flight = *at);) {
        int done = wire_test(state, &flight->request);
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
            wire_land(state, flight->op);
        free(flight);
        moved = true;
        if (state->failed) /* the list was forgotten, and who waited for what was in it no longer does */
            return true;
    }
    return moved;
}

/* Each test may cost a look at all sockets, and nobody waits for a note to have left: they are tested together, now and then. */
void wire_reap(struct transport_state *state)
{
    wire_progress(state, &state->notes_out);
}

/* ---- notes ------------------------------------------------------------------------------------------- */

static void wire_read_note(struct transport_state *state, int from, const struct wire *wire)
{
    if (wire->kind <= WIRE_KNOWN)
        messages_hear(state, from, wire);
    else
        meet_hear(state, from, wire);
}

/* A note is counted before it leaves, and its receiver notified after. */
void wire_count(struct transport_state *state, int peer)
{
    if (state->spread)
        atomic_fetch_add(&world_notes(&state->self->world, peer)->sent, 1);
    else
        atomic_fetch_add(&state->ranks[peer].coming, 1);
}

void wire_announce(struct transport_state *state, int peer)
{
    if (state->failed || (state->spread && !near_has(state, peer)))
        return; /* nobody can notify between machines */
    struct rank_slot *slot = &state->self->world.header->slots[peer];
    eventcount_notify(&slot->eventcount);
    if (atomic_load(&state->ranks[peer].listens))
        eventcount_advance(&slot->progress);
}

static void wire_send_note(struct transport_state *state, int peer, const struct wire *wire, size_t bytes,
                           const void *data, size_t inside, bool waits)
{
    if (peer == state->rank) {
        wire_read_note(state, peer, wire);
        return;
    }
    wire_count(state, peer);
    bool near = near_has(state, peer);
    if (!(near ? near_send(state, peer, wire, bytes, data, inside)
               : bundles_add(state, peer, wire, bytes, data, inside, waits)))
        transport_fail(state, DIST_ERR_MEMORY, "there is no memory left for a message");
    if (near)
        wire_announce(state, peer);
}

void wire_send(struct transport_state *state, int peer, const struct wire *wire, size_t bytes)
{
    wire_send_note(state, peer, wire, bytes, "", 0, false);
}

void wire_send_message(struct transport_state *state, int peer, const struct wire *wire, const void *data,
                       size_t inside)
{
    wire_send_note(state, peer, wire, WIRE_ONE, data, inside, false);
}

void wire_send_later(struct transport_state *state, int peer, const struct wire *wire, size_t bytes)
{
    wire_send_note(state, peer, wire, bytes, "", 0, true);
}

size_t wire_inside(const struct transport_state *state, int peer, size_t bytes)
{
    size_t most = state->spread && !near_has(state, peer) ? INSIDE_FAR : INSIDE_NEAR;
    return peer != state->rank && bytes <= most ? bytes : 0;
}

void wire_heard(struct transport_state *state)
{
    state->heard++;
    if (!state->spread)
        atomic_fetch_sub(&state->ranks[state->rank].coming, 1);
}

/* Mostly those of this machine are looked for first; but who sends without end must not be all that is heard. */
static int wire_next_note(struct transport_state *state, struct wire *wire, int *from)
{
    bool sometimes = ++state->looks % 16 == 0, far_first = state->spread && sometimes;
    if (!state->spread && atomic_load(&state->ranks[state->rank].coming) == 0 && !(state->flat && sometimes))
        return 0;
    int bytes = far_first ? 0 : near_hear(state, wire, from);
    if (bytes == 0)
        bytes = state->transport->hear(wire, from);
    return bytes == 0 && far_first ? near_hear(state, wire, from) : bytes;
}

bool wire_hear(struct transport_state *state)
{
    union {
        struct wire first;
        char bytes[TRANSPORT_NOTE]; /* and all behind it */
    } notes;
    int from, bytes = wire_next_note(state, &notes.first, &from);
    if (bytes < 0)
        wire_broken(state);
    for (int at = 0; at < bytes && !state->failed;) {
        const struct wire *wire = (const struct wire *)(const void *)(notes.bytes + at);
        at += wire->bytes;
        wire_read_note(state, from, wire);
        wire_heard(state);
    }
    return bytes != 0;
}
