/*
 * meet.c: collectives: all members tell the first that they have come; it compares, and lets them go, or tells them what differs.
 *
 *   member      COME  ---> the first member of its machine, its leader
 *   leader      COME  ---> the first of all, when all of its machine have come: one for all, and which of them differs, if one does
 *   the first   GO, DIFFER ---> leaders ---> members
 *
 * Where two levels pay (levels.c) a leader that is let go does the work for its machine, and its members hear that it is OVER. Small ones
 * travel inside these notes. There a leader whose machine agrees mostly tells all other leaders; who has heard all compares, too, and goes on by
 * itself if nothing differs; if something does, the first will say what (inside.c).
 */
#include "meet.h"
#include "../common/members.h"

#include <string.h>

/* ---- the answer goes down -------------------------------------------------------------------------- */

static struct dist_work *meet_own_op(const struct meeting *m)
{
    return (struct dist_work *)(uintptr_t)m->arrivals[m->group->rank].come.op;
}

/* From the first to all leaders. To itself last: it goes on while the others hear of it, and forgets the meeting. */
static void meet_tell_leaders(struct transport_state *state, const struct meeting *m, struct wire *wire,
                              size_t bytes)
{
    bool long_one = wire->kind == WIRE_GO && !wire->flat && ring_pays(state, meet_own_op(m));
    for (int i = m->size - 1; i >= 0 && !state->failed; i--) {
        int rank = m->group->ranks[i];
        if (!m->arrivals[i].come.op || near_has(state, rank))
            continue;
        wire->op = m->arrivals[i].come.op;
        wire->in = long_one ? m->arrivals[ring_leader(m->group, i, +1)].come.op : 0;
        wire_send(state, rank, wire, bytes);
    }
}

/* From a leader to those that have come to it: not m->group, which is NULL where the leader, alone, has told only the first. */
static void meet_tell_members(struct transport_state *state, const struct dist_work *own, struct meeting *m,
                              struct wire wire, size_t bytes)
{
    for (int i = 0; m && i < m->size && !state->failed; i++)
        if (m->arrivals[i].come.op && near_has(state, own->group->ranks[i])) {
            wire.op = m->arrivals[i].come.op;
            wire_send(state, own->group->ranks[i], &wire, bytes);
        }
    if (m)
        meetings_end(state, m);
}

void meet_over(struct transport_state *state, struct dist_work *op, struct meeting *m)
{
    meet_tell_members(state, op, m, (struct wire){ .kind = WIRE_OVER }, WIRE_SHORT);
    transport_done(op, DIST_OK);
}

bool meet_desert(struct transport_state *state, const struct dist_work *op)
{
    struct meeting *m = meetings_find(state, op->group->number, op->phase);
    bool deserted = false;
    for (int i = 0; m && i < m->size && !deserted; i++)
        deserted = m->arrivals[i].come.op == 0 && member_is_gone(state->self, op->group->ranks[i]);
    if (deserted)
        m->group = NULL;
    return deserted;
}

/* ---- who has come is told upwards -------------------------------------------------------------------- */

/* The first place whose claim is not that of place `base`; -1: all say the same. */
static int meet_differing_of(const struct meeting *m, int base, const struct claim **claim)
{
    int differing = -1;
    for (int i = 0; i < m->size; i++) {
        const struct arrival *a = &m->arrivals[i];
        bool differs = a->come.op && claims_differ(&m->arrivals[base].come.claim, &a->come.claim);
        int found = differs ? i : a->come.op ? a->come.differing : -1;
        if (found >= 0 && (differing < 0 || found < differing)) {
            differing = found;
            *claim = differs ? &a->come.claim : &a->come.other;
        }
    }
    return differing;
}

/* All have come. All leaders may know that, but not where one speaks to the first alone: of what differs, or is flat, the first tells. */
static void meet_judge(struct transport_state *state, struct meeting *m)
{
    struct dist_work *op = meet_own_op(m);
    const struct claim *other;
    int differing = meet_differing_of(m, 0, &other);
    struct wire wire = { .kind = WIRE_GO, .flat = m->flat };
    if (differing < 0 && !m->flat && inside_fits(state, op)) {
        queue_remove(&state->members, op);
        inside_end(state, op, m);
        return;
    }
    if (m->group->rank > 0)
        return;
    if (differing >= 0) {
        wire.kind = WIRE_DIFFER;
        wire.a = m->group->ranks[0];
        wire.b = m->group->ranks[differing];
        wire.claim = m->arrivals[0].come.claim;
        wire.other = *other;
    }
    meet_tell_leaders(state, m, &wire, differing >= 0 ? WIRE_BOTH : WIRE_SHORT);
}

/* All of this machine have come. */
static void meet_speak_for_all(struct transport_state *state, struct meeting *m)
{
    const struct claim *other;
    int me = m->group->rank, differing = meet_differing_of(m, me, &other);
    struct wire wire = m->arrivals[me].come;
    wire.flat = m->flat;
    wire.members = m->here;
    wire.differing = differing;
    if (differing >= 0)
        wire.other = *other;
    if (differing < 0 && inside_fits(state, meet_own_op(m)))
        inside_tell(state, meet_own_op(m), m, &wire);
    else if (me > 0)
        wire_send(state, m->group->ranks[0], &wire, differing >= 0 ? WIRE_BOTH : WIRE_ONE);
}

static void meet_hear_come(struct transport_state *state, int from, const struct wire *wire)
{
    struct meeting *m = meetings_make(state, wire);
    if (!m)
        return;
    struct arrival *a = &m->arrivals[wire->place];
    memcpy(&a->come, wire, wire->differing >= 0 ? WIRE_BOTH : WIRE_ONE);
    a->inside = inside_keep(state, wire);
    bool here = from == state->rank || near_has(state, from);
    m->came += wire->members;
    m->here += here;
    m->flat |= wire->flat;
    if (from == state->rank)
        m->group = ((struct dist_work *)(uintptr_t)wire->op)->group;
    if (!m->group || state->failed)
        return;
    const struct transport_group *g = m->group->state;
    bool tells =
        m->group->rank > 0 || inside_fits(state, meet_own_op(m)); /* else the first would tell itself */
    if (tells && here && m->here == g->near)
        meet_speak_for_all(state, m);
    if (m->came == m->size && !state->failed)
        meet_judge(state, m);
}

/* ---- every member -------------------------------------------------------------------------------------------------- */

/* Tensors that overlap are for the transport: collect.c copies them aside. */
static void meet_post(struct transport_state *state, struct dist_work *op)
{
    struct dist_group *group = op->group;
    struct transport_group *g = group->state;
    struct wire wire = { .kind = WIRE_COME, .op = (uint64_t)(uintptr_t)op, .claim = claim_of(op) };
    op->aside = NULL;
    op->phase = wire.seq = ++g->seq;
    wire.in = world_offset(&state->self->world, op->in.data); /* NULL is nowhere, too */
    wire.out = world_offset(&state->self->world, op->out.data);
    wire.claim.host = true; /* which is where a transport finds it, wherever the program has it */
    wire.flat = state->flat || collect_shares(op);
    wire.a = group->number;
    wire.b = group->size;
    wire.place = group->rank;
    wire.members = 1;
    wire.differing = -1;
    queue_add(&state->members, op);
    bool alone = g->near == 1 && !inside_fits(state, op);
    wire_send(state, group->ranks[alone ? 0 : g->leader], &wire, WIRE_ONE);
}

int transport_collective(void *state, struct dist_work *op)
{
    return transport_start(state, op, meet_post);
}

void meet_hear(struct transport_state *state, int from, const struct wire *wire)
{
    struct dist_work *op = (struct dist_work *)(uintptr_t)wire->op;
    if (wire->kind == WIRE_COME) {
        meet_hear_come(state, from, wire);
        return;
    }
    if (wire->kind == WIRE_RING) {
        ring_hear(state, wire);
        return;
    }
    queue_remove(&state->members, op);
    if (wire->kind == WIRE_OVER) {
        transport_done(op, DIST_OK);
        return;
    }
    struct meeting *m = meetings_find(state, op->group->number, op->phase);
    if (wire->inside > 0) {
        inside_take(state, op, m, wire_data(wire));
    } else if (wire->kind == WIRE_DIFFER) {
        meet_tell_members(state, op, m, *wire, WIRE_BOTH);
        transport_done(op, claims_tell(op, wire->a, &wire->claim, wire->b, &wire->other));
    } else if (!wire->flat && levels_take(op)) {
        levels_begin(state, op, m, wire->in);
    } else { /* each by itself */
        meet_tell_members(state, op, m, *wire, WIRE_SHORT);
        collect_start(state, op);
    }
}
