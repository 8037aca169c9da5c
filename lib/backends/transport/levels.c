/*
 * levels.c: collectives in two levels: what the ranks of one machine can do among themselves does not go through the transport.
 *
 *     machine     [0 1 2]   [3 4 5]     each machine's first member, its leader, adds up the tensors of all where they lie
 *     transport    0 ------- 3          the leaders' sums
 *     machine     [0 1 2]   [3 4 5]     and writes the result into all of them
 *
 * A leader begins when all members of the group have come and the same was said by all (meet.c): each of them waits until it is told that
 * the collective is over, so nobody else touches the tensors. While the transport does its part the leader has bytes under way, and is
 * not counted asleep; the others are, and sleep on.
 *
 * A small one needs no collective of the transport (inside.c), and a long all_reduce goes round a ring (ring.c).
 *
 * Between n machines of k ranks an all_reduce so moves the bytes of n ranks, not of n * k; the same goes for reduce and broadcast. In the
 * others every block crosses once, whoever carries it: over several machines the transport does these, with all members.
 *
 * On one machine nothing is left for the transport. Sums are made in the order of the ranks there, as by shm; over several machines in that
 * order on each, and then as the transport likes. All ranks get the same bits, since one result is copied.
 */
#include "meet.h"
#include "../../devices/host.h"

#include <stdlib.h>

/* The tensors of the members that are here, in the order of their places; NULL: one has none. */
struct here {
    int count, root; /* the root's index; -1: it is elsewhere, or there is none */
    void *in[WORLD_MAX_RANKS], *out[WORLD_MAX_RANKS];
};

/* One sum, or one tensor, for all: less goes between machines where each is spoken for by one. */
bool levels_gain(const struct dist_work *op)
{
    return op->call == CALL_ALL_REDUCE || op->call == CALL_REDUCE || op->call == CALL_BROADCAST;
}

bool levels_take(const struct dist_work *op)
{
    const struct transport_group *g = op->group->state;
    return meet_moves(op) && g->nodes < op->group->size && (g->nodes == 1 || levels_gain(op));
}

static void *levels_tensor_at(const struct transport_state *state, uint64_t place)
{
    return place == NOWHERE ? NULL : world_at(&state->self->world, place);
}

static void levels_find_tensors(const struct transport_state *state, const struct dist_work *op,
                                const struct meeting *m, struct here *here)
{
    const struct dist_group *group = op->group;
    const struct transport_group *g = group->state;
    here->count = 0;
    here->root = -1;
    for (int i = group->rank; i < group->size; i++) { /* a leader is the first of them */
        if (g->node_of[i] != g->node_of[group->rank])
            continue;
        if (call_has_root(op->call) && i == op->peer)
            here->root = here->count;
        here->in[here->count] =
            i == group->rank ? op->in.data : levels_tensor_at(state, m->arrivals[i].come.in);
        here->out[here->count++] =
            i == group->rank ? op->out.data : levels_tensor_at(state, m->arrivals[i].come.out);
    }
}

/* ---- all members are here ------------------------------------------------------------------------ */

static void levels_do_here(const struct dist_work *op, struct here *here)
{
    size_t bytes = (size_t)op->block * dtype_size(op->type);
    int n = here->count, root = here->root;
    bool past = host_outgrows_caches((size_t)n * bytes);
    if (op->call == CALL_ALL_REDUCE)
        host_reduce_spread(here->out, n, (const void **)here->in, n, op->block, op->type, op->op, past);
    else if (op->call == CALL_REDUCE)
        host_reduce(here->out[root], (const void *const *)here->in, n, op->block, op->type, op->op);
    else if (op->call == CALL_BROADCAST)
        host_spread(here->out, n, here->in[root], bytes, past);
    for (int i = 0; i < n; i++) {
        size_t at = (size_t)i * bytes;
        void *to[WORLD_MAX_RANKS];
        for (int k = 0; k < n; k++)
            if (op->call == CALL_ALL_GATHER)
                to[k] = (char *)here->out[k] + at;
            else if (op->call == CALL_REDUCE_SCATTER)
                to[k] = (char *)here->in[k] + at;
        if (op->call == CALL_ALL_GATHER)
            host_spread(to, n, here->in[i], bytes, past);
        else if (op->call == CALL_REDUCE_SCATTER)
            host_reduce(here->out[i], (const void *const *)to, n, op->block, op->type, op->op);
        else if (op->call == CALL_GATHER)
            host_copy((char *)here->out[root] + at, here->in[i], bytes);
        else if (op->call == CALL_SCATTER)
            host_copy(here->out[i], (char *)here->in[root] + at, bytes);
    }
}

/* ---- over several machines ----------------------------------------------------------------------- */

/* The sum of what is here, in the type in which the transport goes on with it. */
static void levels_add_up(const struct dist_work *op, const struct here *here, void *sum)
{
    enum { PIECE = 512 };
    double piece[PIECE];
    enum dist_type wide = collect_type(op);
    enum dist_op adds = op->op == DIST_AVG ? DIST_SUM : op->op;
    size_t from = dtype_size(op->type), to = dtype_size(wide);
    if (wide == op->type) {
        host_reduce(sum, (const void *const *)here->in, here->count, op->block, wide, adds);
        return;
    }
    dtype_convert(wide, sum, op->type, here->in[0], op->block);
    for (int i = 1; i < here->count; i++)
        for (int64_t at = 0; at < op->block; at += PIECE) {
            int64_t count = op->block - at < PIECE ? op->block - at : PIECE;
            void *here_sum = (char *)sum + (size_t)at * to;
            dtype_convert(wide, piece, op->type, (const char *)here->in[i] + (size_t)at * from, count);
            host_reduce(here_sum, (const void *[]){ here_sum, piece }, 2, count, wide, adds);
        }
}

/* In place, where the leader's tensor is to have the result, and the transport adds up in its type. */
void *levels_result(const struct dist_work *op)
{
    return op->aside ? op->aside : op->out.data;
}

size_t levels_sum_here(const struct transport_state *state, const struct dist_work *op,
                       const struct meeting *m, void *sum)
{
    struct here here;
    levels_find_tensors(state, op, m, &here);
    if (call_reduces(op->call))
        levels_add_up(op, &here, sum);
    else if (here.root >= 0 && here.in[here.root] != sum)
        host_copy(sum, here.in[here.root], collect_bytes(op));
    return call_reduces(op->call) || here.root >= 0 ? collect_bytes(op) : 0;
}

static void levels_go_between(struct transport_state *state, struct dist_work *op, const struct meeting *m,
                              uint64_t next)
{
    bool aside = op->call == CALL_REDUCE || op->type != collect_type(op);
    op->aside = aside ? malloc(collect_bytes(op)) : NULL;
    if (aside && !op->aside) {
        collect_want_memory(state, op);
        return;
    }
    levels_sum_here(state, op, m, levels_result(op));
    if (ring_pays(state, op)) {
        ring_begin(state, op, levels_result(op), next);
        return;
    }
    op->step = STEP_BETWEEN;
    collect_begin(state, op);
}

void levels_deliver(struct transport_state *state, struct dist_work *op, struct meeting *m, void *result)
{
    struct here here;
    size_t bytes = (size_t)op->block * dtype_size(op->type);
    levels_find_tensors(state, op, m, &here);
    void **to = op->call == CALL_REDUCE ? here.out + here.root : here.out;
    int copies = op->call != CALL_REDUCE ? here.count : here.root >= 0;
    if (copies > 0)
        host_spread(to, copies, collect_settle(op, result, to[0]), bytes,
                    host_outgrows_caches((size_t)copies * bytes));
    free(op->aside);
    op->aside = NULL;
    meet_over(state, op, m);
}

/* The transport has done its part. */
void levels_finish(struct transport_state *state, struct dist_work *op)
{
    levels_deliver(state, op, meetings_find(state, op->group->number, op->phase), levels_result(op));
}

void levels_begin(struct transport_state *state, struct dist_work *op, struct meeting *m, uint64_t next)
{
    const struct transport_group *g = op->group->state;
    struct here here;
    if (g->nodes > 1) {
        levels_go_between(state, op, m, next);
        return;
    }
    levels_find_tensors(state, op, m, &here);
    levels_do_here(op, &here);
    meet_over(state, op, m);
}
