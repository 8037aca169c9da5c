/* collect.c: the transport's part in a collective, where all members take part in it. */
#include "state.h"
#include "../../devices/host.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

void collect_want_memory(struct transport_state *state, struct dist_work *op)
{
    transport_fail(state, DIST_ERR_MEMORY, "the system gives no memory for a collective");
    if (op)
        transport_done(op, DIST_ERR_MEMORY);
}

static bool collect_is_reduction_in_place(const struct dist_work *op)
{
    return op->call == CALL_REDUCE || op->call == CALL_ALL_REDUCE;
}

/* The types of 16 bits are added up in F32, and averages of short integers in longer ones, as everywhere in the library. */
enum dist_type collect_type(const struct dist_work *op)
{
    return call_reduces(op->call) ? dtype_wide(op->type, op->op) : op->type;
}

static bool collect_is_asked(const struct dist_work *op)
{
    return op->out.data && (op->call != CALL_REDUCE || op->peer == op->group->rank);
}

bool collect_shares(const struct dist_work *op)
{
    const char *in = op->in.data, *out = op->out.data;
    size_t element = dtype_size(op->type);
    return op->call != CALL_BROADCAST && !collect_is_reduction_in_place(op) && in && out &&
           in < out + (size_t)op->out.count * element && out < in + (size_t)op->in.count * element;
}

/* What goes in, where the transport cannot have it as it is: another type is reduced, or both tensors overlap. And room for what
 * comes out, if that is of another type. */
static bool collect_set_aside(struct dist_work *op, struct transport_collective *c)
{
    enum dist_type wide = (enum dist_type)c->type;
    size_t in_bytes = (size_t)op->in.count * c->element, out_bytes = (size_t)op->block * c->element;
    bool shared = collect_shares(op);
    op->aside = NULL;
    if (wide == op->type && !shared)
        return true;
    char *state = malloc(in_bytes + out_bytes);
    op->aside = state;
    if (!state)
        return false;
    if (wide == op->type)
        host_copy(state, op->in.data, in_bytes);
    else
        dtype_convert(wide, state, op->type, op->in.data, op->in.count);
    c->in = state;
    if (wide != op->type)
        c->out = collect_is_reduction_in_place(op) ? state : state + in_bytes;
    return true;
}

/* Both enums have them in one order. */
_Static_assert((int)TRANSPORT_ALL_REDUCE == CALL_ALL_REDUCE - CALL_BROADCAST &&
                   (int)TRANSPORT_REDUCE_SCATTER == CALL_REDUCE_SCATTER - CALL_BROADCAST,
               "a call of the library's is another of the transport's");

struct transport_collective collect_what(const struct dist_work *op)
{
    return (struct transport_collective){ .call = (enum transport_call)(op->call - CALL_BROADCAST),
                                          .type = (int)collect_type(op),
                                          .op = op->op == DIST_AVG ? DIST_SUM : (int)op->op,
                                          .root = call_has_root(op->call) ? op->peer : 0,
                                          .element = dtype_size(collect_type(op)),
                                          .block = (int)op->block,
                                          .in = op->in.data,
                                          .out = op->out.data };
}

static void collect_let_transport(struct transport_state *state, struct dist_work *op)
{
    const struct transport_group *g = op->group->state;
    struct transport_collective c = collect_what(op);
    if (op->block > INT_MAX) {
        snprintf(op->why, sizeof op->why,
                 "a block of %lld elements; the transport's collectives take up to %d", (long long)op->block,
                 INT_MAX);
        transport_done(op, DIST_ERR_ARGUMENT);
    } else if (!collect_set_aside(op, &c)) {
        collect_want_memory(state, op);
    } else {
        wire_fly(state, state->transport->collect(g->handle, &c), op);
    }
}

void collect_start(struct transport_state *state, struct dist_work *op)
{
    if (op->call == CALL_NEW_GROUP)
        transport_form_group(state, op);
    else if (op->call == CALL_BARRIER || op->block == 0)
        transport_done(op, DIST_OK);
    else
        collect_let_transport(state, op);
}

void collect_finish(struct dist_work *op)
{
    enum dist_type wide = collect_type(op);
    size_t in_bytes = (size_t)op->in.count * dtype_size(wide);
    void *result = wide == op->type                    ? op->out.data
                   : collect_is_reduction_in_place(op) ? op->aside
                                                       : (char *)op->aside + in_bytes;
    if (collect_is_asked(op) && call_reduces(op->call) && op->op == DIST_AVG)
        host_reduce_part(result, (const void *[]){ result }, 1, op->group->size, op->block, wide, DIST_AVG);
    if (collect_is_asked(op) && wide != op->type)
        dtype_convert(op->type, op->out.data, wide, result, op->block);
    free(op->aside);
    op->aside = NULL;
    transport_done(op, DIST_OK);
}
