/*
 * plans.c: the plan of each collective: up to three steps, with a barrier between each two.
 *
 * A tiny tensor (CARD_BYTES) travels on the card, a short one (SLOT_BYTES) is copied to the board, and after ONE barrier
 * everyone takes what it needs from there. A long one stays where it is: after the first barrier everyone works on the
 * tensors in place, and a last barrier keeps them until all have done so.
 *
 * In a long plan the work is shared evenly, and each byte is read as seldom as possible: reading a peer's memory, or
 * anything that the caches do not hold, is what takes the time. So whoever has a slice in its cache writes it to all who want it:
 *
 *     all_reduce                                  broadcast by rank 0
 *     rank 0  [ a ][   ][   ]   rank 0 adds up    rank 0  [ a ][ b ][ c ]   rank 0 reads a, writes it
 *     rank 1  [ a ][   ][   ]   the slices a and  rank 1  [ . ][ . ][ . ]   to all; rank 1 b, rank 2 c
 *     rank 2  [ a ][   ][   ]   writes the sum    rank 2  [ . ][ . ][ . ]
 *             to all three; rank 1 b, rank 2 c
 *
 * (Rabenseifner's all_reduce, with reduce-scatter and all-gather in one pass.) Cost for n bytes on p ranks: 2 barriers,
 * and per rank n read and n written. MPI libraries that copy through a buffer read and write twice to three times as much.
 */
#include "shm.h"
#include "../../devices/host.h"

#include <string.h>

struct collective {
    struct shm_room *room;
    struct shm_group *g;
    struct dist_work *op;
    int rank, size;
    size_t element;                         /* bytes of one */
    size_t block;                           /* bytes of one member's block */
    enum size { TINY, SHORT, LONG } length; /* where the inputs are: on the cards, in the slots, in place */
    bool past;                              /* it outgrows the caches */
};

typedef void step(struct collective *c);

static bool is_root(const struct collective *c)
{
    return c->op->peer == c->rank;
}

/* Where a member's input lies for all to read. */
static const char *input_of(const struct collective *c, int member)
{
    struct card *card = board_card(c->g, member, c->g->seq);
    if (c->length == TINY)
        return (const char *)card->text;
    return c->length == SHORT ? board_slot(c->g, member, c->g->seq) : world_at(c->room->world, card->in);
}

static char *output_of(const struct collective *c, int member)
{
    return world_at(c->room->world, board_card(c->g, member, c->g->seq)->out);
}

/* Slices for long reductions: even, and on the border of a cache line. */
static int64_t slice_begin(const struct collective *c, int member)
{
    int64_t count = c->op->in.count;
    return member == c->size ? count : count * member / c->size / 64 * 64;
}

/* All members' inputs, from element `begin` on; and their outputs. */
static const void **all_inputs(struct collective *c, int64_t begin)
{
    for (int i = 0; i < c->size; i++)
        c->g->inputs[i] = input_of(c, i) + (size_t)begin * c->element;
    return c->g->inputs;
}

static void **all_outputs(struct collective *c, size_t begin)
{
    for (int i = 0; i < c->size; i++)
        c->g->outputs[i] = output_of(c, i) + begin;
    return c->g->outputs;
}

/* Reduce `count` elements, from element `begin` of everyone's input, to `to`. */
static void reduce_all(struct collective *c, void *to, int64_t begin, int64_t count)
{
    const void **from = all_inputs(c, begin);
    if (count > 0 && c->past)
        host_reduce_spread(&to, 1, from, c->size, count, c->op->type, c->op->op, true);
    else if (count > 0)
        host_reduce(to, from, c->size, count, c->op->type, c->op->op);
}

static void copy(const struct collective *c, void *to, const void *from, size_t bytes)
{
    if (c->past)
        host_copy_past(to, from, bytes);
    else
        host_copy(to, from, bytes);
}

/* ---- steps: each has seen a barrier since the one before ------------------------ */

static void nothing(struct collective *c)
{
    (void)c;
}

static void put(struct collective *c)
{
    bool wanted = c->op->call != CALL_BROADCAST || is_root(c);
    if (wanted && c->length != LONG && c->op->in.data)
        memcpy((char *)input_of(c, c->rank), c->op->in.data, (size_t)c->op->in.count * c->element);
}

static void take_roots(struct collective *c) /* broadcast */
{
    if (!is_root(c))
        host_copy(c->op->out.data, input_of(c, c->op->peer), c->block);
}

static void give_slice_of_root(struct collective *c) /* broadcast: my slice, to all */
{
    size_t begin = (size_t)slice_begin(c, c->rank) * c->element;
    size_t end = (size_t)slice_begin(c, c->rank + 1) * c->element;
    host_spread(all_outputs(c, begin), c->size, input_of(c, c->op->peer) + begin, end - begin, c->past);
}

static void take_my_block_of_root(struct collective *c) /* scatter */
{
    copy(c, c->op->out.data, input_of(c, c->op->peer) + (size_t)c->rank * c->block, c->block);
}

static void take_all(struct collective *c) /* all_gather and gather, of short tensors */
{
    for (int i = 0; i < c->size && c->op->out.data; i++) {
        int from = (c->rank + i) % c->size; /* start with my own, so that not all read the same at once */
        host_copy((char *)c->op->out.data + (size_t)from * c->block, input_of(c, from), c->block);
    }
}

static void give_to_all(struct collective *c) /* all_gather */
{
    host_spread(all_outputs(c, (size_t)c->rank * c->block), c->size, c->op->in.data, c->block, c->past);
}

static void give_to_root(struct collective *c) /* gather */
{
    copy(c, output_of(c, c->op->peer) + (size_t)c->rank * c->block, c->op->in.data, c->block);
}

static void take_my_block_of_all(struct collective *c) /* all_to_all */
{
    for (int i = 0; i < c->size; i++) {
        int from = (c->rank + i) % c->size;
        copy(c, (char *)c->op->out.data + (size_t)from * c->block,
             input_of(c, from) + (size_t)c->rank * c->block, c->block);
    }
}

static void reduce_my_block(struct collective *c) /* reduce_scatter */
{
    reduce_all(c, c->op->out.data, c->rank * c->op->block, c->op->block);
}

static void reduce_everything(struct collective *c) /* all_reduce; reduce, on the root */
{
    if (c->op->call == CALL_ALL_REDUCE || is_root(c))
        reduce_all(c, c->op->out.data, 0, c->op->block);
}

static void reduce_my_slice(struct collective *c) /* all_reduce; reduce, into the root's tensor */
{
    int64_t begin = slice_begin(c, c->rank), count = slice_begin(c, c->rank + 1) - begin;
    size_t at = (size_t)begin * c->element;
    if (c->op->call == CALL_REDUCE)
        reduce_all(c, output_of(c, c->op->peer) + at, begin, count);
    else
        host_reduce_spread(all_outputs(c, at), c->size, all_inputs(c, begin), c->size, count, c->op->type,
                           c->op->op, false);
}

/* ---- plans --------------------------------------------------------------------- */

#define STEPS 3

static step *const short_plans[CALL_COUNT][STEPS] = {
    [CALL_NEW_GROUP] = { nothing, nothing },
    [CALL_BARRIER] = { nothing, nothing },
    [CALL_MONITORED_BARRIER] = { nothing, nothing },
    [CALL_BROADCAST] = { put, take_roots },
    [CALL_REDUCE] = { put, reduce_everything },
    [CALL_ALL_REDUCE] = { put, reduce_everything },
    [CALL_SCATTER] = { put, take_my_block_of_root },
    [CALL_GATHER] = { put, take_all },
    [CALL_ALL_GATHER] = { put, take_all },
    [CALL_REDUCE_SCATTER] = { put, reduce_my_block },
    [CALL_ALL_TO_ALL] = { put, take_my_block_of_all },
};

static step *const long_plans[CALL_COUNT][STEPS] = {
    [CALL_BROADCAST] = { nothing, give_slice_of_root, nothing },
    [CALL_REDUCE] = { nothing, reduce_my_slice, nothing },
    [CALL_ALL_REDUCE] = { nothing, reduce_my_slice, nothing },
    [CALL_SCATTER] = { nothing, take_my_block_of_root, nothing },
    [CALL_GATHER] = { nothing, give_to_root, nothing },
    [CALL_ALL_GATHER] = { nothing, give_to_all, nothing },
    [CALL_REDUCE_SCATTER] = { nothing, reduce_my_block, nothing },
    [CALL_ALL_TO_ALL] = { nothing, take_my_block_of_all, nothing },
};

/* How long is the longest input of any member? Computed from what all agree on; and what all read and write in all. */
static void measure(struct collective *c)
{
    const struct dist_work *op = c->op;
    size_t size = (size_t)c->size;
    bool many_in = op->call == CALL_SCATTER || op->call == CALL_REDUCE_SCATTER || op->call == CALL_ALL_TO_ALL;
    bool many_out = op->call == CALL_GATHER || op->call == CALL_ALL_GATHER || op->call == CALL_ALL_TO_ALL;
    c->element = dtype_size(op->type);
    c->block = op->call == CALL_NEW_GROUP ? 0 : (size_t)op->block * c->element;
    size_t in = c->block * (many_in ? size : 1), out = c->block * (many_out ? size : 1);
    c->length = in <= CARD_BYTES ? TINY : in <= SLOT_BYTES ? SHORT : LONG;
    bool in_place =
        op->call == CALL_ALL_REDUCE || op->call == CALL_REDUCE; /* what is written was just read */
    c->past = c->length == LONG && !in_place && host_outgrows_caches((in + out) * size);
}

bool plan_step(struct shm_room *room, struct shm_group *g, struct dist_work *op)
{
    struct collective c = { .room = room, .g = g, .op = op, .rank = g->group->rank, .size = g->group->size };
    measure(&c);
    step *const *plan = c.length == LONG ? long_plans[op->call] : short_plans[op->call];
    if (op->step == 0)
        board_pin(room, g, op);
    if (op->step == 1 && board_check(room, g, op) != DIST_OK)
        return true;
    plan[op->step](&c);
    op->step++;
    if (op->step == STEPS || !plan[op->step])
        return true;
    board_arrive(room, g);
    return false;
}
