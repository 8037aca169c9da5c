/*
 * plans.c: the plan of each collective.
 *
 * A tiny tensor (CONTRIBUTION_BYTES) travels in the contribution, a short one (plans_short_most) is copied to a slot, and after ONE barrier
 * everyone takes what it needs from there. A long one stays where it is: after the barrier the members work on the
 * tensors in place, and all stay until that is done. Such work has an even part for each member; members claim parts
 * (parts.c).
 *
 * Each byte is read as seldom as possible: reading a peer's memory, or anything that the caches do not hold, is what takes
 * the time. So whoever has a slice in its cache writes it to all who want it:
 *
 *     all_reduce                                  broadcast by rank 0
 *     rank 0  [ a ][   ][   ]   rank 0 adds up    rank 0  [ a ][ b ][ c ]   rank 0 reads a, writes it
 *     rank 1  [ a ][   ][   ]   the slices a and  rank 1  [ . ][ . ][ . ]   to all; rank 1 b, rank 2 c
 *     rank 2  [ a ][   ][   ]   writes the sum    rank 2  [ . ][ . ][ . ]
 *             to all three; rank 1 b, rank 2 c
 *
 * (Rabenseifner's all_reduce, with reduce-scatter and all-gather in one pass.) Cost for n bytes on p ranks: a barrier, and
 * for each of p parts n read and n written. MPI libraries that copy through a buffer read and write twice to three times as
 * much.
 */
#include "steps.h"
#include "../../devices/host.h"

/* ---- plans --------------------------------------------------------------------- */

/* Steps, with a barrier between each two; in a long plan the end of the work in place of the second. */
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

static step *const crowd_plan[STEPS] = { step_put, step_reduce_in_first, step_take_from_first };

/* A part of the work, done for each member. */
static step *const long_work[CALL_COUNT] = {
    [CALL_BROADCAST] = step_give_slice_of_root,
    [CALL_REDUCE] = step_reduce_my_slice,
    [CALL_ALL_REDUCE] = step_reduce_my_slice,
    [CALL_SCATTER] = step_take_my_block_of_root,
    [CALL_GATHER] = step_give_to_root,
    [CALL_ALL_GATHER] = step_give_to_all,
    [CALL_REDUCE_SCATTER] = step_reduce_my_block,
    [CALL_ALL_TO_ALL] = step_take_my_block_of_all,
};

static step *const long_plan[STEPS] = { step_put_splits, parts_do, step_none };

/* Up to so many bytes of a member's input a collective goes through the slots. Measured with two, four and eight ranks on two
 * cores (tests/bench/NOTES.md). There everyone takes what it needs on its own, so the more of that is the same for all, as in
 * an all_reduce, the sooner it pays to divide the work; and only a root's input is put there once for everybody. */
static size_t plans_short_most(enum call call, int size)
{
    switch (call) {
    case CALL_REDUCE:
    case CALL_ALL_REDUCE:
        return size <= CROWD ? 512 : BARRIER_SLOT_BYTES;
    case CALL_GATHER:
    case CALL_ALL_GATHER:
    case CALL_REDUCE_SCATTER:
        return 1 << 10;
    case CALL_BROADCAST:
        return size == 2 ? 2 << 10 : BARRIER_SLOT_BYTES;
    default:
        return 8 << 10;
    }
}

/* How long is the longest input of any member? Computed from what all agree on; and what all read and write in all. */
static void plans_measure(struct plan_state *c)
{
    const struct dist_work *op = c->op;
    size_t size = (size_t)c->size;
    bool many_in = op->call == CALL_SCATTER || op->call == CALL_REDUCE_SCATTER || op->call == CALL_ALL_TO_ALL;
    bool many_out = op->call == CALL_GATHER || op->call == CALL_ALL_GATHER || op->call == CALL_ALL_TO_ALL;
    c->element = dtype_size(op->type);
    c->block = op->call == CALL_NEW_GROUP ? 0 : (size_t)op->block * c->element;
    size_t in = c->block * (many_in ? size : 1), out = c->block * (many_out ? size : 1);
    if (op->splits) {
        in = (size_t)op->in.count * c->element;
        out = (size_t)op->out.count * c->element;
    }
    c->length = op->splits || in > plans_short_most(op->call, c->size) ? LONG
                : in <= CONTRIBUTION_BYTES                             ? TINY
                : in <= SMALL_SLOT_BYTES                               ? SMALL
                                                                       : SHORT;
    bool in_place =
        op->call == CALL_ALL_REDUCE || op->call == CALL_REDUCE; /* what is written was just read */
    c->volume = in + out;
    c->work = long_work[op->call];
    c->past = c->length == LONG && !in_place && host_outgrows_caches(c->volume * size);
}

static step *const *plans_of(const struct plan_state *c)
{
    enum call call = c->op->call;
    if (c->length == LONG)
        return long_plan;
    if (c->size > CROWD && (call == CALL_ALL_REDUCE || call == CALL_REDUCE))
        return crowd_plan;
    return short_plans[call];
}

static bool plans_begin(struct plan_state *c, step *first)
{
    bool ahead = c->seq != c->g->seq;
    if (!ahead)
        barrier_approach(c->shm, c->g);
    contributions_write(c->shm, c->g, c->op);
    first(c);
    c->op->step++;
    if (ahead)
        barrier_arrive_ahead(c->shm, c->g, c->seq);
    else
        barrier_arrive(c->shm, c->g);
    return false;
}

bool plan_is_short(const struct shm_group *g, struct dist_work *op)
{
    struct plan_state c = { .op = op, .size = g->group->size };
    plans_measure(&c);
    return c.length != LONG;
}

bool plan_runs_ahead(const struct shm_group *g, struct dist_work *op)
{
    struct plan_state c = { .op = op, .size = g->group->size };
    plans_measure(&c);
    return c.length <= SMALL && c.size <= CROWD;
}

bool plan_step(struct shm_state *shm, struct shm_group *g, struct dist_work *op)
{
    struct plan_state c = { .shm = shm, .g = g, .op = op, .seq = op->ticket };
    c.rank = g->group->rank;
    c.size = g->group->size;
    plans_measure(&c);
    step *const *plan = plans_of(&c);
    if (op->step == 0)
        return plans_begin(&c, plan[0]);
    if (op->step == 1 && contributions_check(shm, g, op) != DIST_OK)
        return true;
    plan[op->step](&c);
    if (op->step == STEPS - 1 || !plan[op->step + 1])
        return true;
    op->step++;
    if (c.length == LONG)
        return barrier_passed(g);
    barrier_approach(shm, g);
    barrier_arrive(shm, g);
    return false;
}
