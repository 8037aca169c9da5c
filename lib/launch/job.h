/*
 * job.h: a job as its watcher sees it. Only lib/launch and distrun look in here.
 *
 *              pipes (stdout, stderr)
 *   rank 0  ------------------------->  +---------+
 *   rank 1  ------------------------->  | watcher |  -->  terminal
 *     ...          world (memfd)        |         |
 *   rank n-1  <------------------------>+---------+
 *
 * The watcher is the process that called dist_spawn (or distrun). It takes no part in the job: it hands on what
 * the ranks print, sees each of them end, tells the others, and says once what went wrong.
 */
#ifndef LAUNCH_JOB_H
#define LAUNCH_JOB_H

#include "control.h"
#include "launch.h"
#include "output.h"

#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct job;

/* What was asked for. */
struct job_plan {
    int size;                                 /* ranks */
    bool threads;                             /* ranks are threads of one process */
    bool ordered;                             /* output grouped by rank, without prefix */
    void (*start)(struct job *job, int rank); /* in the child, which is its process already; never returns */
    void (*run)(int rank, int world_size);    /* dist_spawn's function; distrun: NULL */
    char **argv;                              /* distrun's program; dist_spawn: NULL */
    struct nodes *nodes; /* it is on several machines, whose watchers have met; NULL: on this one */
    int restart;         /* how often it was started before: distrun --restarts */
    int *lost;           /* job_run counts here the ranks that failed by themselves; NULL: nobody asks */
};

/* What a watcher asks those who know the calls of ranks: lib/diagnose and lib/trace. The table is lib/watch_calls.c. */
struct watch_calls {
    void (*look)(struct world *world, int rank); /* now and then, with rank -1: is the job stuck? Of a job
                                                  * on several machines these three are called for that: */
    bool (*asleep)(const struct world *world, uint64_t *sleeps, bool *leaving); /* do all ranks here sleep? */
    bool (*refresh)(struct world *world, int rank); /* have them write their notes anew */
    void (*explain)(struct world *world);           /* no rank of any machine will ever move */
    /* A report, to a file. */
    void (*write)(const struct world *world, int rank, int status, const char *text);
    /* When all ranks have ended, of several machines at node 0: if well, was that luck? And what is to be written then. */
    void (*review)(const struct world *world);
    int (*after)(const struct world *world, const struct nodes *nodes, struct why *why);
    /* What of a rank's memory these need: bytes of its list of calls, and the parts of its trace memory that hold something. */
    uint64_t (*listed)(const struct world *world, int rank);
    bool (*traced)(const struct world *world, int rank, int part, uint64_t *from, uint64_t *bytes);
};
extern const struct watch_calls watch_calls;

struct job_rank {
    pid_t pid;              /* of its process (of threads only rank 0 has one); 0: it has ended, */
    int status;             /* as waitpid tells */
    bool called;            /* once the job is `stopping`: it had made a call when that failed, */
    struct words place;     /* and was here */
    uint64_t used, steps;   /* of its bootstrap memory: so much the other machines have been told */
    bool end;               /* its end was told: by us, or at the hub to us */
    struct buffer snapshot; /* at the hub: what it has written down, as its machine said */
};

/* How signals were before the watcher took over. */
struct job_signals {
    bool taken;
    sigset_t mask;
    struct sigaction child, pipe;
};

struct job {
    struct job_plan plan;
    struct world world;
    struct output output;
    struct job_signals signals;
    int signals_fd;             /* the signals that the watcher takes are read here */
    struct rlimit files_before; /* the limit of open files, before it was raised */
    pid_t watcher;
    struct job_rank *ranks;
    int processes;         /* how many: size, or 1 for threads */
    int alive;             /* how many have not ended */
    bool stopping;         /* the job has failed or was interrupted */
    int64_t stop_began;    /* clock at that moment, ms */
    int stop_step;         /* how hard the ranks were asked to stop: 0, SIGTERM, SIGKILL */
    int64_t let_tell;      /* ms that the one who tells was given beyond that, */
    int64_t let_tell_seen; /* and the clock at the last look at that */
    unsigned quiet_rounds; /* how often the watcher looked of itself, */
    int64_t looked;        /* and the clock when it did so last, ms */
    int interrupt;         /* the signal that ends the job; 0: none */
    int64_t asked;         /* clock when SIGTERM was passed on to ranks that catch it, ms; 0: it was not */
    bool hub;              /* this is node 0, or the only one. Of a job on several (control.h): */
    bool others_joined;    /* some rank of another machine has, or is about to: it says how it is reached */
    bool said_failure, said_told;
    bool lost_hub;             /* which was told here */
    bool over;                 /* BYE has come, or never will: */
    int hubs_status;           /* the job's exit status */
    struct decision *decision; /* the hub's: decide.c */
};

/* job.c: make it, start the ranks, watch them, say what happened. The exit status, or a negative enum dist_error with a
 * sentence in why where nothing could be started. */
int job_run(const struct job_plan *plan, struct why *why);
void job_forget(struct job *job); /* what it knows of its ranks */

/* env.c: look once before n ranks fail one by one. 0, or the status that a shell would give; a file, or what a shell would find. */
#define PROGRAM_NOT_RUNNABLE 126
#define PROGRAM_NOT_FOUND 127
int program_look_at(const char *file);
int program_look_for(const char *program);
bool program_set_place(const struct job *job, int rank); /* in the environment of a rank */

/* watch.c: returns when all ranks have ended and all output is handed on. */
void job_watch(struct job *job);
void job_watch_round(struct job *job, int timeout); /* once */
void job_interrupt(struct job *job, int number);    /* as if this signal had come */
#define WATCH_NODES ((uint64_t)1 << 32) /* events from here on are of the connections to other machines */

/* stop.c: end the ranks, step by step. stop_begin notes where they are; stop_step is called again and again, and
 * gives the milliseconds until it wants to be called again. */
void job_stop_begin(struct job *job);
void job_signal_all(const struct job *job, int number);
void job_note_rank(struct job *job, int rank);
int job_stop_step(struct job *job);
int64_t job_clock(void);

/* verdict.c: say on stderr what went wrong, unless somebody has. The exit status of the job. */
int job_verdict(const struct job *job);
/* Who has all ranks' records: was it luck? And writes them. The new result. */
int job_look_back(const struct job *job, int result);
bool job_was_killed(const struct job *job, int process); /* by a signal that was not ours */
int job_lost(const struct job *job); /* how many ranks failed, and were not stopped because of another */

/* stop.c: take the watcher's signals (false: errno tells), and put all back, also in a child. */
bool job_signals_take(struct job *job);
void job_signals_restore(const struct job *job);
void job_signals_let_through(const struct job *job); /* no rank is left: they may end the watcher */

/* threads.c: the start function of thread mode; and the rank of the calling thread, by the name that it has inherited. NULL: none. */
void threads_start(struct job *job, int rank);
struct launch_self *threads_self_by_name(void);

/* callers.c: a thread of the program calls for a rank, of which it is a process, first; for which another one calls, too. */
void launch_thread_is_first(struct launch_self *self);
void launch_thread_arrives(struct launch_self *self);
void launch_needs_locks(struct launch_self *self); /* from now on */
bool launch_can_settle(void); /* can what others have stored be made seen? Else none goes without a lock */

/* pipes.c: a closed stdin, stdout or stderr would have its number given to the next file or socket of ours, into which is then printed. */
void launch_fill_standard_files(void);

/* peers.c: a rank has ended, and not by an error. Where it has joined and not left, that is one. */
void launch_rank_ended(struct world *world, int rank);

/* peers.c: was the user told of the failure, and has the rank that did ended, of which no watcher would see it? */
bool launch_is_told(const struct world *world);

/* peers.c: all know the same failure, so one tells. A launcher that sees a rank end may end all others: so that one first. */
void launch_leave_it_to_0(struct world *world, int status, const char *why);

/* peers.c: from now on the peers of this rank, which no watcher looks after, see when its process ends. */
void launch_hold(struct world *world, int rank);

/* peers.c: hold that lock only so that its process is known in other PID namespaces, too, by the number that it has there. */
bool launch_lock(struct world *world, int rank);

/* peers.c: from now on ranks see whether this process, which watches over them, is there. Is it not (any more)? */
void launch_hold_watch(struct world *world);
bool launch_has_lost_watcher(const struct world *world);

/* self.c: this process (from now on) is one rank; it is here, with its first fields; it holds ranks as threads: others get an error. */
void launch_become_process(struct launch_self *self);
void launch_be_spawned(struct launch_self *self, const struct job *job, int rank);
void launch_ranks_are_threads(void);
bool launch_is_forked(void); /* this process was forked by a rank: it is none */

/* meet.c: find the other ranks that a foreign launcher has started, and share one world with them. */
int launch_meet(const struct launch_env *env, struct world *world, struct why *why);

#endif
