/*
 * host.c: tensors of the host. NCCL cannot reach them, and need not: they lie in the world's memory, where every rank of the
 * machine reads them (desk.h has their places).
 *
 * A message is copied by its receiver, which then lets the sender take its slip. A collective is agreed on twice: first
 * each member computes its own result from the tensors of all, and keeps it aside; and when all have, each
 * writes it into its tensor, which others may have had to read until then.
 */
#include "desk.h"
#include "../../devices/host.h"

#include <stdio.h>
#include <stdlib.h>

/* A collective, as its member at `place` sees it. */
struct view {
    const char *in[WORLD_MAX_RANKS]; /* by place; NULL: it has none */
    int size, place, root;
    size_t bytes; /* of a block */
};

static void look(struct nccl_room *room, const struct dist_work *op, const struct slip *slip,
                 struct view *view)
{
    const struct world *world = &room->self->world;
    *view = (struct view){ .size = op->group->size, .place = op->group->rank, .root = op->peer };
    view->bytes = (size_t)op->block * dtype_size(op->type);
    for (uint32_t at = slip->head; at; at = slip_at(room->desk, at)->mate) {
        const struct slip *member = slip_at(room->desk, at);
        view->in[member->place] = member->in == UINT64_MAX ? NULL : world_at(world, member->in);
    }
}

/* ---- what a member gets ------------------------------------------------------------------------- */

static bool gathers(enum call call)
{
    return call == CALL_GATHER || call == CALL_ALL_GATHER || call == CALL_ALL_TO_ALL;
}

static bool gets_something(const struct dist_work *op)
{
    bool only_root = op->call == CALL_REDUCE || op->call == CALL_GATHER;
    return op->out.data && op->block > 0 && (!only_root || op->peer == op->group->rank);
}

static void reduce(const struct dist_work *op, const struct view *view, char *result)
{
    const void *in[WORLD_MAX_RANKS];
    size_t offset = op->call == CALL_REDUCE_SCATTER ? (size_t)view->place * view->bytes : 0;
    for (int i = 0; i < view->size; i++)
        in[i] = view->in[i] + offset;
    host_reduce(result, in, view->size, op->block, op->type, op->op);
}

static void compute(const struct dist_work *op, const struct view *view, char *result)
{
    size_t mine = (size_t)view->place * view->bytes;
    switch (op->call) {
    case CALL_BROADCAST:
        host_copy(result, view->in[view->root], view->bytes);
        break;
    case CALL_SCATTER:
        host_copy(result, view->in[view->root] + mine, view->bytes);
        break;
    case CALL_GATHER:
    case CALL_ALL_GATHER:
    case CALL_ALL_TO_ALL:
        for (int i = 0; i < view->size; i++)
            host_copy(result + (size_t)i * view->bytes,
                      view->in[i] + (op->call == CALL_ALL_TO_ALL ? mine : 0), view->bytes);
        break;
    default:
        reduce(op, view, result);
    }
}

static size_t result_bytes(const struct dist_work *op)
{
    return (size_t)op->block * dtype_size(op->type) * (gathers(op->call) ? (size_t)op->group->size : 1);
}

/* ---- two steps ------------------------------------------------------------------------------------ */

/* True: there is a result, or none is wanted. */
static bool compute_aside(struct nccl_room *room, struct dist_work *op, const struct slip *slip)
{
    struct view view;
    op->aside = NULL;
    if (!gets_something(op))
        return true;
    op->aside = malloc(result_bytes(op));
    if (!op->aside)
        return false;
    look(room, op, slip, &view);
    compute(op, &view, op->aside);
    return true;
}

static void first_step(struct nccl_room *room, struct dist_work *op, const struct slip *slip, uint32_t number)
{
    struct desk *desk = room->desk;
    if (!compute_aside(room, op, slip)) {
        watch_fail(room, DIST_ERR_MEMORY, "the system gives no memory for the result of a collective");
        return;
    }
    desk_lock(desk);
    slip_at(desk, number)->second = true;
    if (++slip_at(desk, slip->head)->computed == (uint32_t)slip->size)
        for (uint32_t at = slip->head; at; at = slip_at(desk, at)->mate)
            desk_agree(room, at);
    desk_unlock(desk);
}

static void second_step(const struct nccl_room *room, struct dist_work *op, const struct slip *slip)
{
    if (op->aside)
        host_copy(world_at(&room->self->world, slip->out), op->aside, result_bytes(op));
    free(op->aside);
    op->aside = NULL;
}

/* The receiver copies; the sender then only learns of it. */
static void take_message(struct nccl_room *room, const struct dist_work *op, const struct slip *slip)
{
    const struct world *world = &room->self->world;
    struct desk *desk = room->desk;
    if (op->sends)
        return;
    host_copy(world_at(world, slip->out), world_at(world, slip_at(desk, slip->mate)->in),
              (size_t)op->out.count * dtype_size(op->type));
    desk_lock(desk);
    desk_agree(room, slip->mate);
    desk_unlock(desk);
}

bool host_go(struct nccl_room *room, struct dist_work *op, const struct slip *slip, uint32_t number)
{
    if (!op->p2p && !slip->second) {
        first_step(room, op, slip, number);
        return false;
    }
    if (op->p2p)
        take_message(room, op, slip);
    else
        second_step(room, op, slip);
    desk_lock(room->desk);
    slip_free(room->desk, number);
    desk_unlock(room->desk);
    return true;
}
