/* agree.c: rank 0 lays out what all share; ops are shown there, agreed on, and taken by their ranks. */
#define _GNU_SOURCE
#include "agree.h"

#include <errno.h>
#include <stdio.h>

#define NAP 100 /* ms after which a sleeper looks whether the job still stands */

/* A rank that died with the lock may have left entries half written; the job has failed then, and nobody follows them. */
void agree_lock(struct nccl_shared *shared)
{
    if (pthread_mutex_lock(&shared->lock) == EOWNERDEAD)
        pthread_mutex_consistent(&shared->lock);
}

void agree_unlock(struct nccl_shared *shared)
{
    pthread_mutex_unlock(&shared->lock);
}

/* ---- opening ---------------------------------------------------------------------------------- */

static bool lay(struct nccl_shared *shared, const struct nccl_room *room, const ncclUniqueId *id)
{
    const struct world_header *world = room->self->world.header;
    size_t head = sizeof *shared + table_bytes(room->size, 0), each = sizeof(struct table_entry);
    size_t most = world->room_bytes > head ? (world->room_bytes - head) / (size_t)room->size / each : 0;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    bool made = most > 0 && pthread_mutex_init(&shared->lock, &attributes) == 0;
    pthread_mutexattr_destroy(&attributes);
    shared->id = *id;
    room->table->size = room->size;
    room->table->most = (uint32_t)most;
    return made;
}

static bool is_ready(void *argument)
{
    struct nccl_room *room = argument;
    return atomic_load(&room->shared->ready) != 0 || world_failed(&room->self->world);
}

static void wait_until_ready(struct nccl_room *room, double seconds)
{
    for (double deadline = dist_time() + seconds; !is_ready(room) && dist_time() < deadline;) {
        atomic_store(&room->notes->open_count, 0);
        launch_sleep(room->self, &room->slot->bell, is_ready, room, NAP, true);
    }
}

int agree_open(struct nccl_room *room, ncclUniqueId *id, double seconds, char *why, size_t why_size)
{
    struct world *world = &room->self->world;
    struct nccl_shared *shared = room->shared = world_at(world, world->header->room_offset);
    room->table = (struct table *)(shared + 1);
    if (room->rank == 0) {
        if (!lay(shared, room, id)) {
            snprintf(why, why_size, "the world has too little room for %d ranks", room->size);
            return DIST_ERR_SYSTEM; /* world_room_bytes and this room have come apart */
        }
        atomic_store(&shared->ready, 1);
        for (int i = 1; i < room->size; i++)
            rank_ring(&world->header->slots[i]);
    }
    wait_until_ready(room, seconds);
    if (world_failed(world))
        return nccl_job_failed(room, why, why_size);
    if (!atomic_load(&shared->ready)) {
        snprintf(why, why_size, "rank 0 has not come within %g s (DIST_INIT_TIMEOUT=SECONDS waits longer)",
                 seconds);
        return DIST_ERR_TIMEOUT;
    }
    *id = shared->id;
    return DIST_OK;
}

/* ---- agreeing --------------------------------------------------------------------------------- */

void agree_on(struct nccl_room *room, uint32_t number)
{
    int rank = table_at(room->table, number)->rank;
    table_add(room->table, &room->table->ranks[rank].agreed, number);
    atomic_fetch_add(&room->table->ranks[rank].agreed_count, 1);
    rank_ring(&room->self->world.header->slots[rank]);
}

uint32_t agree_take(struct nccl_room *room, struct table_entry *entry)
{
    struct table *table = room->table;
    struct table_rank *own = &table->ranks[room->rank];
    if (atomic_load(&own->agreed_count) == 0)
        return 0;
    agree_lock(room->shared);
    uint32_t number = own->agreed.first;
    *entry = *table_at(table, number);
    table_remove(table, &own->agreed, number);
    atomic_fetch_sub(&own->agreed_count, 1);
    if (!entry->claim.host &&
        !entry->stray) /* what differs ends the job nearly always: its entries stay to be read */
        table_free(table, number);
    agree_unlock(room->shared);
    return number;
}

/* Both are told; but of a message from host to host the sender only when the receiver has copied it. */
static void deliver(struct nccl_room *room, uint32_t a, uint32_t b)
{
    struct table_entry *send = table_at(room->table, a), *recv = table_at(room->table, b);
    if (send->claim.type != recv->claim.type || send->claim.count != recv->claim.count ||
        send->claim.host != recv->claim.host) {
        send->first = recv->first = a;
        send->stray = recv->stray = b;
    }
    if (!send->claim.host || send->stray)
        agree_on(room, a);
    agree_on(room, b);
}

/* The members of a collective that have met. */
struct met {
    struct nccl_room *room;
    uint32_t head;
};

static const int64_t *splits_of(const void *members, int member)
{
    const struct met *met = members;
    uint32_t at = met->head;
    while (table_at(met->room->table, at)->place != member)
        at = table_at(met->room->table, at)->mate;
    return world_at(&met->room->self->world, table_at(met->room->table, at)->splits);
}

static void compare_splits(struct nccl_room *room, uint32_t head, const struct dist_work *op)
{
    struct met met = { room, head };
    struct clash clash;
    if (table_at(room->table, head)->stray || !splits_clash(op->group, splits_of, &met, &clash))
        return;
    for (uint32_t at = head; at; at = table_at(room->table, at)->mate)
        table_at(room->table, at)->clash = clash;
}

static void show(struct nccl_room *room, uint32_t number, struct dist_work *op)
{
    const struct world *world = &room->self->world;
    struct table_entry *entry = table_at(room->table, number);
    entry->in = world_offset(world, op->in.data);
    entry->out = world_offset(world, op->out.data);
    bool splits = !op->p2p && op->splits; /* of a message they are not written */
    if (splits)
        entry->splits = world_offset(world, op->splits);
    uint32_t met = table_meet(room->table, number);
    if (met && op->p2p)
        deliver(room, op->sends ? number : met, op->sends ? met : number);
    if (met && splits)
        compare_splits(room, met, op);
    for (uint32_t next; met && !op->p2p; met = next) {
        next = table_at(room->table, met)->mate;
        agree_on(room, met);
    }
}

bool agree_show(struct nccl_room *room, struct dist_work *op)
{
    struct nccl_group *group = op->group->room;
    agree_lock(room->shared);
    uint32_t number = table_show(room->table, room->rank, op, group->seq + 1);
    if (number && !op->p2p)
        op->phase = ++group->seq;
    if (number)
        show(room, number, op);
    agree_unlock(room->shared);
    return number != 0;
}

void agree_withdraw(struct nccl_room *room, const struct dist_work *op)
{
    agree_lock(room->shared);
    table_withdraw(room->table, room->rank, op);
    agree_unlock(room->shared);
}
