/*
 * ring.c: a long all_reduce between machines, whose leaders stand in a ring (the ring all-reduce of Patarasuk and Yuan, 2009; chapter 08).
 *
 *   step 0 to n - 2        leader i sends block i - step to the next, and adds to its own block i - step - 1 what it gets
 *   step n - 1 to 2n - 3   the same, but what it gets is the sum already, and takes the place of its own
 *
 * Each leader so sends, and receives, 2 (n - 1) / n of the tensor, in both directions at once: no way needs less. Gloo does the same. But
 * of MPI only the calls that do not block can be used, and there Open MPI 4.1 adds up along a tree where the sum is made in place or
 * there are fewer than 4 ranks (coll_libnbc), which takes a machine's cable up to twice as long.
 *
 * Under which tag its blocks will come each leader tells the next (WIRE_RING), as a sender does of long messages. That one may not have
 * heard GO yet: the tag waits in its op, which the first has named to this one with GO.
 */
#include "meet.h"
#include "../../devices/host.h"

#include <stdlib.h>

#define RING_BLOCK (64 << 10) /* bytes of a block: below, steps take longer than what they carry */

struct ring {
    int size, me;       /* leaders, and which of them this one is */
    int before, next;   /* their world ranks */
    int step, landed;   /* of this step: what has come, what has gone */
    int tag;            /* of what leaves */
    size_t element;     /* bytes */
    char *data, *block; /* the sum; what is to be added to it */
    void *aside;        /* where the sum lies, if not in the tensor */
};

bool ring_pays(const struct transport_state *state, const struct dist_work *op)
{
    const struct transport_group *g = op->group->state;
    return !state->transport->sums_well && op->call == CALL_ALL_REDUCE && g->nodes > 1 && levels_take(op) &&
           collect_bytes(op) >= (size_t)g->nodes * RING_BLOCK;
}

/* The block that leaves in this step; the one that comes is the one before. */
static int ring_leaving(const struct ring *ring)
{
    return (ring->me - ring->step + 2 * ring->size) % ring->size;
}

static int ring_coming(const struct ring *ring)
{
    return (ring_leaving(ring) + ring->size - 1) % ring->size;
}

static bool ring_adds(const struct ring *ring)
{
    return ring->step < ring->size - 1;
}

static char *ring_at(const struct ring *ring, const struct dist_work *op, int block, size_t *bytes)
{
    int64_t begin = op->block * block / ring->size, end = op->block * (block + 1) / ring->size;
    *bytes = (size_t)(end - begin) * ring->element;
    return ring->data + (size_t)begin * ring->element;
}

static void ring_go(struct transport_state *state, struct dist_work *op)
{
    struct ring *ring = op->ring;
    size_t bytes;
    char *at = ring_at(ring, op, ring_coming(ring), &bytes);
    wire_fly(state,
             state->transport->recv(ring_adds(ring) ? ring->block : at, bytes, ring->before, (int)op->ticket),
             op);
    at = ring_at(ring, op, ring_leaving(ring), &bytes);
    if (!state->failed)
        wire_fly(state, state->transport->send(at, bytes, ring->next, ring->tag), op);
}

/* Until then it was among those that wait for members, where a failure of the job finds it: nothing of it flies yet. */
static void ring_start(struct transport_state *state, struct dist_work *op)
{
    queue_remove(&state->members, op);
    ring_go(state, op);
}

static void ring_end(struct transport_state *state, struct dist_work *op)
{
    struct ring *ring = op->ring;
    op->aside = ring->aside;
    free(ring->block);
    free(ring);
    levels_finish(state, op);
}

void ring_landed(struct transport_state *state, struct dist_work *op)
{
    struct ring *ring = op->ring;
    if (++ring->landed < 2)
        return;
    ring->landed = 0;
    if (ring_adds(ring)) {
        size_t bytes;
        char *at = ring_at(ring, op, ring_coming(ring), &bytes);
        enum dist_op adds = op->op == DIST_AVG ? DIST_SUM : op->op;
        host_reduce(at, (const void *[]){ at, ring->block }, 2, (int64_t)(bytes / ring->element),
                    collect_type(op), adds);
    }
    if (++ring->step < 2 * (ring->size - 1))
        ring_go(state, op);
    else
        ring_end(state, op);
}

void ring_hear(struct transport_state *state, const struct wire *wire)
{
    struct dist_work *op = (struct dist_work *)(uintptr_t)wire->op;
    op->ticket = wire->tag;
    if (op->step == STEP_RING)
        ring_start(state, op);
}

int ring_leader(const struct dist_group *group, int place, int steps)
{
    const struct transport_group *g = group->state;
    int node = (g->node_of[place] + steps + g->nodes) % g->nodes, leader = 0;
    while (g->node_of[leader] != node)
        leader++;
    return leader;
}

void ring_begin(struct transport_state *state, struct dist_work *op, void *data, uint64_t next)
{
    const struct transport_group *g = op->group->state;
    int n = g->nodes, place = op->group->rank;
    size_t element = dtype_size(collect_type(op));
    struct ring *ring = malloc(sizeof *ring);
    char *block = malloc((size_t)(op->block / n + 1) * element);
    if (!ring || !block) {
        free(ring);
        free(block);
        free(op->aside);
        collect_want_memory(state, op);
        return;
    }
    *ring =
        (struct ring){ .size = n,
                       .me = g->node_of[place],
                       .before = op->group->ranks[ring_leader(op->group, place, -1)],
                       .next = op->group->ranks[ring_leader(op->group, place, +1)],
                       .tag = RINGS_FIRST_TAG + (int)(state->rings++ % (OFFERS_FIRST_TAG - RINGS_FIRST_TAG)),
                       .element = element,
                       .data = data,
                       .block = block,
                       .aside = op->aside };
    op->ring = ring;
    op->step = STEP_RING;
    queue_add(&state->members, op);
    wire_send(state, ring->next, &(struct wire){ .kind = WIRE_RING, .op = next, .tag = (uint32_t)ring->tag },
              WIRE_SHORT);
    if (op->ticket && !state->failed)
        ring_start(state, op);
}
