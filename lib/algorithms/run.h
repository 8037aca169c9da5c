/* run.h: a backend around a backend, which does by messages what the inner one leaves open, and one such collective. */
#ifndef ALGORITHMS_RUN_H
#define ALGORITHMS_RUN_H

#include "algorithms.h"
#include "../backend.h"
#include "../launch/worker.h"

#define RUN_SCRATCH 5

/* One rank's backend around a backend. */
struct algorithms {
    struct launch_self *self;
    const struct backend *inner;
    void *state;                  /* inner's */
    struct backend table;         /* inner's calls; ours where it has none */
    bool all;                     /* DIST_ALGORITHM=messages: do every collective */
    all_reduce_algorithm *forced; /* what DIST_ALGORITHM names; NULL: not set */
    _Atomic bool closing;         /* give up what nobody will finish */
    pthread_mutex_t lock;         /* guards `runs`: */
    struct run *runs;             /* under way, not yet waited for, or failed */
};

/* The backend that this rank shall use: `inner` itself, where it has every collective and DIST_ALGORITHM is not set; else a
 * backend around it that does the missing ones by messages. DIST_ALGORITHM=gather|tree|ring|halving takes all_reduce away
 * from it, and chooses how it is done; DIST_ALGORITHM=messages takes all collectives away.
 * NULL: *status is DIST_ERR_ENVIRONMENT, with a sentence in why, or DIST_ERR_MEMORY. */
const struct backend *algorithms_wrap(struct launch_self *self, const struct backend *inner, int *status,
                                      struct why *why);

/* One collective under way. An asynchronous one has a thread: it goes on while the program computes. */
struct run {
    struct communicator comm; /* first: the algorithms hand it back to us */
    struct algorithms *outer;
    struct dist_work *op; /* NULL: it is over, and has failed */
    int tag;              /* below zero, where no program's message can be */
    double deadline;      /* monitored_barrier: when to give up, on dist_time()'s clock; 0: never */
    bool meets;           /* members come together as for the inner backend's collectives, by */
    struct dist_work meeting;
    struct dist_work out, in;  /* the messages under way */
    struct dist_work *asked;   /* monitored_barrier: its other messages */
    void *memory[RUN_SCRATCH]; /* of comm_scratch */
    int memory_count;
    struct worker thread;
    struct sleep_note *note; /* of the thread; NULL: none was left, so it naps */
    struct run *next;
};

/* Do it, in the calling thread, and fill in op->status and op->why. */
void run_to_end(struct run *run);

/* background.c: an asynchronous one. Start it in a thread, status; and wait until that has done it. */
int run_start(struct run *run);
void run_await(struct run *run);

/* Free it with its memory. The inner backend must have finished or dropped all its messages. */
void run_free(struct run *run);

/* Start one message of it, to or from a rank of the communicator, where all is well so far; and wait until it is over, or hopeless: if it
 * is not well, comm.status and op->why say so. */
void run_begin(struct run *run, struct dist_work *message, int peer, bool sends, struct span span);
void run_finish(struct run *run, struct dist_work *message);

/* agree.c: do all members mean the same? If not, it is over, with op->why. */
void run_agree(struct run *run);
/* Where the inner backend can tell, it is asked: in the call itself, since what comes behind it must meet behind it. */
void run_meet(struct run *run);
bool run_differs(const struct run *run); /* it has told: no */

void run_monitored_barrier(struct run *run);

#endif
