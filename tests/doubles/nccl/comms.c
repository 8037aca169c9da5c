/* comms.c: communicators: made, split, asked how they are, ended. */
#define _GNU_SOURCE
#include "double.h"
#include "../../../lib/dist.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PLACES 256
#define PATIENCE 20 /* s */

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

/* Who is in a split is known when all of the parent have called; the backend learns of it by comm_count. */
ncclResult_t double_comm_split(ncclComm_t parent, int color, int key, ncclComm_t *out, ncclConfig_t *config)
{
    (void)config;
    double_note(color == NCCL_SPLIT_NOCOLOR ? "split the world, not in it\n" : "split the world, key %d\n",
                key);
    if (double_fails("CommSplit"))
        return script.with;
    pthread_mutex_lock(&double_lock);
    if (parent->running > 0 || parent->later_count > 0) {
        double_note("split of a communicator that is at work\n");
        pthread_mutex_unlock(&double_lock);
        return ncclInvalidUsage;
    }
    struct place *up = parent->place;
    int split = ++up->splits[parent->rank];
    struct place *place = find_place(&up->id, (int)(up - places), split, 0, 0);
    place->joined++;
    *out = NULL;
    if (color != NCCL_SPLIT_NOCOLOR) {
        place->size++;
        ncclComm_t comm = comm_new(place, key, 0);
        comm->number = split;
        comm->parent = parent;
        comm->fills = out;
        parent->made = comm;
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

static bool finalize_fails(ncclComm_t comm)
{
    char name[32];
    return script.finalize_fails && strcmp(comm_name(comm, name, sizeof name), script.finalize_fails) == 0;
}

/* What was asked for is done now. */
static void catch_up(ncclComm_t comm)
{
    struct step *steps = comm->later;
    int count = comm->later_count;
    if (comm->made)
        *comm->made->fills = comm->made;
    comm->made = NULL;
    comm->later = NULL;
    comm->later_count = 0;
    comm->launches += (uint32_t)count;
    pthread_mutex_unlock(&double_lock);
    if (count > 0)
        kernels_launch(steps, count);
    pthread_mutex_lock(&double_lock);
}

ncclResult_t double_comm_get_async_error(ncclComm_t comm, ncclResult_t *state)
{
    comms_expect_open(comm, "CommGetAsyncError");
    pthread_mutex_lock(&double_lock);
    *state = ncclSuccess;
    if (!is_complete(comm) || dist_time() < comm->ready_at || comm->polls > 0)
        *state = ncclInProgress;
    else if (comm->finalized && finalize_fails(comm))
        *state = script.with;
    else
        catch_up(comm);
    comm->polls -= comm->polls > 0;
    if (*state == ncclSuccess && comm->launches > 0 && script.later != ncclSuccess)
        *state = script.later;
    pthread_mutex_unlock(&double_lock);
    return ncclSuccess;
}

ncclResult_t double_comm_finalize(ncclComm_t comm)
{
    char name[32];
    double_expect_gpu("CommFinalize");
    comms_expect_open(comm, "CommFinalize");
    double_note("finalize %s\n", comm_name(comm, name, sizeof name));
    comm->finalized = true;
    return ncclInProgress;
}

static _Thread_local ncclComm_t put_off[MOST_PLACES];
static _Thread_local int put_off_count;

/* With the lock held. What would take for ever ends the test. */
static void wait_until(bool (*over)(ncclComm_t), ncclComm_t comm, const char *what)
{
    struct timespec deadline;
    char name[32];
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += PATIENCE;
    while (!over(comm))
        if (pthread_cond_timedwait(&double_news, &double_lock, &deadline) == ETIMEDOUT) {
            fprintf(stderr, "%s of %s waits for ever\n", what, comm_name(comm, name, sizeof name));
            abort();
        }
}

static bool stream_has_passed(ncclComm_t comm)
{
    return comm->running == 0;
}

static bool others_have_left(ncclComm_t comm)
{
    return !script.moves || comm->place->left >= comm->place->size;
}

/* It is kept: kernels may still look at it. */
static void leave(ncclComm_t comm)
{
    comm->ended = true;
    comm->place->left++;
    open_comms--;
    pthread_cond_broadcast(&double_news);
}

ncclResult_t double_comm_destroy(ncclComm_t comm)
{
    char name[32];
    double_expect_gpu("CommDestroy");
    comms_expect_open(comm, "CommDestroy");
    double_note("destroy %s\n", comm_name(comm, name, sizeof name));
    pthread_mutex_lock(&double_lock);
    leave(comm);
    wait_until(stream_has_passed, comm, "ncclCommDestroy");
    wait_until(others_have_left, comm, "ncclCommDestroy");
    pthread_mutex_unlock(&double_lock);
    return ncclSuccess;
}

void comms_group_end(void)
{
    pthread_mutex_lock(&double_lock);
    for (int i = 0; i < put_off_count; i++)
        wait_until(stream_has_passed, put_off[i], "ncclCommAbort");
    put_off_count = 0;
    pthread_mutex_unlock(&double_lock);
}

/* Its kernels see the flag at once. */
ncclResult_t double_comm_abort(ncclComm_t comm)
{
    char name[32];
    double_expect_gpu("CommAbort");
    comms_expect_open(comm, "CommAbort");
    double_note("abort %s\n", comm_name(comm, name, sizeof name));
    pthread_mutex_lock(&double_lock);
    comm->aborted = true;
    comm->later_count = 0;
    leave(comm);
    put_off[put_off_count++] = comm;
    pthread_mutex_unlock(&double_lock);
    if (double_depth() == 0)
        comms_group_end();
    return ncclSuccess;
}
