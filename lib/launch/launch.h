/*
 * launch.h: who started this rank, and the world that it belongs to.
 *
 *   dist_spawn      forks the ranks and watches them (dist_spawn.c; watch.c, output.c, threads.c)
 *   distrun         the same for a program without dist_spawn: the ranks find the world through
 *                   the file descriptor in DIST_WORLD_FD
 *   torchrun, Open MPI, MPICH, Slurm   start the ranks; these find each other through an abstract
 *                   Unix socket, over which rank 0 hands out the world's memfd (meet.c)
 *   nothing         a world of one rank
 */
#ifndef LAUNCH_LAUNCH_H
#define LAUNCH_LAUNCH_H

#include "lock.h"
#include "settings.h"
#include "text.h"
#include "world.h"

#include <sys/types.h>

enum launcher {
    LAUNCH_NONE,
    LAUNCH_SPAWN,
    LAUNCH_DISTRUN,
    LAUNCH_TORCHRUN,
    LAUNCH_OPENMPI,
    LAUNCH_MPICH,
    LAUNCH_SLURM
};

/* What the environment says about this rank. */
struct launch_env {
    enum launcher launcher;
    int rank;
    int world_size;
    int local_rank;   /* -1: not told */
    int local_size;   /* all, where nothing else is told */
    int meet_seconds; /* how long the ranks wait for each other to come: DIST_INIT_TIMEOUT, or 60 */
};

/* Is the job on several machines, as the launcher says? */
static inline bool launch_is_far(const struct launch_env *env)
{
    return env->local_size != env->world_size;
}

/* Read the environment. 0, or DIST_ERR_ENVIRONMENT with a sentence in `why`. */
int launch_read_env(struct launch_env *env, struct why *why);

/* Whose ranks the launcher has made of these: "openmpi", "mpich"; NULL: no MPI's. srun speaks with either. */
const char *launch_mpi(const struct launch_env *env);

/* Check all settings, and read DIST_RANKS (processes|threads) and DIST_OUTPUT (live|ordered). Same status. */
int launch_read_modes(bool *threads, bool *ordered, struct why *why);

/* Read DIST_BUFFERING: 0 bytes for "rendezvous", or those of "eager:BYTES". Same status. */
int launch_read_buffering(size_t *bytes, struct why *why);

/* What BACKEND and DEVICE say. Tensors on a GPU need a backend that reaches them, and such a one is taken for them: so
 * BACKEND=cuda and BACKEND=nccl stand for DEVICE=cuda too, and DEVICE=cuda for BACKEND=cuda, unless both are set. */
const char *launch_backend(void); /* "shm" where nothing is said */
const char *launch_device(void);  /* "host" */

/* The variable by which a GPU is asked for, as a beginning of a sentence: "BACKEND is \"nccl\"". */
const char *launch_gpu_wish(void);

struct dist_work;
struct nodes_watcher;

/* This thread's rank and its world; made on first need. Everything per rank hangs here. In process mode it is
 * one per process and any thread sees it; in thread mode one per thread. */
struct launch_self {
    struct launch_env env;
    struct world world;
    bool threads;                  /* ranks are threads of this process */
    bool watched;                  /* a watcher of ours reads this rank's end and tells the others */
    struct nodes_watcher *watcher; /* in this rank's process; NULL: none is. nodes_thread.c */
    void (*look)(struct world *world, int rank); /* when an unwatched rank's nap ends: is the job stuck? */
    /* The backend calls it for a message that was sent and that its receiver, which has left, has not taken. */
    void (*untaken)(struct launch_self *self, const struct dist_work *op);
    void *_Atomic context;    /* dist.c's state of this rank */
    void *_Atomic arena;      /* devices/host.c's state of this rank */
    struct bias bias;         /* is the thread that called first the only one in the backend, */
    struct bias bias_calling; /* and above it? */
    void *trace;              /* lib/trace's state of this rank; NULL: nothing is recorded */
    void *_Atomic gpu;        /* lib/streams' state of this rank; NULL: no tensor was made yet */
    /* lib/trace: a stream (-1: communication) was busy with what the program had put into it at `asked`. */
    void (*seen_on_stream)(struct launch_self *self, int stream, const char *what, int64_t asked,
                           int64_t begin, int64_t end);
    void *algorithms; /* lib/algorithms' state of this rank; NULL: the backend does every collective itself */
};

/* What everybody may know of this rank, and what it writes down. */
static inline struct rank_slot *launch_slot(const struct launch_self *self)
{
    return &self->world.header->slots[self->env.rank];
}
static inline struct rank_notes *launch_notes(const struct launch_self *self)
{
    return world_notes(&self->world, self->env.rank);
}

/* The state of the calling rank. Attaches to the world on the first call. NULL: *status and why tell. */
struct launch_self *launch_self(int *status, struct why *why);

/* The same without attaching: NULL where nothing was attached yet. */
extern _Thread_local struct launch_self *launch_self_of_thread; /* self.c's; NULL: not looked up yet */
struct launch_self *launch_self_of_process(void);
static inline struct launch_self *launch_self_if_any(void)
{
    return launch_self_of_thread ? launch_self_of_thread : launch_self_of_process();
}

/* Where no watcher of ours looks on, the ranks look after each other: call it each time that a nap ends. */
void launch_look_around(struct launch_self *self);

/* The process of a rank by its number in this process's PID namespace; -1: it has ended; 0: it has none there, or is not there yet. */
pid_t launch_pid_of(const struct world *world, int rank);

/* So long, in ms, whoever tells what has happened may take for that. */
#define LAUNCH_TELL_MS 2000

/* This rank has left a job that has failed, and is about to end well. Where no launcher of ours watches, whoever ends first may have its
 * launcher end the others, and gives it the job's status: so let the teller be through, and those end that have failed. */
void launch_leave_failed(struct launch_self *self);

/* Fail the job. True: the caller is the one to tell the user, and says when it is done (world_told, world_wake). */
bool launch_tells(struct launch_self *self, int code, const char *cause);

/* Tell it and fail the job, from a thread whose failure no call of the program would find in time. The sentence without its stop. */
void launch_fail(struct launch_self *self, int code, const char *sentence);

/* This rank does nothing any more that another could wait for: say so, and let whoever still waits for it look again. */
void launch_has_left(struct launch_self *self);

/* For threads that the library starts on behalf of a rank: act as that rank. */
void launch_become(struct launch_self *self);

/* What is made when it is first asked for, by whichever thread: *where, or else what `make` gives. */
void *launch_once(void *_Atomic *where, void *(*make)(struct launch_self *), struct launch_self *self);

/* Where the calling thread tells that it sleeps: the slot's note is that of the thread which was first to call. Other threads that call,
 * or do a collective in the background, have a note each. NULL: none is left; nobody can tell then whether the rank is stuck. */
struct sleep_note *launch_note(struct launch_self *self);

/* The same note, once it says what the thread is about to sleep on; timed: news come by themselves. */
struct sleep_note *launch_note_on(struct launch_self *self, const struct eventcount *eventcount, bool timed);

/* eventcount_sleep with that note, then launch_look_around; and with eventcount_listen. */
void launch_sleep(struct launch_self *self, struct eventcount *eventcount, bool (*news)(void *arg), void *arg,
                  int milliseconds, bool timed);
void launch_listen(struct launch_self *self, struct eventcount *eventcount, bool (*news)(void *arg),
                   void *arg, int milliseconds);
struct sleep_note *launch_take_note(struct launch_self *self);
void launch_drop_note(struct launch_self *self, struct sleep_note *note);

/* The call sites that this thread has looked up: a call from the same line costs one comparison. */
#define SITE_MEMOS 64
struct site_memo {
    const char *file;
    int line;
    uint32_t site;
};
extern _Thread_local struct site_memo launch_memos[SITE_MEMOS];

/* Signal names for reports: "SIGSEGV". */
const char *launch_signal_name(int number);

/* Where call words of a slot point, the one of now and the last one: "dist_recv (chain.c:17)", or "its own code, after dist_recv
 * (chain.c:17)". */
struct words launch_describe_word(const struct world *world, int rank, uint32_t now, uint32_t last);

#endif
