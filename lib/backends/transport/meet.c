/* meet.c: collectives: all members tell the first that they have come; it compares, and lets them go, or tells them what differs. */
#include "room.h"
#include "../../devices/host.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the transport's part ----------------------------------------------------------------------------------- */

static bool is_reduction_in_place(const struct dist_work *op)
{
    return op->call == CALL_REDUCE || op->call == CALL_ALL_REDUCE;
}

/* The types of 16 bits are added up in F32, and averages of short integers in longer ones, as everywhere in the library. */
static enum dist_type type_of(const struct dist_work *op)
{
    return call_reduces(op->call) ? dtype_wide(op->type, op->op) : op->type;
}

static bool is_asked(const struct dist_work *op)
{
    return op->out.data && (op->call != CALL_REDUCE || op->peer == op->group->rank);
}

/* What goes in, where the transport cannot have it as it is: another type is reduced, or both tensors overlap. And room for what
 * comes out, if that is of another type. */
static bool set_aside(struct dist_work *op, struct transport_collective *c)
{
    enum dist_type wide = (enum dist_type)c->type;
    size_t in_bytes = (size_t)op->in.count * c->element, out_bytes = (size_t)op->block * c->element;
    const char *in = op->in.data, *out = op->out.data;
    bool shared = c->call != TRANSPORT_BROADCAST && !is_reduction_in_place(op) && in && out &&
                  in < out + (size_t)op->out.count * c->element && out < in + in_bytes;
    op->aside = NULL;
    if (wide == op->type && !shared)
        return true;
    char *room = malloc(in_bytes + out_bytes);
    op->aside = room;
    if (!room)
        return false;
    if (wide == op->type)
        host_copy(room, in, in_bytes);
    else
        dtype_convert(wide, room, op->type, in, op->in.count);
    c->in = room;
    if (wide != op->type)
        c->out = is_reduction_in_place(op) ? room : room + in_bytes;
    return true;
}

static const enum transport_call transport_calls[CALL_COUNT] = {
    [CALL_BROADCAST] = TRANSPORT_BROADCAST,
    [CALL_REDUCE] = TRANSPORT_REDUCE,
    [CALL_ALL_REDUCE] = TRANSPORT_ALL_REDUCE,
    [CALL_SCATTER] = TRANSPORT_SCATTER,
    [CALL_GATHER] = TRANSPORT_GATHER,
    [CALL_ALL_GATHER] = TRANSPORT_ALL_GATHER,
    [CALL_REDUCE_SCATTER] = TRANSPORT_REDUCE_SCATTER,
};

static void collect(struct transport_room *room, struct dist_work *op)
{
    const struct transport_group *g = op->group->room;
    struct transport_collective c = { .call = transport_calls[op->call],
                                      .type = (int)type_of(op),
                                      .op = op->op == DIST_AVG ? DIST_SUM : (int)op->op,
                                      .root = call_has_root(op->call) ? op->peer : 0,
                                      .element = dtype_size(type_of(op)),
                                      .block = (int)op->block,
                                      .in = op->in.data,
                                      .out = op->out.data };
    if (op->block > INT_MAX) {
        snprintf(op->why, sizeof op->why,
                 "a block of %lld elements; the transport's collectives take up to %d", (long long)op->block,
                 INT_MAX);
        transport_done(op, DIST_ERR_ARGUMENT);
    } else if (!set_aside(op, &c)) {
        transport_fail(room, DIST_ERR_MEMORY, "the system gives no memory for a collective");
        transport_done(op, DIST_ERR_MEMORY);
    } else {
        wire_fly(room, room->transport->collect(g->handle, &c), op);
    }
}

void meet_finish(struct dist_work *op)
{
    enum dist_type wide = type_of(op);
    size_t in_bytes = (size_t)op->in.count * dtype_size(wide);
    void *result = wide == op->type            ? op->out.data
                   : is_reduction_in_place(op) ? op->aside
                                               : (char *)op->aside + in_bytes;
    if (is_asked(op) && call_reduces(op->call) && op->op == DIST_AVG)
        host_reduce_part(result, (const void *[]){ result }, 1, op->group->size, op->block, wide, DIST_AVG);
    if (is_asked(op) && wide != op->type)
        dtype_convert(op->type, op->out.data, wide, result, op->block);
    free(op->aside);
    op->aside = NULL;
    transport_done(op, DIST_OK);
}

static void go(struct transport_room *room, struct dist_work *op)
{
    if (op->call == CALL_NEW_GROUP)
        transport_form_group(room, op);
    else if (op->call == CALL_BARRIER || op->block == 0)
        transport_done(op, DIST_OK);
    else
        collect(room, op);
}

/* ---- the first member ----------------------------------------------------------------------------------------- */

static struct meeting *find(struct transport_room *room, const struct wire *wire)
{
    struct meeting *m = room->meetings;
    while (m && (m->number != wire->a || m->seq != wire->seq))
        m = m->next;
    if (m)
        return m;
    m = calloc(1, sizeof *m + (size_t)wire->b * sizeof *m->arrivals);
    if (!m) {
        transport_fail(room, DIST_ERR_MEMORY, "the system gives no memory for a collective");
        return NULL;
    }
    m->number = wire->a;
    m->size = wire->b;
    m->seq = wire->seq;
    m->next = room->meetings;
    return room->meetings = m;
}

static void take_out(struct transport_room *room, const struct meeting *meeting)
{
    struct meeting **at = &room->meetings;
    while (*at != meeting)
        at = &(*at)->next;
    *at = meeting->next;
}

/* To all that have come. */
static void tell_all(struct transport_room *room, struct meeting *m, struct wire *wire, size_t bytes)
{
    take_out(room, m);
    for (int i = m->size - 1; i >= 0 && !room->failed;
         i--) { /* itself last: it goes on while the others hear of it */
        wire->op = m->arrivals[i].op;
        if (wire->op)
            wire_send(room, m->group->ranks[i], wire, bytes);
    }
    free(m);
}

/* Who differs from the first, if somebody does. */
static void judge(struct transport_room *room, struct meeting *m)
{
    struct wire wire = { .kind = WIRE_GO };
    int stray = 1;
    while (stray < m->size && !claims_differ(&m->arrivals[0].claim, &m->arrivals[stray].claim))
        stray++;
    if (stray < m->size) {
        wire.kind = WIRE_DIFFER;
        wire.a = m->group->ranks[0];
        wire.b = m->group->ranks[stray];
        wire.claim = m->arrivals[0].claim;
        wire.other = m->arrivals[stray].claim;
    }
    tell_all(room, m, &wire, stray < m->size ? WIRE_BOTH : WIRE_SHORT);
}

static void hear_come(struct transport_room *room, const struct wire *wire)
{
    struct meeting *m = find(room, wire);
    if (!m)
        return;
    m->arrivals[wire->place] = (struct arrival){ wire->op, wire->claim };
    if (wire->place == 0)
        m->group = ((struct dist_work *)(uintptr_t)wire->op)->group;
    if (++m->came == m->size)
        judge(room, m);
}

void meet_desert(struct transport_room *room)
{
    for (struct meeting *m = room->spread ? NULL : room->meetings, *next; m; m = next) {
        bool deserted = false;
        next = m->next;
        for (int i = 0; m->group && i < m->size && !deserted; i++)
            deserted = m->arrivals[i].op == 0 && transport_has_left(room, m->group->ranks[i]);
        if (deserted)
            tell_all(room, m, &(struct wire){ .kind = WIRE_GONE }, WIRE_SHORT);
    }
}

void meet_forget(struct transport_room *room)
{
    while (room->meetings) {
        struct meeting *m = room->meetings;
        room->meetings = m->next;
        free(m);
    }
}

/* ---- every member -------------------------------------------------------------------------------------------------- */

static void post(struct transport_room *room, struct dist_work *op)
{
    struct dist_group *group = op->group;
    struct transport_group *g = group->room;
    struct wire wire = { .kind = WIRE_COME, .op = (uint64_t)(uintptr_t)op, .claim = claim_of(op) };
    op->aside = NULL;
    op->phase = wire.seq = ++g->seq;
    wire.a = group->number;
    wire.b = group->size;
    wire.place = group->rank;
    queue_add(&room->members, op);
    wire_send(room, group->ranks[0], &wire, WIRE_ONE);
}

int transport_collective(void *state, struct dist_work *op)
{
    return transport_start(state, op, post);
}

void meet_hear(struct transport_room *room, int from, const struct wire *wire)
{
    struct dist_work *op = (struct dist_work *)(uintptr_t)wire->op;
    (void)from;
    if (wire->kind == WIRE_COME) {
        hear_come(room, wire);
        return;
    }
    queue_remove(&room->members, op);
    if (wire->kind == WIRE_GO)
        go(room, op);
    else if (wire->kind == WIRE_GONE)
        transport_done(op, DIST_ERR_PEER_LOST);
    else
        transport_done(op, claims_tell(op, wire->a, &wire->claim, wire->b, &wire->other));
}
