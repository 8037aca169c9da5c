/* steps.c: see steps.h. */
#include "steps.h"
#include "../common/splits.h"
#include "../../devices/host.h"

#include <string.h>

static bool steps_is_root(const struct plan_state *c)
{
    return c->op->peer == c->rank;
}

/* Where a member's input lies for all to read. */
static const char *steps_input_of(const struct plan_state *c, int member)
{
    struct contribution *contribution = barrier_contribution(c->g, member, c->seq);
    switch (c->length) {
    case TINY:
        return (const char *)contribution->data;
    case SMALL:
        return barrier_small_slot(c->g, member, c->seq);
    case SHORT:
        return barrier_slot(c->g, member, c->seq);
    default:
        return world_at(c->shm->world, contribution->in);
    }
}

static char *steps_output_of(const struct plan_state *c, int member)
{
    return world_at(c->shm->world, barrier_contribution(c->g, member, c->seq)->out);
}

/* Where the step's result goes: the rank's own tensor, unless it does a long step for another. */
static char *steps_my_output(const struct plan_state *c)
{
    return c->length == LONG ? steps_output_of(c, c->rank) : c->op->out.data;
}

/* Slices for long reductions: even, and on the border of a cache line. */
static int64_t steps_slice_begin(const struct plan_state *c, int member)
{
    int64_t count = c->op->in.count;
    return member == c->size ? count : count * member / c->size / 64 * 64;
}

/* All members' inputs, from element `begin` on; and their outputs, from that byte on. */
static const void **steps_all_inputs(const struct plan_state *c, int64_t begin, const void **inputs)
{
    for (int i = 0; i < c->size; i++)
        inputs[i] = steps_input_of(c, i) + (size_t)begin * c->element;
    return inputs;
}

static void **steps_all_outputs(const struct plan_state *c, size_t begin, void **outputs)
{
    for (int i = 0; i < c->size; i++)
        outputs[i] = steps_output_of(c, i) + begin;
    return outputs;
}

/* Reduce `count` elements, from element `begin` of everyone's input, to `to`. */
static void steps_reduce_all(struct plan_state *c, void *to, int64_t begin, int64_t count)
{
    const void *from[WORLD_MAX_RANKS];
    steps_all_inputs(c, begin, from);
    if (count > 0 && c->past)
        host_reduce_spread(&to, 1, from, c->size, count, c->op->type, c->op->op, true);
    else if (count > 0)
        host_reduce(to, from, c->size, count, c->op->type, c->op->op);
}

static void steps_copy(const struct plan_state *c, void *to, const void *from, size_t bytes)
{
    if (c->past)
        host_copy_past(to, from, bytes);
    else
        host_copy(to, from, bytes);
}

/* ---- steps: each has seen a barrier since the one before ------------------------ */

void step_none(struct plan_state *c)
{
    (void)c;
}

/* Does anybody read this rank's input from where it is put? */
static bool steps_is_wanted(const struct plan_state *c)
{
    if (c->op->call == CALL_BROADCAST)
        return steps_is_root(c);
    return c->op->call != CALL_GATHER || !steps_is_root(c);
}

void step_put(struct plan_state *c)
{
    if (steps_is_wanted(c) && c->length != LONG && c->op->in.data)
        memcpy((char *)steps_input_of(c, c->rank), c->op->in.data, (size_t)c->op->in.count * c->element);
}

/* Into the slot: it stays to be read also where members do not agree, and leave. */
void step_put_splits(struct plan_state *c)
{
    if (c->op->splits)
        memcpy(barrier_slot(c->g, c->rank, c->seq), c->op->splits,
               2 * (size_t)c->size * sizeof *c->op->splits);
}
_Static_assert(2 * WORLD_MAX_RANKS * sizeof(int64_t) <= BARRIER_SLOT_BYTES,
               "a member's splits fit into its slot");

void step_take_roots(struct plan_state *c) /* broadcast */
{
    if (!steps_is_root(c))
        host_copy(c->op->out.data, steps_input_of(c, c->op->peer), c->block);
}

void step_give_slice_of_root(struct plan_state *c) /* broadcast: my slice, to all */
{
    size_t begin = (size_t)steps_slice_begin(c, c->rank) * c->element;
    size_t end = (size_t)steps_slice_begin(c, c->rank + 1) * c->element;
    void *to[WORLD_MAX_RANKS];
    host_spread(steps_all_outputs(c, begin, to), c->size, steps_input_of(c, c->op->peer) + begin, end - begin,
                c->past);
}

void step_take_my_block_of_root(struct plan_state *c) /* scatter */
{
    steps_copy(c, steps_my_output(c), steps_input_of(c, c->op->peer) + (size_t)c->rank * c->block, c->block);
}

void step_take_all(struct plan_state *c) /* all_gather and gather, of short tensors */
{
    for (int i = 0; i < c->size && c->op->out.data; i++) {
        int from = (c->rank + i) % c->size; /* start with my own, so that not all read the same at once */
        const void *block = from == c->rank ? c->op->in.data : steps_input_of(c, from);
        host_copy((char *)c->op->out.data + (size_t)from * c->block, block, c->block);
    }
}

void step_give_to_all(struct plan_state *c) /* all_gather */
{
    void *to[WORLD_MAX_RANKS];
    host_spread(steps_all_outputs(c, (size_t)c->rank * c->block, to), c->size, steps_input_of(c, c->rank),
                c->block, c->past);
}

void step_give_to_root(struct plan_state *c) /* gather */
{
    steps_copy(c, steps_output_of(c, c->op->peer) + (size_t)c->rank * c->block, steps_input_of(c, c->rank),
               c->block);
}

static void steps_take_by_splits(struct plan_state *c)
{
    const int64_t *own = (const int64_t *)barrier_slot(c->g, c->rank, c->seq) + c->size;
    for (int i = 0; i < c->size; i++) {
        int from = (c->rank + i) % c->size;
        const int64_t *theirs = barrier_slot(c->g, from, c->seq);
        if (own[from] > 0)
            steps_copy(c, steps_my_output(c) + (size_t)splits_begin(own, from) * c->element,
                       steps_input_of(c, from) + (size_t)splits_begin(theirs, c->rank) * c->element,
                       (size_t)own[from] * c->element);
    }
}

void step_take_my_block_of_all(struct plan_state *c) /* all_to_all */
{
    if (c->op->splits) {
        steps_take_by_splits(c);
        return;
    }
    for (int i = 0; i < c->size; i++) {
        int from = (c->rank + i) % c->size;
        steps_copy(c, steps_my_output(c) + (size_t)from * c->block,
                   steps_input_of(c, from) + (size_t)c->rank * c->block, c->block);
    }
}

void step_reduce_my_block(struct plan_state *c) /* reduce_scatter */
{
    steps_reduce_all(c, steps_my_output(c), c->rank * c->op->block, c->op->block);
}

void step_reduce_everything(struct plan_state *c) /* all_reduce; reduce, on the root */
{
    if (c->op->call == CALL_ALL_REDUCE || steps_is_root(c))
        steps_reduce_all(c, c->op->out.data, 0, c->op->block);
}

/* Among many members not everyone reads every slot (n * n readings, and n pages in each rank): the first adds up all of them,
 * in rank order like everybody else, and who wants the sum takes it from its slot. */
void step_reduce_in_first(struct plan_state *c) /* all_reduce and reduce, of short tensors */
{
    if (c->rank == 0)
        steps_reduce_all(c, (char *)steps_input_of(c, 0), 0, c->op->block);
}

void step_take_from_first(struct plan_state *c)
{
    if (c->op->call == CALL_ALL_REDUCE || steps_is_root(c))
        host_copy(c->op->out.data, steps_input_of(c, 0), c->block);
}

void step_reduce_my_slice(struct plan_state *c) /* all_reduce; reduce, into the root's tensor */
{
    int64_t begin = steps_slice_begin(c, c->rank), count = steps_slice_begin(c, c->rank + 1) - begin;
    size_t at = (size_t)begin * c->element;
    const void *from[WORLD_MAX_RANKS];
    void *to[WORLD_MAX_RANKS];
    if (c->op->call == CALL_REDUCE)
        steps_reduce_all(c, steps_output_of(c, c->op->peer) + at, begin, count);
    else
        host_reduce_spread(steps_all_outputs(c, at, to), c->size, steps_all_inputs(c, begin, from), c->size,
                           count, c->op->type, c->op->op, false);
}
