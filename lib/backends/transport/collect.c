/*
 * collect.c: the transport's part in a collective.
 *
 * Blocks that are longer than it takes (MPI counts in int) go there in pieces, one after the other: piece i of all blocks. They are
 * of one length: of a short rest in blocks that are far apart MPICH 4.0's all_gather loses some. Of a reduce_scatter no transport can
 * leave a gap between blocks: that of long ones is a reduce to each member.
 *
 * On all members of a group the transport must get its collectives in one order, but when a piece is over each member sees at another
 * time. So while one has pieces left, others of its group that are let go are held up.
 */
#include "meet.h"
#include "../../devices/host.h"

#include <stdlib.h>

void collect_want_memory(struct transport_state *state, struct dist_work *op)
{
    transport_fail(state, DIST_ERR_MEMORY, "the system gives no memory for a collective");
    if (op)
        transport_done(op, DIST_ERR_MEMORY);
}

/* The types of 16 bits are added up in F32, and averages of short integers in longer ones, as everywhere in the library. */
enum dist_type collect_type(const struct dist_work *op)
{
    return call_reduces(op->call) ? dtype_wide(op->type, op->op) : op->type;
}

size_t collect_bytes(const struct dist_work *op)
{
    return (size_t)op->block * dtype_size(collect_type(op));
}

bool collect_shares(const struct dist_work *op)
{
    const char *in = op->in.data, *out = op->out.data;
    size_t element = dtype_size(op->type);
    return !levels_gain(op) && in && out && in < out + (size_t)op->out.count * element &&
           out < in + (size_t)op->in.count * element;
}

/* What goes in, where the transport cannot have it as it is: another type is reduced, or both tensors overlap. And room for what
 * comes out, if that is of another type. */
static bool collect_set_aside(struct dist_work *op)
{
    enum dist_type wide = collect_type(op);
    size_t element = dtype_size(wide);
    size_t in_bytes = (size_t)op->in.count * element, out_bytes = (size_t)op->block * element;
    if (wide == op->type && !collect_shares(op))
        return true;
    op->aside = malloc(in_bytes + out_bytes);
    if (!op->aside)
        return false;
    if (wide == op->type)
        host_copy(op->aside, op->in.data, in_bytes);
    else
        dtype_convert(wide, op->aside, op->type, op->in.data, op->in.count);
    return true;
}

/* Both enums have them in one order. */
_Static_assert((int)TRANSPORT_ALL_REDUCE == CALL_ALL_REDUCE - CALL_BROADCAST &&
                   (int)TRANSPORT_REDUCE_SCATTER == CALL_REDUCE_SCATTER - CALL_BROADCAST,
               "a call of the library's is another of the transport's");

/* Where its result is made: in the tensor, or aside; in place, where there is one tensor. */
static void *collect_result(const struct dist_work *op)
{
    enum dist_type wide = collect_type(op);
    return wide == op->type  ? op->out.data
           : levels_gain(op) ? op->aside
                             : (char *)op->aside + (size_t)op->in.count * dtype_size(wide);
}

/* By all members, or between machines, where the leaders' sums are. */
static struct transport_collective collect_what(const struct dist_work *op)
{
    const struct transport_group *g = op->group->state;
    bool between = op->step == STEP_BETWEEN;
    struct transport_collective c = { .call = (enum transport_call)(op->call - CALL_BROADCAST),
                                      .type = (int)collect_type(op),
                                      .op = op->op == DIST_AVG ? DIST_SUM : (int)op->op,
                                      .element = dtype_size(collect_type(op)),
                                      .block = op->block,
                                      .stride = op->block,
                                      .in = op->aside ? op->aside : op->in.data,
                                      .out = collect_result(op) };
    if (between)
        c.in = c.out = levels_result(op);
    if (call_has_root(op->call))
        c.root = between ? g->node_of[op->peer] : op->peer;
    return c;
}

static int64_t collect_pieces_of_block(const struct transport_state *state, const struct dist_work *op)
{
    return (op->block - 1) / state->transport->most + 1;
}

static bool collect_goes_block_by_block(const struct transport_state *state, const struct dist_work *op)
{
    return op->call == CALL_REDUCE_SCATTER && collect_pieces_of_block(state, op) > 1;
}

/* So many go to the transport. */
static int64_t collect_pieces(const struct transport_state *state, const struct dist_work *op)
{
    return collect_pieces_of_block(state, op) *
           (collect_goes_block_by_block(state, op) ? op->group->size : 1);
}

/* Piece op->ticket. */
static void collect_cut(const struct transport_state *state, const struct dist_work *op,
                        struct transport_collective *c)
{
    int64_t pieces = collect_pieces_of_block(state, op), piece = op->ticket;
    if (collect_goes_block_by_block(state, op)) {
        c->call = TRANSPORT_REDUCE;
        c->root = (int)(piece / pieces);
        c->in = (const char *)c->in + (size_t)(c->root * op->block) * c->element;
        piece %= pieces;
    }
    int64_t from = op->block * piece / pieces;
    size_t begin = (size_t)from * c->element;
    c->block = op->block * (piece + 1) / pieces - from;
    c->in = c->in ? (const char *)c->in + begin : NULL;
    c->out = c->out ? (char *)c->out + begin : NULL;
}

static void collect_hand_on(struct transport_state *state, struct dist_work *op)
{
    const struct transport_group *g = op->group->state;
    struct transport_collective c = collect_what(op);
    collect_cut(state, op, &c);
    op->ticket++;
    wire_fly(state, state->transport->collect(op->step == STEP_BETWEEN ? g->leaders : g->handle, &c), op);
}

void collect_begin(struct transport_state *state, struct dist_work *op)
{
    struct transport_group *g = op->group->state;
    if (g->cut) {
        queue_add(&state->held, op);
        return;
    }
    g->cut = collect_pieces(state, op) > 1 ? op : NULL;
    collect_hand_on(state, op);
}

/* All pieces of g->cut have gone to the transport: in the order in which all members were let go, it is the turn of the next ones. */
static void collect_let_held_go(struct transport_state *state, struct transport_group *g)
{
    g->cut = NULL;
    for (struct dist_work **at = &state->held.first, *op; (op = *at) && !g->cut && !state->failed;)
        if (op->group->state == g)
            collect_begin(state, queue_take(&state->held, at));
        else
            at = &op->next;
}

void collect_start(struct transport_state *state, struct dist_work *op)
{
    if (op->call == CALL_NEW_GROUP)
        transport_form_group(state, op);
    else if (!meet_moves(op))
        transport_done(op, DIST_OK);
    else if (collect_set_aside(op))
        collect_begin(state, op);
    else
        collect_want_memory(state, op);
}

void *collect_settle(const struct dist_work *op, void *result, void *to)
{
    enum dist_type wide = collect_type(op);
    if (call_reduces(op->call) && op->op == DIST_AVG)
        host_reduce_part(result, (const void *[]){ result }, 1, op->group->size, op->block, wide, DIST_AVG);
    if (wide == op->type)
        return result;
    dtype_convert(op->type, to, wide, result, op->block);
    return to;
}

static void collect_finish(struct dist_work *op)
{
    if (op->out.data && (op->call != CALL_REDUCE || op->peer == op->group->rank))
        collect_settle(op, collect_result(op), op->out.data);
    free(op->aside);
    op->aside = NULL;
    transport_done(op, DIST_OK);
}

void collect_landed(struct transport_state *state, struct dist_work *op)
{
    int64_t pieces = collect_pieces(state, op);
    if (op->ticket < pieces) {
        collect_hand_on(state, op);
        if (!state->failed && op->ticket == pieces)
            collect_let_held_go(state, op->group->state);
    } else if (op->step == STEP_BETWEEN) {
        levels_finish(state, op);
    } else {
        collect_finish(op);
    }
}
