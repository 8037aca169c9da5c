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

/* Where that member has what this op's rank gets of it; NULL: it has no tensor. */
static const char *nccl_host_part_of(const struct world *world, const struct table_entry *member,
                                     const struct dist_work *op)
{
    int place = op->group->rank;
    bool apart = op->call == CALL_SCATTER || op->call == CALL_REDUCE_SCATTER || op->call == CALL_ALL_TO_ALL;
    int64_t begin = op->splits ? splits_begin(world_at(world, member->splits), place)
                    : apart    ? place * op->block
                               : 0;
    if (member->in == UINT64_MAX)
        return NULL;
    return (const char *)world_at(world, member->in) + (size_t)begin * dtype_size(op->type);
}

static void nccl_host_compute(struct nccl_state *nccl, const struct dist_work *op, uint32_t head,
                              char *result)
{
    const void *in[WORLD_MAX_RANKS];
    size_t element = dtype_size(op->type), bytes = (size_t)op->block * element;
    int size = op->group->size;
    for (uint32_t at = head; at; at = table_at(nccl->shared, at)->mate)
        in[table_at(nccl->shared, at)->place] =
            nccl_host_part_of(&nccl->self->world, table_at(nccl->shared, at), op);
    if (op->call == CALL_BROADCAST || op->call == CALL_SCATTER)
        host_copy(result, in[op->peer], bytes);
    else if (!nccl_host_gathers(op->call))
        host_reduce(result, in, size, op->block, op->type, op->op);
    else
        for (int i = 0; i < size; i++, result += bytes) {
            bytes = op->splits ? (size_t)op->splits[size + i] * element : bytes;
            host_copy(result, in[i], bytes);
        }
}

/* ---- two steps ------------------------------------------------------------------------------------ */

static void nccl_host_first_step(struct nccl_state *nccl, struct dist_work *op,
                                 const struct table_entry *entry, uint32_t number)
{
    struct nccl_shared *shared = nccl->shared;
    bool wanted = nccl_host_gets_something(op);
    op->result = wanted ? malloc(nccl_host_result_bytes(op)) : NULL;
    if (wanted && !op->result) {
        nccl_watch_fail(nccl, DIST_ERR_MEMORY, "the system gives no memory for the result of a collective");
        return;
    }
    if (wanted)
        nccl_host_compute(nccl, op, entry->head, op->result);
    nccl_agree_lock(shared);
    table_at(nccl->shared, number)->second = true;
    if (++table_at(nccl->shared, entry->head)->computed == (uint32_t)entry->size)
        for (uint32_t at = entry->head; at; at = table_at(nccl->shared, at)->mate)
            nccl_agree_on(nccl, at);
    pthread_mutex_unlock(&shared->lock);
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
        host_copy(world_at(world, entry->out), world_at(world, table_at(nccl->shared, entry->mate)->in),
                  bytes_of(op, op->out));
    else if (!op->p2p) {
        if (op->result)
            host_copy(world_at(world, entry->out), op->result, nccl_host_result_bytes(op));
        free(op->result);
        op->result = NULL;
    }
    nccl_agree_lock(nccl->shared);
    if (receives) /* the sender only learns of it */
        nccl_agree_on(nccl, entry->mate);
    table_free(nccl->shared, number);
    pthread_mutex_unlock(&nccl->shared->lock);
    return true;
}
