/*
 * host.c: tensors of the host. NCCL cannot reach them, and need not: they lie in the world's memory, where every rank of the
 * machine reads them (agree.h has their places).
 *
 * A message is copied by its receiver, which then lets the sender take its entry. A collective is agreed on twice: first
 * each member computes its own result from the tensors of all, and keeps it aside; and when all have, each
 * writes it into its tensor, which others may have had to read until then.
 */
#include "agree.h"
#include "../../devices/host.h"

#include <stdlib.h>

/* A collective, as its member at `place` sees it. */
struct view {
    const char *in[WORLD_MAX_RANKS]; /* by place; NULL: it has none */
    int size, place, root;
    size_t bytes; /* of a block */
    const int64_t *splits[WORLD_MAX_RANKS];
};

static void nccl_host_look(struct nccl_state *nccl, const struct dist_work *op,
                           const struct table_entry *entry, struct view *view)
{
    const struct world *world = &nccl->self->world;
    view->size = op->group->size;
    view->place = op->group->rank;
    view->root = op->peer;
    view->bytes = (size_t)op->block * dtype_size(op->type);
    for (uint32_t at = entry->head; at; at = table_at(nccl->table, at)->mate) {
        const struct table_entry *member = table_at(nccl->table, at);
        view->in[member->place] = member->in == UINT64_MAX ? NULL : world_at(world, member->in);
        view->splits[member->place] = op->splits ? world_at(world, member->splits) : NULL;
    }
}

/* ---- what a member gets ------------------------------------------------------------------------- */

static bool nccl_host_gathers(enum call call)
{
    return call == CALL_GATHER || call == CALL_ALL_GATHER || call == CALL_ALL_TO_ALL;
}

static size_t nccl_host_result_bytes(const struct dist_work *op)
{
    int64_t count =
        op->splits ? op->out.count : op->block * (nccl_host_gathers(op->call) ? op->group->size : 1);
    return (size_t)count * dtype_size(op->type);
}

static bool nccl_host_gets_something(const struct dist_work *op)
{
    bool only_root = op->call == CALL_REDUCE || op->call == CALL_GATHER;
    return op->out.data && nccl_host_result_bytes(op) > 0 && (!only_root || op->peer == op->group->rank);
}

static void nccl_host_reduce(const struct dist_work *op, const struct view *view, char *result)
{
    const void *in[WORLD_MAX_RANKS];
    size_t offset = op->call == CALL_REDUCE_SCATTER ? (size_t)view->place * view->bytes : 0;
    for (int i = 0; i < view->size; i++)
        in[i] = view->in[i] + offset;
    host_reduce(result, in, view->size, op->block, op->type, op->op);
}

static void nccl_host_take_by_splits(const struct dist_work *op, const struct view *view, char *result)
{
    size_t element = dtype_size(op->type);
    for (int i = 0; i < view->size; i++) {
        size_t bytes = (size_t)op->splits[view->size + i] * element;
        if (bytes > 0)
            host_copy(result, view->in[i] + (size_t)splits_begin(view->splits[i], view->place) * element,
                      bytes);
        result += bytes;
    }
}

static void nccl_host_compute(const struct dist_work *op, const struct view *view, char *result)
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
        if (op->splits) {
            nccl_host_take_by_splits(op, view, result);
            break;
        }
        for (int i = 0; i < view->size; i++)
            host_copy(result + (size_t)i * view->bytes,
                      view->in[i] + (op->call == CALL_ALL_TO_ALL ? mine : 0), view->bytes);
        break;
    default:
        nccl_host_reduce(op, view, result);
    }
}

/* ---- two steps ------------------------------------------------------------------------------------ */

/* True: there is a result, or none is wanted. */
static bool nccl_host_compute_aside(struct nccl_state *nccl, struct dist_work *op,
                                    const struct table_entry *entry)
{
    struct view view;
    op->result = NULL;
    if (!nccl_host_gets_something(op))
        return true;
    op->result = malloc(nccl_host_result_bytes(op));
    if (!op->result)
        return false;
    nccl_host_look(nccl, op, entry, &view);
    nccl_host_compute(op, &view, op->result);
    return true;
}

static void nccl_host_first_step(struct nccl_state *nccl, struct dist_work *op,
                                 const struct table_entry *entry, uint32_t number)
{
    struct nccl_shared *shared = nccl->shared;
    if (!nccl_host_compute_aside(nccl, op, entry)) {
        nccl_watch_fail(nccl, DIST_ERR_MEMORY, "the system gives no memory for the result of a collective");
        return;
    }
    nccl_agree_lock(shared);
    table_at(nccl->table, number)->second = true;
    if (++table_at(nccl->table, entry->head)->computed == (uint32_t)entry->size)
        for (uint32_t at = entry->head; at; at = table_at(nccl->table, at)->mate)
            nccl_agree_on(nccl, at);
    nccl_agree_unlock(shared);
}

static void nccl_host_second_step(const struct nccl_state *nccl, struct dist_work *op,
                                  const struct table_entry *entry)
{
    if (op->result)
        host_copy(world_at(&nccl->self->world, entry->out), op->result, nccl_host_result_bytes(op));
    free(op->result);
    op->result = NULL;
}

bool nccl_host_run(struct nccl_state *nccl, struct dist_work *op, const struct table_entry *entry,
                   uint32_t number)
{
    const struct world *world = &nccl->self->world;
    bool receives = op->p2p && !op->sends;
    if (!op->p2p && !entry->second) {
        nccl_host_first_step(nccl, op, entry, number);
        return false;
    }
    if (receives)
        host_copy(world_at(world, entry->out), world_at(world, table_at(nccl->table, entry->mate)->in),
                  (size_t)op->out.count * dtype_size(op->type));
    else if (!op->p2p)
        nccl_host_second_step(nccl, op, entry);
    nccl_agree_lock(nccl->shared);
    if (receives) /* the sender only learns of it */
        nccl_agree_on(nccl, entry->mate);
    table_free(nccl->table, number);
    nccl_agree_unlock(nccl->shared);
    return true;
}
