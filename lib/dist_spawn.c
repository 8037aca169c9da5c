/* dist_spawn.c: dist_spawn, the call that most programs consist of. */
#define _GNU_SOURCE
#include "context.h"
#include "launch/job.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int dist_spawn_complain(enum dist_error error, const char *why)
{
    report(CALL_SPAWN, (struct dist_at){ NULL, 0 }, error, "%s", why);
    return (int)error;
}

/* Where run() has ended, by pthread_exit too: then threads of ours would keep the process. */
static void dist_spawn_end_process(void *unused)
{
    (void)unused;
    exit(0);
}

/* In the child: this process is rank `rank` from here to its end. */
static void dist_spawn_process_start(struct job *job, int rank)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct launch_self *self = calloc(1, sizeof *self);
    if (!self)
        _exit(DIST_ERR_MEMORY);
    launch_be_spawned(self, job, rank);
    launch_become_process(self);
    pthread_cleanup_push(dist_spawn_end_process, NULL);
    job->plan.run(rank, job->plan.size);
    pthread_cleanup_pop(1);
}

/* Some launcher has started this process as one rank; there is nothing to spawn and nobody to watch. */
static int dist_spawn_run_here(void (*run)(int rank, int world_size))
{
    struct why why;
    int status;
    struct launch_self *self = launch_self(&status, &why);
    if (!self)
        return dist_spawn_complain((enum dist_error)status, why.text);
    pthread_cleanup_push(dist_spawn_end_process, NULL);
    run(self->env.rank, self->env.world_size);
    pthread_cleanup_pop(0);
    if (fflush(NULL) == 0 || errno == EBADF) /* it was closed: then nobody wants it */
        return 0;
    fprintf(stderr, "the output could not be written: %s.\n", strerror(errno));
    return DIST_ERR_SYSTEM;
}

static int dist_spawn_all(void (*run)(int rank, int world_size), int world_size)
{
    struct job_plan plan = { .start = dist_spawn_process_start, .run = run };
    struct why why;
    int status = launch_read_modes(&plan.threads, &plan.ordered, &why);
    plan.size = (int)setting_number("WORLD_SIZE", world_size);
    if (status != 0)
        return dist_spawn_complain((enum dist_error)status, why.text);
    settings_warn_unknown();
    if (plan.size < 1 || plan.size > WORLD_MAX_RANKS) {
        why_say(&why, "world_size is %d; it must be a whole number from 1 to %d", plan.size, WORLD_MAX_RANKS);
        return dist_spawn_complain(DIST_ERR_ARGUMENT, why.text);
    }
    if (plan.threads) {
        plan.start = threads_start;
        /* For a CUDA driver that is loaded later (devices/cuda/cuda.h says why). Where ranks run as threads it would be too late:
         * another thread may be reading the environment. */
        setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    }
    status = job_run(&plan, &why);
    return status < 0 ? dist_spawn_complain((enum dist_error) - status, why.text) : status;
}

int dist_spawn(void (*run)(int rank, int world_size), int world_size)
{
    static _Thread_local bool inside;
    struct launch_env env;
    struct why why;
    const struct launch_self *self = launch_self_if_any();
    if (!run)
        return dist_spawn_complain(DIST_ERR_ARGUMENT,
                                   "run is NULL; pass the function that every rank shall call");
    if (inside || (self && (self->env.launcher == LAUNCH_SPAWN || self->threads)))
        return dist_spawn_complain(DIST_ERR_STATE, "called inside a rank; call it once, from main");
    int status = launch_read_env(&env, &why);
    if (status != 0)
        return dist_spawn_complain((enum dist_error)status, why.text);
    inside = true;
    status = env.launcher == LAUNCH_NONE ? dist_spawn_all(run, world_size) : dist_spawn_run_here(run);
    inside = false;
    return status;
}
