/*
 * inside.c: small sums, and small tensors for all, travel inside the notes of their meeting (meet.c): COME carries what a machine adds to it,
 * and GO what all have come to. So such a collective takes no longer between machines than finding out whether all mean the same.
 *
 * Whoever comes from another machine decides by the same rule, and what the first has heard it uses only if all claims agree. The sums
 * are added in the order of the members' places, so a job always gets the same bits.
 */
#include "meet.h"
#include "../../devices/host.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* All these tell the first, in one step; between more machines the transport's own trees take less. */
#define INSIDE_NODES 16

static size_t inside_bytes(const struct dist_work *op)
{
    return (size_t)op->block * dtype_size(collect_type(op));
}

bool inside_fits(const struct dist_work *op)
{
    const struct transport_group *g = op->group->room;
    return levels_gain(op) && g->nodes > 1 && g->nodes <= INSIDE_NODES && op->block > 0 &&
           op->block <= INSIDE_FAR && inside_bytes(op) <= INSIDE_FAR;
}

void inside_come(struct transport_room *room, const struct dist_work *op, const struct meeting *m,
                 struct wire *wire)
{
    alignas(16) char data[INSIDE_FAR];
    int first = op->group->ranks[0];
    if (first != room->rank && !wire->flat && inside_fits(op))
        wire->inside = (int)levels_sum_here(room, op, m, data);
    if (wire->inside > 0)
        wire_send_message(room, first, wire, data, (size_t)wire->inside);
    else
        wire_send(room, first, wire, WIRE_ONE);
}

void *inside_keep(struct transport_room *room, const struct wire *wire)
{
    if (wire->inside == 0)
        return NULL;
    void *copy = malloc((size_t)wire->inside);
    if (!copy)
        transport_fail(room, DIST_ERR_MEMORY, "the system gives no memory for a collective");
    return copy ? memcpy(copy, wire_data(wire), (size_t)wire->inside) : NULL;
}

int inside_sum(struct transport_room *room, struct dist_work *op, const struct meeting *m)
{
    enum dist_op adds = op->op == DIST_AVG ? DIST_SUM : op->op;
    if (!(op->aside = malloc(inside_bytes(op)))) {
        transport_fail(room, DIST_ERR_MEMORY, "the system gives no memory for a collective");
        return 0;
    }
    levels_sum_here(room, op, m, op->aside);
    for (int i = 0; i < m->size; i++) {
        const void *inside = m->arrivals[i].inside;
        if (inside && call_reduces(op->call))
            host_reduce(op->aside, (const void *[]){ op->aside, inside }, 2, op->block, collect_type(op),
                        adds);
        else if (inside)
            memcpy(op->aside, inside, inside_bytes(op));
    }
    return (int)inside_bytes(op);
}

void inside_take(struct transport_room *room, struct dist_work *op, struct meeting *m, const void *data)
{
    alignas(16) char result[INSIDE_FAR];
    memcpy(result, data, inside_bytes(op));
    levels_deliver(room, op, m, result);
}
