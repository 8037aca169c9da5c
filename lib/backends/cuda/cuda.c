/* cuda.c: joining and leaving the job, groups, and the backend's table of calls. */
#include "cuda.h"

#include <stdlib.h>

/* ---- coming and going --------------------------------------------------------------------- */

/* The first to come opens the job's tables, the last to leave closes them. They lie in the backend's part of the world's memory,
 * which was all zero: an open lock, too. */
static void cuda_open_job(struct cuda_job *job, int size)
{
    job->size = size;
    for (int rank = 0; rank < size; rank++) {
        match_open(&job->ranks[rank].unexpected);
        match_open(&job->ranks[rank].posted);
    }
    match_open(&job->meetings);
}

static void cuda_close_job(struct cuda_job *job)
{
    for (int rank = 0; rank < job->size; rank++) {
        match_close(&job->ranks[rank].unexpected);
        match_close(&job->ranks[rank].posted);
        job->ranks[rank] = (struct cuda_rank){ 0 };
    }
    for (struct match *match; (match = job->meetings.first);) { /* to which somebody never came */
        match_remove(&job->meetings, match);
        free(match);
    }
    match_close(&job->meetings);
    job->meetings = (struct match_table){ 0 };
    job->far = false;
    job->size = job->left = 0;
}

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
    (void)world; /* the backend keeps nothing of its own of a group */
    if (!cuda_shares_process(self, why))
        return DIST_ERR_ENVIRONMENT;
    struct cuda_state *cuda = calloc(1, sizeof *cuda);
    struct cuda_job *job = world_at(&self->world, self->world.header->backend_offset);
    int status = cuda ? launch_read_buffering(&cuda->eager_bytes, why) : DIST_ERR_MEMORY;
    if (status != DIST_OK) {
        free(cuda);
        return status;
    }
    cuda->self = self;
    cuda->rank = self->env.rank;
    cuda->job = job;
    backoff_lock(&job->lock);
    if (job->size == 0)
        cuda_open_job(job, self->world.header->size);
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
        mark_free(cuda->mark);
        cuda->gpu->device->stream_free(cuda->stream);
    }
    backoff_lock(&job->lock);
    if (++job->left == job->size)
        cuda_close_job(job);
    pthread_mutex_unlock(&job->lock);
    free(cuda);
    return DIST_OK;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void cuda_group_free(void *state, struct dist_group *group)
{
    members_forget(((struct cuda_state *)state)->self, group);
}

static int cuda_group_new(void *state, struct dist_work *op, struct dist_group *group)
{
    struct cuda_state *cuda = state;
    bool good = group->live && (group->rank < 0 || members_publish(cuda->self, group));
    op->in.data = good ? cuda : NULL; /* as meet.c wants it */
    int status = cuda_start_post(cuda, op);
    if (status != DIST_OK)
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
    .collective = cuda_start_post,
    .test = cuda_test,
    .wait = cuda_wait,
    .note = cuda_note,
};
