/* comms.c: communicators: made, split, asked how they are, ended. */
#define _GNU_SOURCE
#include "double.h"
#include "../../../lib/dist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PLACES 256

static struct place places[MOST_PLACES];
static int place_count, open_comms;

int double_open_comms(void)
{
    return open_comms;
}

void comms_forget(void)
{
    place_count = open_comms = 0;
}

/* With the lock held. */
static struct place *find_place(const ncclUniqueId *id, int parent, int split, int color, int size)
{
    for (int i = 0; i < place_count; i++)
        if (memcmp(&places[i].id, id, sizeof *id) == 0 && places[i].parent == parent &&
            places[i].split == split && places[i].color == color)
            return &places[i];
    if (place_count == MOST_PLACES)
        abort();
    struct place *place = &places[place_count++];
    *place = (struct place){ .id = *id, .size = size, .parent = parent, .split = split, .color = color };
    return place;
}

static ncclComm_t comm_new(struct place *place, int rank, int size)
{
    ncclComm_t comm = double_keep(sizeof *comm);
    *comm = (struct ncclComm){ .place = place, .rank = rank, .size = size, .polls = script.polls };
    comm->ready_at = dist_time() + script.init_seconds;
    open_comms++;
    return comm;
}

ncclResult_t double_get_unique_id(ncclUniqueId *id)
{
    static int made;
    const char *address = getenv("NCCL_COMM_ID");
    memset(id, 0, sizeof *id);
    double_note("unique id%s%s\n", address ? " from " : "", address ? address : "");
    snprintf(id->internal, sizeof id->internal, "%s %d", address ? address : "here", address ? 0 : ++made);
    return double_fails("GetUniqueId") ? script.with : ncclSuccess;
}

ncclResult_t double_comm_init_rank_config(ncclComm_t *comm, int size, ncclUniqueId id, int rank,
                                          ncclConfig_t *config)
{
    double_note("init rank %d of %d%s\n", rank, size, config->blocking == 0 ? "" : ", blocking");
    if (double_fails("CommInitRankConfig"))
        return script.with;
    pthread_mutex_lock(&double_lock);
    struct place *place = find_place(&id, -1, -1, -1, size);
    place->joined++;
    *comm = comm_new(place, rank, size);
    pthread_mutex_unlock(&double_lock);
    return ncclInProgress;
}

/* Who is in a split is known when all of the parent have called; the room learns of it by comm_count. */
ncclResult_t double_comm_split(ncclComm_t parent, int color, int key, ncclComm_t *out, ncclConfig_t *config)
{
    (void)config;
    double_note(color == NCCL_SPLIT_NOCOLOR ? "split the world, not in it\n" : "split the world, key %d\n",
                key);
    if (double_fails("CommSplit"))
        return script.with;
    pthread_mutex_lock(&double_lock);
    struct place *up = parent->place;
    int split = ++up->splits[parent->rank];
    struct place *place = find_place(&up->id, (int)(up - places), split, 0, 0);
    place->joined++;
    *out = NULL;
    if (color != NCCL_SPLIT_NOCOLOR) {
        place->size++;
        *out = comm_new(place, key, 0);
        (*out)->number = split;
        (*out)->parent = parent;
    }
    parent->polls = script.polls;
    pthread_cond_broadcast(&double_news);
    pthread_mutex_unlock(&double_lock);
    return ncclInProgress;
}

static bool is_complete(ncclComm_t comm)
{
    int needed = comm->parent ? comm->parent->size : comm->size;
    return !script.moves || comm->place->joined >= needed;
}

ncclResult_t double_comm_get_async_error(ncclComm_t comm, ncclResult_t *state)
{
    pthread_mutex_lock(&double_lock);
    bool started = comm->launches > 0 && script.later != ncclSuccess;
    *state = started ? script.later : ncclSuccess;
    if (!is_complete(comm) || dist_time() < comm->ready_at || comm->polls > 0)
        *state = ncclInProgress;
    if (comm->polls > 0)
        comm->polls--;
    pthread_mutex_unlock(&double_lock);
    return ncclSuccess;
}

/* Without `moves` the others are thought: the script says how many are in a split. */
ncclResult_t double_comm_count(ncclComm_t comm, int *count)
{
    if (comm->parent)
        comm->size = script.moves ? comm->place->size : script.split_size;
    *count = comm->size;
    return ncclSuccess;
}

ncclResult_t double_comm_user_rank(ncclComm_t comm, int *rank)
{
    *rank = comm->rank;
    return ncclSuccess;
}

ncclResult_t double_comm_finalize(ncclComm_t comm)
{
    char name[32];
    double_note("finalize %s\n", comm_name(comm, name, sizeof name));
    comm->finalized = true;
    return ncclInProgress;
}

static ncclResult_t end_comm(ncclComm_t comm, const char *how)
{
    char name[32];
    double_note("%s %s\n", how, comm_name(comm, name, sizeof name));
    pthread_mutex_lock(&double_lock);
    comm->aborted = true; /* kept: kernels may still look at it */
    open_comms--;
    pthread_cond_broadcast(&double_news);
    pthread_mutex_unlock(&double_lock);
    return ncclSuccess;
}

ncclResult_t double_comm_destroy(ncclComm_t comm)
{
    return end_comm(comm, "destroy");
}

ncclResult_t double_comm_abort(ncclComm_t comm)
{
    return end_comm(comm, "abort");
}
