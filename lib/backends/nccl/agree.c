/* agree.c: rank 0 lays out what all share; ops are shown there, agreed on, and taken by their ranks. */
#define _GNU_SOURCE
#include "agree.h"

#include <errno.h>

#define NAP 100 /* ms after which a sleeper looks whether the job still stands */

/* A rank that died with the lock may have left entries half written; the job has failed then, and nobody follows them. */
void nccl_agree_lock(struct nccl_shared *shared)
{
    if (pthread_mutex_lock(&shared->lock) == EOWNERDEAD)
        pthread_mutex_consistent(&shared->lock);
}

/* ---- opening ---------------------------------------------------------------------------------- */

static bool nccl_agree_lay(struct nccl_shared *shared, const struct nccl_state *nccl, const ncclUniqueId *id)
{
    const struct world_header *world = nccl->self->world.header;
    size_t head = sizeof *shared + (size_t)nccl->size * sizeof *shared->ranks,
           each = sizeof(struct table_entry);
    size_t most = world->backend_bytes > head ? (world->backend_bytes - head) / (size_t)nccl->size / each : 0;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    bool made = most > 0 && pthread_mutex_init(&shared->lock, &attributes) == 0;
    pthread_mutexattr_destroy(&attributes);
    shared->id = *id;
    shared->size = nccl->size;
    shared->most = (uint32_t)most;
    return made;
}

static bool nccl_agree_is_ready(void *argument)
{
    struct nccl_state *nccl = argument;
    return atomic_load(&nccl->shared->ready) != 0 || world_failed(&nccl->self->world);
}

static void nccl_agree_wait_until_ready(struct nccl_state *nccl, double seconds)
{
    for (double deadline = dist_time() + seconds; !nccl_agree_is_ready(nccl) && dist_time() < deadline;) {
        atomic_store(&launch_notes(nccl->self)->open_count, 0);
        launch_sleep(nccl->self, &launch_slot(nccl->self)->eventcount, nccl_agree_is_ready, nccl, NAP, true);
    }
}

int nccl_agree_open(struct nccl_state *nccl, ncclUniqueId *id, double seconds, struct why *why)
{
    struct world *world = &nccl->self->world;
    struct nccl_shared *shared = nccl->shared = world_at(world, world->header->backend_offset);
    if (nccl->rank == 0) {
        if (!nccl_agree_lay(shared, nccl, id)) /* world_backend_bytes and this backend have come apart */
            return why_fail(DIST_ERR_SYSTEM, why, "the world has too little memory for %d ranks", nccl->size);
        atomic_store(&shared->ready, 1);
        for (int i = 1; i < nccl->size; i++)
            rank_notify(&world->header->slots[i]);
    }
    nccl_agree_wait_until_ready(nccl, seconds);
    if (world_failed(world))
        return backend_failed(world, why);
    if (!atomic_load(&shared->ready))
        return why_fail(DIST_ERR_TIMEOUT, why,
                        "rank 0 has not come within %g s (DIST_INIT_TIMEOUT=SECONDS waits longer)", seconds);
    *id = shared->id;
    return DIST_OK;
}

/* ---- agreeing --------------------------------------------------------------------------------- */

void nccl_agree_on(struct nccl_state *nccl, uint32_t number)
{
    int rank = table_at(nccl->shared, number)->rank;
    table_add(nccl->shared, &nccl->shared->ranks[rank].agreed, number);
    atomic_fetch_add(&nccl->shared->ranks[rank].agreed_count, 1);
    rank_notify(&nccl->self->world.header->slots[rank]);
}

uint32_t nccl_agree_take(struct nccl_state *nccl, struct table_entry *entry)
{
    struct nccl_shared *table = nccl->shared;
    struct table_rank *own = &table->ranks[nccl->rank];
    if (atomic_load(&own->agreed_count) == 0)
        return 0;
    nccl_agree_lock(nccl->shared);
    uint32_t number = own->agreed.first;
    *entry = *table_at(table, number);
    table_remove(table, &own->agreed, number);
    atomic_fetch_sub(&own->agreed_count, 1);
    if (!entry->claim.host &&
        !entry->differing) /* what differs ends the job nearly always: its entries stay to be read */
        table_free(table, number);
    pthread_mutex_unlock(&nccl->shared->lock);
    return number;
}

/* Both are told; but of a message from host to host the sender only when the receiver has copied it. */
static void nccl_agree_deliver(struct nccl_state *nccl, uint32_t a, uint32_t b)
{
    struct table_entry *send = table_at(nccl->shared, a), *recv = table_at(nccl->shared, b);
    if (send->claim.type != recv->claim.type || send->claim.count != recv->claim.count ||
        send->claim.host != recv->claim.host) {
        send->first = recv->first = a;
        send->differing = recv->differing = b;
    }
    if (!send->claim.host || send->differing)
        nccl_agree_on(nccl, a);
    nccl_agree_on(nccl, b);
}

/* The members of a collective that have met. */
struct met {
    struct nccl_state *nccl;
    uint32_t head;
};

static const int64_t *nccl_agree_splits_of(const void *members, int member)
{
    const struct met *met = members;
    uint32_t at = met->head;
    while (table_at(met->nccl->shared, at)->place != member)
        at = table_at(met->nccl->shared, at)->mate;
    return world_at(&met->nccl->self->world, table_at(met->nccl->shared, at)->splits);
}

static void nccl_agree_compare_splits(struct nccl_state *nccl, uint32_t head, const struct dist_work *op)
{
    struct met met = { nccl, head };
    struct clash clash;
    if (table_at(nccl->shared, head)->differing ||
        !splits_clash(op->group, nccl_agree_splits_of, &met, &clash))
        return;
    for (uint32_t at = head; at; at = table_at(nccl->shared, at)->mate)
        table_at(nccl->shared, at)->clash = clash;
}

static void nccl_agree_meet(struct nccl_state *nccl, uint32_t number, struct dist_work *op)
{
    const struct world *world = &nccl->self->world;
    struct table_entry *entry = table_at(nccl->shared, number);
    entry->in = world_offset(world, op->in.data);
    entry->out = world_offset(world, op->out.data);
    bool splits = !op->p2p && op->splits; /* of a message they are not written */
    if (splits)
        entry->splits = world_offset(world, op->splits);
    uint32_t met = table_meet(nccl->shared, number);
    if (met && op->p2p)
        nccl_agree_deliver(nccl, op->sends ? number : met, op->sends ? met : number);
    if (met && splits)
        nccl_agree_compare_splits(nccl, met, op);
    for (uint32_t next; met && !op->p2p; met = next) {
        next = table_at(nccl->shared, met)->mate;
        nccl_agree_on(nccl, met);
    }
}

bool nccl_agree_show(struct nccl_state *nccl, struct dist_work *op)
{
    struct dist_group *group = op->group;
    nccl_agree_lock(nccl->shared);
    uint32_t number = table_show(nccl->shared, nccl->rank, op, group->seq + 1);
    if (number && !op->p2p)
        op->phase = ++group->seq;
    if (number)
        nccl_agree_meet(nccl, number, op);
    pthread_mutex_unlock(&nccl->shared->lock);
    return number != 0;
}

void nccl_agree_withdraw(struct nccl_state *nccl, const struct dist_work *op)
{
    nccl_agree_lock(nccl->shared);
    table_withdraw(nccl->shared, nccl->rank, op);
    pthread_mutex_unlock(&nccl->shared->lock);
}
