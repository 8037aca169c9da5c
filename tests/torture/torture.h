/*
 * torture.h: random programs of all calls, and something that goes wrong from outside while they run.
 *
 *     plan      plan.c                          what a seed stands for: ranks, settings, the program's length, the fault
 *     start     job.c                           a job in a session of its own; what happens to it from outside
 *     perform   program.c messages.c collectives.c streams.c   a rank: all ranks throw the same dice
 *     break     broken.c                        the n-th call of malloc, open or pthread_create that fails
 *     judge     judge.c                         status, words, what was left behind
 *     main.c                                    several at once, counted
 *
 * A program is right, so it ends well, or its fault is reported, once and truly. What ranks see they note on a board
 * that they share with the judge.
 */
#ifndef TORTURE_H
#define TORTURE_H

#include "../reference.h"

#include <stdatomic.h>
#include <sys/types.h>

#define MOST_RANKS 64
#define LAUNCHER (-1) /* as a victim */

enum fault {
    NO_FAULT,
    SLOW,          /* a rank takes its time */
    STOPPED,       /* SIGSTOP, and SIGCONT some time later; the launcher, too */
    KILLED,        /* a rank, SIGKILL */
    LAUNCHER_GONE, /* the launcher, SIGKILL */
    TERMINATED,    /* SIGTERM to the launcher */
    INTERRUPTED,   /* SIGINT to the launcher */
    NO_MEMORY,     /* the n-th allocation of a rank, or of the launcher, fails */
    NO_SPACE,      /* RLIMIT_AS */
    NO_FILES,      /* the n-th file that is opened fails */
    FEW_FILES,     /* RLIMIT_NOFILE */
    NO_THREADS,    /* the n-th thread or process cannot be started */
    FULL_DISK,     /* under DIST_TRACE */
    FAULTS
};

/* What a seed stands for. */
struct plan {
    uint64_t seed, dice;
    enum fault fault;
    int victim; /* rank, or LAUNCHER */
    int ranks, steps;
    bool threads, sim, room, check, trace, report;
    int eager;             /* bytes; 0: rendezvous */
    const char *algorithm; /* NULL: the backend's choice */
    int at_step;           /* when it happens: before this step; steps: before dist_destroy_process_group */
    int delay;             /* microseconds after that */
    bool timed;            /* instead: `delay` after the job's start, whatever it is at */
    int nth;               /* the n-th call from there on fails */
    long limit;            /* of RLIMIT_AS, RLIMIT_NOFILE, or how many calls in a row fail */
    int pause;             /* milliseconds */
};

/* What the ranks of a job show the judge. */
struct board {
    _Atomic int pids[MOST_RANKS];
    _Atomic int returned[MOST_RANKS]; /* 1: behind dist_destroy_process_group */
    _Atomic uint64_t operations;
    _Atomic int struck; /* the fault has happened */
    _Atomic int wrong;  /* ranks that saw something wrong; the first says what */
    char words[300];
};

/* A job under way, and what came of it. */
struct job {
    struct plan plan;
    struct board *board;
    int number;            /* of its place among those that run at the same time */
    pid_t pid;             /* the launcher, in a session of its own; 0: the place is free */
    int said_fd;           /* a file without a name: stdout and stderr */
    char folder[200];      /* for its files: TMPDIR, trace, report */
    bool small_disk;       /* folder/full is a disk of its own, and small */
    double began, stopped; /* stopped: since when it is known to be */
    bool sent;             /* the signal from outside */
    bool over, late;       /* the launcher has ended; it had to be made to */
    int status;            /* as waitpid tells */
    char said[6000];
    char wrong[400]; /* ""; else what the judge does not like */
};

/* plan.c */
void plan_make(struct plan *plan, uint64_t seed, int only_fault);
const char *plan_fault(enum fault fault);
void plan_print(const struct plan *plan);

/* job.c: poke does what is due, and gives the seconds until it wants to be called again; 0: it is over. */
void job_begin(struct job *job, uint64_t seed, int only_fault);
double job_poke(struct job *job, double now);
void job_end(struct job *job); /* read, judge, tidy */

/* judge.c: dislike: that is wrong, and why; the first is kept. */
void judge(struct job *job);
void dislike(struct job *job, const char *format, ...);

/* files.c */
void look_at_files(struct job *job, int status);

/* program.c: what every rank runs; board and plan are found by fork. */
void program_start(const struct plan *plan, struct board *board);
void program_run(int rank, int world_size);

/* broken.c: from now on the n-th call of this thread (whole: of this process) of that kind fails, and `row` after it. */
void broken_begin(struct board *board, enum fault fault, int nth, long row, bool whole);
void broken_end(void);
#define OWN_MEMORY 99
void *own_memory(
    size_t
        bytes); /* of the program itself: it does not count; where there is none, that is the exit status */

#endif
