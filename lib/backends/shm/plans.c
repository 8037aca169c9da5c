/*
 * plans.c: the plan of each collective: up to three steps, with a barrier between each two.
 *
 * A tiny tensor (CARD_BYTES) travels on the card, a short one (short_most) is copied to the board, and after ONE barrier
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
#include "steps.h"
#include "../../devices/host.h"

/* ---- plans --------------------------------------------------------------------- */

#define STEPS 3

static step *const short_plans[CALL_COUNT][STEPS] = {
    [CALL_NEW_GROUP] = { step_none, step_none },
    [CALL_BARRIER] = { step_none, step_none },
    [CALL_MONITORED_BARRIER] = { step_none, step_none },
    [CALL_BROADCAST] = { step_put, step_take_roots },
    [CALL_REDUCE] = { step_put, step_reduce_everything },
    [CALL_ALL_REDUCE] = { step_put, step_reduce_everything },
    [CALL_SCATTER] = { step_put, step_take_my_block_of_root },
    [CALL_GATHER] = { step_put, step_take_all },
    [CALL_ALL_GATHER] = { step_put, step_take_all },
    [CALL_REDUCE_SCATTER] = { step_put, step_reduce_my_block },
    [CALL_ALL_TO_ALL] = { step_put, step_take_my_block_of_all },
};

static step *const crowd_plan[STEPS] = { step_put, step_reduce_my_crowd, step_reduce_crowds };

static step *const long_plans[CALL_COUNT][STEPS] = {
    [CALL_BROADCAST] = { step_none, step_give_slice_of_root, step_none },
    [CALL_REDUCE] = { step_none, step_reduce_my_slice, step_none },
    [CALL_ALL_REDUCE] = { step_none, step_reduce_my_slice, step_none },
    [CALL_SCATTER] = { step_none, step_take_my_block_of_root, step_none },
    [CALL_GATHER] = { step_none, step_give_to_root, step_none },
    [CALL_ALL_GATHER] = { step_none, step_give_to_all, step_none },
    [CALL_REDUCE_SCATTER] = { step_none, step_reduce_my_block, step_none },
    [CALL_ALL_TO_ALL] = { step_none, step_take_my_block_of_all, step_none },
};

/* Up to so many bytes of input a collective goes through the slots: where one barrier and a copy more are quicker than two
 * barriers. Measured with two and four ranks on two cores (tests/bench/NOTES.md). The more each member would have to
 * read of what others do as well, the sooner it pays to divide the work. */
static size_t short_most(enum call call, int size)
{
    bool reduces = call == CALL_ALL_REDUCE || call == CALL_REDUCE;
    if (reduces && size <= CROWD)
        return 1 << 10;
    return call == CALL_BROADCAST || call == CALL_REDUCE_SCATTER ? 4 << 10 : SLOT_BYTES;
}

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
    c->length = in <= CARD_BYTES ? TINY : in <= short_most(op->call, c->size) ? SHORT : LONG;
    bool in_place =
        op->call == CALL_ALL_REDUCE || op->call == CALL_REDUCE; /* what is written was just read */
    c->past = c->length == LONG && !in_place && host_outgrows_caches((in + out) * size);
}

/* Sums of 16-bit floats are rounded once, so they are not put together from parts. */
static step *const *plan_of(const struct collective *c)
{
    enum call call = c->op->call;
    bool in_parts = c->op->type != DIST_F16 && c->op->type != DIST_BF16;
    if (c->length == LONG)
        return long_plans[call];
    if (c->size > CROWD && in_parts && (call == CALL_ALL_REDUCE || call == CALL_REDUCE))
        return crowd_plan;
    return short_plans[call];
}

bool plan_step(struct shm_room *room, struct shm_group *g, struct dist_work *op)
{
    struct collective c = { .room = room, .g = g, .op = op, .rank = g->group->rank, .size = g->group->size };
    measure(&c);
    step *const *plan = plan_of(&c);
    if (op->step == 1 && board_check(room, g, op) != DIST_OK)
        return true;
    if (op->step > 0)
        plan[op->step](&c);
    bool over = op->step == STEPS - 1 || !plan[op->step + 1];
    if (!over)
        board_approach(room, g);
    if (op->step == 0) {
        board_pin(room, g, op);
        plan[0](&c);
    }
    op->step++;
    if (!over)
        board_arrive(room, g);
    return over;
}
