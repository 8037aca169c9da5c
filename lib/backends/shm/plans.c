/*
 * plans.c: the plan of each collective: up to four steps, with a barrier between each two.
 *
 * A short tensor (SLOT_BYTES) is copied to the board, and after ONE barrier everyone takes what it needs from there.
 * A long one stays where it is: after the first barrier everyone reads the peers' tensors in place, and a
 * last barrier keeps them unchanged until all have read. Of a long all_reduce each rank reduces its own slice
 * from all tensors into its own, then copies the other slices from their owners: every byte is reduced once, the
 * work is shared evenly, and nobody writes what another one reads:
 *
 *     rank 0 [ sum |     |     ]      rank 0 [ sum   sum   sum ]
 *     rank 1 [     | sum |     ]  ->  rank 1 [ sum   sum   sum ]
 *     rank 2 [     |     | sum ]      rank 2 [ sum   sum   sum ]
 *
 * (Rabenseifner's all_reduce, with the reduce-scatter and the all-gather done by reading.) Cost for n bytes on
 * p ranks: 3 barriers, and per rank n read and n/p written to reduce, n - n/p copied.
 */
#include "shm.h"
#include "../../devices/host.h"

#include <string.h>

struct collective {
    struct shm_room *room;
    struct shm_group *g;
    struct dist_work *op;
    int rank, size;
    size_t element; /* bytes of one */
    size_t block;   /* bytes of one member's block */
    bool small;     /* the tensors are on the board */
};

typedef void step(struct collective *c);

static bool is_root(const struct collective *c)
{
    return c->op->peer == c->rank;
}

/* Where a member's input lies for all to read: on the board, or in place. */
static const char *input_of(const struct collective *c, int member)
{
    if (c->small)
        return board_slot(c->g, member, c->g->seq);
    return world_at(c->room->world, board_card(c->g, member, c->g->seq)->in);
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

/* Reduce `count` elements, from element `begin` of everyone's input, to `to`. */
static void reduce_all(struct collective *c, void *to, int64_t begin, int64_t count)
{
    for (int i = 0; i < c->size; i++)
        c->g->views[i] = input_of(c, i) + (size_t)begin * c->element;
    if (count > 0)
        host_reduce(to, c->g->views, c->size, count, c->op->type, c->op->op);
}

/* ---- steps: each has seen a barrier since the one before ------------------------ */

static void nothing(struct collective *c)
{
    (void)c;
}

static void put(struct collective *c)
{
    if (c->small && c->op->in.data)
        memcpy(board_slot(c->g, c->rank, c->g->seq), c->op->in.data, (size_t)c->op->in.count * c->element);
}

static void take_roots(struct collective *c) /* broadcast */
{
    if (!is_root(c))
        host_copy(c->op->out.data, input_of(c, c->op->peer), c->block);
}

static void take_my_block_of_root(struct collective *c) /* scatter */
{
    host_copy(c->op->out.data, input_of(c, c->op->peer) + (size_t)c->rank * c->block, c->block);
}

static void take_all(struct collective *c) /* all_gather; gather, of small */
{
    for (int i = 0; i < c->size && c->op->out.data; i++) {
        int from = (c->rank + i) % c->size; /* start with my own, so that not all read the same at once */
        host_copy((char *)c->op->out.data + (size_t)from * c->block, input_of(c, from), c->block);
    }
}

static void give_to_root(struct collective *c) /* gather */
{
    host_copy(output_of(c, c->op->peer) + (size_t)c->rank * c->block, c->op->in.data, c->block);
}

static void take_my_block_of_all(struct collective *c) /* all_to_all */
{
    for (int i = 0; i < c->size; i++) {
        int from = (c->rank + i) % c->size;
        host_copy((char *)c->op->out.data + (size_t)from * c->block,
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
    int target = c->op->call == CALL_REDUCE ? c->op->peer : c->rank;
    int64_t begin = slice_begin(c, c->rank);
    reduce_all(c, output_of(c, target) + (size_t)begin * c->element, begin,
               slice_begin(c, c->rank + 1) - begin);
}

static void take_other_slices(struct collective *c) /* all_reduce */
{
    for (int i = 1; i < c->size; i++) {
        int from = (c->rank + i) % c->size;
        size_t begin = (size_t)slice_begin(c, from) * c->element;
        size_t end = (size_t)slice_begin(c, from + 1) * c->element;
        host_copy((char *)c->op->out.data + begin, output_of(c, from) + begin, end - begin);
    }
}

/* ---- plans --------------------------------------------------------------------- */

#define STEPS 4

static step *const small_plans[CALL_COUNT][STEPS] = {
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
    [CALL_BROADCAST] = { nothing, take_roots, nothing },
    [CALL_REDUCE] = { nothing, reduce_my_slice, nothing },
    [CALL_ALL_REDUCE] = { nothing, reduce_my_slice, take_other_slices, nothing },
    [CALL_SCATTER] = { nothing, take_my_block_of_root, nothing },
    [CALL_GATHER] = { nothing, give_to_root, nothing },
    [CALL_ALL_GATHER] = { nothing, take_all, nothing },
    [CALL_REDUCE_SCATTER] = { nothing, reduce_my_block, nothing },
    [CALL_ALL_TO_ALL] = { nothing, take_my_block_of_all, nothing },
};

/* Would the longest input of any member fit its slot? Computed from what all agree on. */
static bool fits_slot(const struct dist_work *op, int size, size_t block)
{
    bool whole = op->call == CALL_SCATTER || op->call == CALL_REDUCE_SCATTER || op->call == CALL_ALL_TO_ALL;
    return block * (whole ? (size_t)size : 1) <= SLOT_BYTES;
}

bool plan_step(struct shm_room *room, struct shm_group *g, struct dist_work *op)
{
    struct collective c = { .room = room, .g = g, .op = op, .rank = g->group->rank, .size = g->group->size };
    c.element = dtype_size(op->type);
    c.block = op->call == CALL_NEW_GROUP ? 0 : (size_t)op->block * c.element;
    c.small = fits_slot(op, c.size, c.block);
    step *const *plan = c.small ? small_plans[op->call] : long_plans[op->call];
    if (op->step == 0)
        board_pin(room, g, op);
    if (op->step == 1 && board_check(room, g, op) != DIST_OK)
        return true;
    plan[op->step](&c);
    op->step++;
    if (op->step == STEPS || !plan[op->step])
        return true;
    op->phase = board_arrive(room, g);
    return false;
}
