/* cuda.c: joining and leaving the room, groups, and the room's table of calls. */
#include "cuda.h"
#include "../../devices/host.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the job ------------------------------------------------------------------------------ */

/* Where the ranks find the tables of their job: at the beginning of the room's part of the world's memory. */
static struct cuda_job *_Atomic *door_of(struct world *world)
{
    return world_at(world, world->header->room_offset);
}

static struct cuda_job *new_job(int size)
{
    struct cuda_job *job = calloc(1, sizeof *job + (size_t)size * sizeof *job->seats);
    if (!job)
        return NULL;
    pthread_mutex_init(&job->lock, NULL);
    job->size = size;
    for (int rank = 0; rank < size; rank++) {
        queue_reset(&job->seats[rank].posted);
        match_open(&job->seats[rank].letters);
        match_open(&job->seats[rank].recvs);
    }
    match_open(&job->meetings);
    return job;
}

static void free_job(struct cuda_job *job)
{
    for (int rank = 0; rank < job->size; rank++) {
        match_close(&job->seats[rank].letters);
        match_close(&job->seats[rank].recvs);
    }
    match_close(&job->meetings);
    pthread_mutex_destroy(&job->lock);
    free(job);
}

/* The first to come makes it. */
static struct cuda_job *find_job(struct world *world)
{
    struct cuda_job *_Atomic *door = door_of(world);
    struct cuda_job *job = atomic_load(door), *fresh = job ? NULL : new_job(world->header->size);
    if (fresh && atomic_compare_exchange_strong(door, &job, fresh))
        return fresh;
    if (fresh)
        free_job(fresh);
    return job;
}

/* ---- coming and going --------------------------------------------------------------------- */

/* Only threads of one process see each other's GPU memory. */
static bool shares_process(const struct launch_self *self, char *why, size_t why_size)
{
    if (self->threads || self->world.header->size == 1)
        return true;
    if (self->env.launcher == LAUNCH_SPAWN)
        snprintf(why, why_size,
                 "the cuda backend joins ranks that are threads of one process; set "
                 "BACKEND=cuda, or DIST_RANKS=threads, before dist_spawn");
    else
        snprintf(
            why, why_size,
            "the cuda backend joins threads of one process, and a launcher has started processes; start the "
            "program by itself, or take BACKEND=nccl");
    return false;
}

static int cuda_open(struct launch_self *self, struct dist_group *world, void **out, char *why,
                     size_t why_size)
{
    if (!shares_process(self, why, why_size))
        return DIST_ERR_ENVIRONMENT;
    struct cuda_room *room = calloc(1, sizeof *room);
    struct cuda_job *job = room ? find_job(&self->world) : NULL;
    int status = job ? launch_read_buffering(&room->eager_bytes, why, why_size) : DIST_ERR_MEMORY;
    if (status != DIST_OK) {
        free(room);
        return status;
    }
    room->self = self;
    room->world = &self->world;
    room->rank = self->env.rank;
    room->slot = &self->world.header->slots[room->rank];
    room->job = job;
    room->all = world;
    world->room = &room->world_group;
    pthread_mutex_lock(&job->lock);
    job->seats[room->rank].room = room;
    pthread_mutex_unlock(&job->lock);
    patience_tune(job->size);
    *out = room;
    return DIST_OK;
}

static int cuda_close(void *state)
{
    struct cuda_room *room = state;
    struct cuda_job *job = room->job;
    pthread_mutex_lock(&job->lock);
    job->seats[room->rank].room = NULL;
    pthread_mutex_unlock(&job->lock);
    if (room->stream) {
        room->gpu->device->event_free(room->mark);
        room->gpu->device->stream_free(room->stream);
    }
    pthread_mutex_lock(&job->lock);
    bool last = ++job->left == job->size;
    pthread_mutex_unlock(&job->lock);
    if (last) {
        atomic_store(door_of(room->world), NULL);
        free_job(job);
    }
    free(room);
    return DIST_OK;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static struct cuda_group *new_group(struct cuda_room *room, const struct dist_group *group)
{
    struct cuda_group *g = calloc(1, sizeof *g);
    int32_t *members = host_alloc(room->self, (size_t)group->size * sizeof *members);
    if (!g || !members) {
        host_free(room->self, members);
        free(g);
        return NULL;
    }
    for (int i = 0; i < group->size; i++)
        members[i] = group->ranks[i];
    g->members = members;
    return g;
}

static void cuda_group_free(void *state, struct dist_group *group)
{
    struct cuda_room *room = state;
    struct cuda_group *g = group->room;
    host_free(room->self, g->members);
    free(g);
}

static int cuda_group_new(void *state, struct dist_work *op)
{
    struct cuda_room *room = state;
    struct dist_group *group = op->group;
    struct cuda_group *g = group->rank >= 0 ? new_group(room, group) : NULL;
    op->in.data = group->live && (g || group->rank < 0) ? room : NULL; /* as `meet` wants it */
    op->block = group_hash(group);
    op->group = room->all;
    int status = start_post(room, op);
    group->room = g;
    if (status != DIST_OK && g)
        cuda_group_free(room, group);
    return status;
}

/* ---- the calls --------------------------------------------------------------------------------- */

static int cuda_call(void *room, struct dist_work *op)
{
    return start_post(room, op);
}

static void cuda_note(void *room, const struct dist_work *op)
{
    notes_pin(room, op);
}

const struct backend backend_cuda = {
    .name = "cuda",
    .on_streams = true,
    .open = cuda_open,
    .leave = cuda_leave,
    .close = cuda_close,
    .group_new = cuda_group_new,
    .group_free = cuda_group_free,
    .send = cuda_call,
    .recv = cuda_call,
    .broadcast = cuda_call,
    .reduce = cuda_call,
    .all_reduce = cuda_call,
    .scatter = cuda_call,
    .gather = cuda_call,
    .all_gather = cuda_call,
    .reduce_scatter = cuda_call,
    .all_to_all = cuda_call,
    .barrier = cuda_call,
    .monitored_barrier = cuda_call,
    .test = cuda_test,
    .wait = cuda_wait,
    .note = cuda_note,
};
