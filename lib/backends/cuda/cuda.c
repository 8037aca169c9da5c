/* cuda.c: joining and leaving the job, groups, and the backend's table of calls. */
#include "cuda.h"
#include "../../devices/host.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the job ------------------------------------------------------------------------------ */

/* Where the ranks find the tables of their job: at the beginning of the backend's part of the world's memory. */
static struct cuda_job *_Atomic *cuda_job_at(struct world *world)
{
    return world_at(world, world->header->backend_offset);
}

static struct cuda_job *cuda_new_job(int size)
{
    struct cuda_job *job = calloc(1, sizeof *job + (size_t)size * sizeof *job->ranks);
    if (!job)
        return NULL;
    pthread_mutex_init(&job->lock, NULL);
    job->size = size;
    for (int rank = 0; rank < size; rank++) {
        match_open(&job->ranks[rank].unexpected);
        match_open(&job->ranks[rank].posted);
    }
    match_open(&job->meetings);
    return job;
}

static void cuda_free_job(struct cuda_job *job)
{
    for (int rank = 0; rank < job->size; rank++) {
        match_close(&job->ranks[rank].unexpected);
        match_close(&job->ranks[rank].posted);
    }
    match_close(&job->meetings);
    pthread_mutex_destroy(&job->lock);
    free(job);
}

/* The first to come makes it. */
static struct cuda_job *cuda_find_job(struct world *world)
{
    struct cuda_job *_Atomic *at = cuda_job_at(world);
    struct cuda_job *job = atomic_load(at), *fresh = job ? NULL : cuda_new_job(world->header->size);
    if (fresh && atomic_compare_exchange_strong(at, &job, fresh))
        return fresh;
    if (fresh)
        cuda_free_job(fresh);
    return job;
}

/* ---- coming and going --------------------------------------------------------------------- */

/* Only threads of one process see each other's GPU memory. */
static bool cuda_shares_process(const struct launch_self *self, struct why *why)
{
    if (self->threads || self->world.header->size == 1)
        return true;
    if (self->env.launcher == LAUNCH_SPAWN)
        why_say(why, "the cuda backend joins ranks that are threads of one process; set "
                     "BACKEND=cuda, or DIST_RANKS=threads, before dist_spawn");
    else
        why_say(
            why,
            "the cuda backend joins threads of one process, and a launcher has started processes; start the "
            "program by itself, or take BACKEND=nccl");
    return false;
}

static int cuda_open(struct launch_self *self, struct dist_group *world, void **out, struct why *why)
{
    if (!cuda_shares_process(self, why))
        return DIST_ERR_ENVIRONMENT;
    struct cuda_state *cuda = calloc(1, sizeof *cuda);
    struct cuda_job *job = cuda ? cuda_find_job(&self->world) : NULL;
    int status = job ? launch_read_buffering(&cuda->eager_bytes, why) : DIST_ERR_MEMORY;
    if (status != DIST_OK) {
        free(cuda);
        return status;
    }
    cuda->self = self;
    cuda->world = &self->world;
    cuda->rank = self->env.rank;
    cuda->slot = &self->world.header->slots[cuda->rank];
    cuda->job = job;
    cuda->all = world;
    world->state = &cuda->world_group;
    backoff_lock(&job->lock);
    job->ranks[cuda->rank].cuda = cuda;
    pthread_mutex_unlock(&job->lock);
    backoff_tune(job->size);
    *out = cuda;
    return DIST_OK;
}

static int cuda_close(void *state)
{
    struct cuda_state *cuda = state;
    struct cuda_job *job = cuda->job;
    backoff_lock(&job->lock);
    job->ranks[cuda->rank].cuda = NULL;
    pthread_mutex_unlock(&job->lock);
    if (cuda->stream) {
        cuda->gpu->device->event_free(cuda->mark);
        cuda->gpu->device->stream_free(cuda->stream);
    }
    backoff_lock(&job->lock);
    bool last = ++job->left == job->size;
    pthread_mutex_unlock(&job->lock);
    if (last) {
        atomic_store(cuda_job_at(cuda->world), NULL);
        cuda_free_job(job);
    }
    free(cuda);
    return DIST_OK;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static struct cuda_group *cuda_new_group(struct cuda_state *cuda, const struct dist_group *group)
{
    struct cuda_group *g = calloc(1, sizeof *g);
    if (g && (g->members = members_publish(cuda->self, group)))
        return g;
    free(g);
    return NULL;
}

static void cuda_group_free(void *state, struct dist_group *group)
{
    struct cuda_state *cuda = state;
    struct cuda_group *g = group->state;
    host_free(cuda->self, g->members);
    free(g);
}

static int cuda_group_new(void *state, struct dist_work *op)
{
    struct cuda_state *cuda = state;
    struct dist_group *group = op->group;
    struct cuda_group *g = group->rank >= 0 ? cuda_new_group(cuda, group) : NULL;
    op->in.data = group->live && (g || group->rank < 0) ? cuda : NULL; /* as meet.c wants it */
    op->block = group_hash(group);
    op->group = cuda->all;
    int status = cuda_start_post(cuda, op);
    group->state = g;
    if (status != DIST_OK && g)
        cuda_group_free(cuda, group);
    return status;
}

/* ---- the calls --------------------------------------------------------------------------------- */

const struct backend backend_cuda = {
    .name = "cuda",
    .on_streams = true,
    .open = cuda_open,
    .leave = cuda_leave,
    .close = cuda_close,
    .group_new = cuda_group_new,
    .group_free = cuda_group_free,
    .send = cuda_start_post,
    .recv = cuda_start_post,
    BACKEND_COLLECTIVES(cuda_start_post),
    .collectives[CALL_ALL_TO_ALL] = cuda_start_post,
    .collectives[CALL_BARRIER] = cuda_start_post,
    .collectives[CALL_MONITORED_BARRIER] = cuda_start_post,
    .test = cuda_test,
    .wait = cuda_wait,
    .note = cuda_note,
};
