/*
 * inside.c: small sums, small tensors for all, and barriers travel inside the notes of their meeting (meet.c), and need nothing else.
 *
 *   each leader   COME, with what its machine adds  ---> all other leaders. Each adds up what it hears: one way between two machines
 *
 * Where a note costs a transport much (it has threads that must wake first), and there are more than two machines, fewer notes are better:
 *
 *   each leader   COME, with what its machine adds  ---> the first of all
 *   the first     GO, with the sum                  ---> leaders
 *
 * Whoever hears one decides by the same rule whether it is such, and uses what it has heard only if all claims agree. The sums are added in the
 * order of the members' places, so a job always gets the same bits, on all ranks. (tests/model/leaders.c)
 */
#include "meet.h"
#include "../../devices/host.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* One tells all others, or hears all; between more machines trees, the transport's own, take less. */
#define INSIDE_NODES 16

bool inside_fits(const struct transport_state *state, const struct dist_work *op)
{
    const struct transport_group *g = op->group->state;
    if (state->flat || g->nodes == 1 || g->nodes > INSIDE_NODES)
        return false;
    return op->call == CALL_BARRIER ||
           (levels_gain(op) && op->block > 0 && op->block <= INSIDE_FAR && collect_bytes(op) <= INSIDE_FAR);
}

bool inside_by_all(const struct transport_state *state, const struct dist_work *op)
{
    const struct transport_group *g = op->group->state;
    return inside_fits(state, op) && (g->nodes == 2 || !state->transport->wakes);
}

/* What this machine adds stays with its arrival. */
static void inside_add_up_here(struct transport_state *state, const struct dist_work *op, struct meeting *m,
                               struct wire *wire)
{
    struct arrival *mine = &m->arrivals[op->group->rank];
    if (op->call == CALL_BARRIER)
        return;
    mine->inside = malloc(collect_bytes(op));
    if (!mine->inside) {
        collect_want_memory(state, NULL);
        return;
    }
    wire->inside = (int)levels_sum_here(state, op, m, mine->inside);
    if (wire->inside == 0) {
        free(mine->inside);
        mine->inside = NULL;
    }
}

void inside_tell(struct transport_state *state, const struct dist_work *op, struct meeting *m,
                 struct wire *wire)
{
    const struct transport_group *g = op->group->state;
    int me = op->group->rank;
    inside_add_up_here(state, op, m, wire);
    if (state->failed)
        return;
    const void *data = wire->inside > 0 ? m->arrivals[me].inside : "";
    int others = inside_by_all(state, op) ? g->nodes - 1 : 0;
    for (int steps = 1; steps <= others && !state->failed; steps++)
        wire_send_message(state, op->group->ranks[ring_leader(op->group, me, steps)], wire, data,
                          (size_t)wire->inside);
    if (others == 0 && me > 0)
        wire_send_message(state, op->group->ranks[0], wire, data, (size_t)wire->inside);
}

void *inside_keep(struct transport_state *state, const struct wire *wire)
{
    void *copy = wire->inside > 0 ? malloc((size_t)wire->inside) : NULL;
    if (!copy && wire->inside > 0)
        collect_want_memory(state, NULL);
    return copy ? memcpy(copy, wire_data(wire), (size_t)wire->inside) : NULL;
}

static void *inside_add_up_all(const struct dist_work *op, const struct meeting *m)
{
    enum dist_op adds = op->op == DIST_AVG ? DIST_SUM : op->op;
    void *sum = NULL;
    for (int i = 0; i < m->size; i++) {
        void *inside = m->arrivals[i].inside;
        if (inside && sum)
            host_reduce(sum, (const void *[]){ sum, inside }, 2, op->block, collect_type(op), adds);
        else if (inside)
            sum = inside;
    }
    return sum;
}

void inside_end(struct transport_state *state, struct dist_work *op, struct meeting *m)
{
    const struct transport_group *g = op->group->state;
    void *sum = inside_add_up_all(op, m);
    struct wire wire = { .kind = WIRE_GO, .inside = sum ? (int)collect_bytes(op) : 0 };
    int others = inside_by_all(state, op) ? 0 : g->nodes - 1;
    for (int steps = 1; steps <= others && !state->failed; steps++) {
        int leader = ring_leader(op->group, 0, steps);
        wire.op = m->arrivals[leader].come.op;
        wire_send_message(state, op->group->ranks[leader], &wire, sum ? sum : "", (size_t)wire.inside);
    }
    if (op->call == CALL_BARRIER)
        meet_over(state, op, m);
    else
        levels_deliver(state, op, m, sum);
}

void inside_take(struct transport_state *state, struct dist_work *op, struct meeting *m, const void *data)
{
    alignas(16) char result[INSIDE_FAR];
    memcpy(result, data, collect_bytes(op));
    levels_deliver(state, op, m, result);
}
