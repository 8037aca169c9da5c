/* self.c: which rank is asking? One answer per process, or per thread where ranks are threads. */
#define _GNU_SOURCE
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The way from a thread to its rank's state. All else hangs on what it leads to. */
_Thread_local struct launch_self *launch_self_of_thread;
static struct launch_self *_Atomic of_process;
static bool only_threads; /* this process holds ranks as threads and is none itself */
static bool forked;       /* by a rank: it is none, and nothing of it touches the job */
static pthread_mutex_t attaching = PTHREAD_MUTEX_INITIALIZER;

_Thread_local struct site_memo launch_memos[SITE_MEMOS];

struct launch_self *launch_self_of_process(void)
{
    struct launch_self *self = atomic_load_explicit(&of_process, memory_order_acquire);
    if (only_threads && !forked)
        self = threads_self_by_name();
    if (self)
        launch_thread_arrives(self);
    return launch_self_of_thread = self;
}

void launch_become(struct launch_self *self)
{
    launch_self_of_thread = self;
    memset(launch_memos, 0, sizeof launch_memos);
}

static void self_forget_rank(void)
{
    const struct launch_self *parents = atomic_exchange(&of_process, NULL);
    if (parents)
        nodes_forget(parents);
    launch_self_of_thread = NULL;
    forked = true;
}

void launch_become_process(struct launch_self *self)
{
    static bool looks_after_forks; /* (no other thread is about to become a rank) */
    if (!looks_after_forks)
        looks_after_forks = pthread_atfork(NULL, NULL, self_forget_rank) == 0;
    forked = false;
    launch_become(self);
    if (self)
        launch_thread_is_first(self);
    atomic_store(&of_process, self);
}

void *launch_once(void *_Atomic *where, void *(*make)(struct launch_self *), struct launch_self *self)
{
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
    void *found = atomic_load_explicit(where, memory_order_acquire);
    if (found)
        return found;
    pthread_mutex_lock(&making);
    found = atomic_load(where);
    if (!found)
        atomic_store(where, found = make(self));
    pthread_mutex_unlock(&making);
    return found;
}

bool launch_is_forked(void)
{
    return forked;
}

void launch_ranks_are_threads(void)
{
    only_threads = true;
    launch_become_process(NULL);
}

/* The rank is here. DIST_ERR_STATE: it already was. */
static int self_enter(struct launch_self *self)
{
    struct rank_slot *slot = launch_slot(self);
    uint32_t absent = RANK_ABSENT;
    self->world.author = self->env.rank;
    if (!launch_can_settle())
        launch_needs_locks(self);
    atomic_store(&slot->pid, (int32_t)getpid());
    return atomic_compare_exchange_strong(&slot->state, &absent, RANK_ATTACHED) ? 0 : DIST_ERR_STATE;
}

void launch_be_spawned(struct launch_self *self, const struct job *job, int rank)
{
    self->env = (struct launch_env){ .launcher = LAUNCH_SPAWN,
                                     .rank = rank,
                                     .world_size = job->plan.size,
                                     .local_rank = rank,
                                     .local_size = job->plan.size };
    self->world = job->world;
    self->watched = true;
    self_enter(self);
}

/* The memory that distrun handed down. The descriptor is closed to programs that this rank may start. */
static int self_attach_distrun(struct launch_self *self, struct why *why)
{
    const char *text = getenv("DIST_WORLD_FD");
    int fd;
    errno = 0;
    if (!setting_read_number(text, 0, 1 << 20, &fd) || world_map(&self->world, fd) != 0) {
        if (errno == ENOMEM)
            return why_fail(DIST_ERR_MEMORY, why, "the job's memory could not be mapped: %s",
                            strerror(errno));
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "DIST_WORLD_FD is \"%.40s\", which is no job's memory, or that of another version of "
                        "the library; "
                        "start the program with the distrun that was built with it",
                        text);
    }
    if (self->world.header->size != self->env.world_size)
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "WORLD_SIZE is %d but distrun started %d ranks; leave WORLD_SIZE as distrun set it",
                        self->env.world_size, self->world.header->size);
    if (atomic_load(&launch_slot(self)->pid) < 0)
        return why_fail(
            DIST_ERR_STATE, why,
            "the process that distrun started as rank %d has ended, and nobody watches over this one; "
            "start it in the foreground (no &, no daemon())",
            self->env.rank);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (launch_has_lost_watcher(&self->world))
        return why_fail(DIST_ERR_STATE, why,
                        "the launcher that started this rank has ended, and the job with it");
    launch_lock(&self->world, self->env.rank);
    setvbuf(stdout, NULL, _IOLBF, 0);
    self->watched = true;
    return 0;
}

static int self_make_world(struct launch_self *self, int size, struct why *why)
{
    int status = world_create(&self->world, size);
    if (status != 0)
        why_say(why, "no shared memory could be had: %s", strerror(errno));
    return status;
}

/* Over several machines: under MPI and Gloo the ranks of one machine share a world, and the machines meet later (nodes_join); under NCCL each
 * has one of its own, in which the others are never seen. */
static int self_attach_foreign(struct launch_self *self, struct why *why)
{
    const struct launch_env *env = &self->env;
    const char *backend = launch_backend();
    bool far = launch_is_far(env), gloo = far && strcmp(backend, "gloo") == 0;
    int status = gloo ? bootstrap_check(env, why) : 0;
    if (status != 0)
        return status;
    if (!far || gloo || strcmp(backend, "mpi") == 0)
        return launch_meet(env, &self->world, why);
    if (strcmp(backend, "nccl") == 0)
        return self_make_world(self, env->world_size, why);
    return why_fail(
        DIST_ERR_ENVIRONMENT, why,
        "this machine has only %d of the %d ranks, and the %.20s backend joins ranks of one; over "
        "several take BACKEND=gloo, mpi, or nccl for GPUs",
        env->local_size, env->world_size, backend);
}

static int self_attach(struct launch_self *self, struct why *why)
{
    if (forked)
        return why_fail(DIST_ERR_STATE, why,
                        "this process was forked by a rank, and is none itself; call from the rank");
    if (only_threads)
        return why_fail(
            DIST_ERR_STATE, why,
            "this thread belongs to no rank; call from the thread in which run() was started, or from "
            "threads that it starts: they are known by their name (\"rank 0\"), which must stay");
    if (world_is_here())
        return why_fail(
            DIST_ERR_STATE, why,
            "this process holds two copies of the library, and another one is its rank's; link the "
            "program and its shared libraries with libdist.so, so that there is one");
    launch_fill_standard_files();
    int status = launch_read_env(&self->env, why);
    if (status == 0 && self->env.launcher != LAUNCH_DISTRUN) /* which has done that */
        status = settings_check(why);
    if (status != 0)
        return status;
    if (self->env.launcher != LAUNCH_DISTRUN && self->env.rank == 0)
        settings_warn_unknown();
    if (self->env.launcher == LAUNCH_DISTRUN)
        status = self_attach_distrun(self, why);
    else if (self->env.launcher == LAUNCH_NONE)
        status = self_make_world(self, 1, why);
    else
        status = self_attach_foreign(self, why);
    if (status != 0 || self_enter(self) == 0)
        return status;
    world_unmap(&self->world);
    return why_fail(DIST_ERR_STATE, why,
                    "an earlier program has already been rank %d of this job; start each program with a "
                    "launcher of its own",
                    self->env.rank);
}

struct launch_self *launch_self(int *status, struct why *why)
{
    struct launch_self *self = launch_self_if_any();
    *status = 0;
    if (self)
        return self;
    pthread_mutex_lock(&attaching);
    self = launch_self_if_any();
    if (!self) {
        self = calloc(1, sizeof *self);
        *status = self ? self_attach(self, why)
                       : why_fail(DIST_ERR_MEMORY, why, "the system gives no memory for this rank");
        if (*status == 0) {
            launch_become_process(self);
        } else {
            free(self);
            self = NULL;
        }
    }
    pthread_mutex_unlock(&attaching);
    return self;
}

void launch_has_left(struct launch_self *self)
{
    struct world_header *world = self->world.header;
    atomic_store(&world->slots[self->env.rank].state, RANK_LEFT);
    for (int i = 0; i < world->size; i++)
        if (i != self->env.rank)
            rank_notify(&world->slots[i]);
}
