/*
 * worker.h: a thread that the library starts on behalf of a rank: it drives what is open while the program computes, does a collective
 * in the background, or is a stream of a simulated GPU.
 */
#ifndef LAUNCH_WORKER_H
#define LAUNCH_WORKER_H

#include "launch.h"

#include <pthread.h>

struct worker {
    struct launch_self *self; /* the rank that it acts for */
    const char *name; /* as top and debuggers show it, where ranks are processes; at most 15 letters */
    void (*work)(void *argument);
    void *argument;
    struct sleep_note *note;       /* where it tells that it sleeps, and */
    struct eventcount *eventcount; /* what wakes it first; both NULL: it has no note here */
    bool runs;                     /* it was started, and not yet joined */
    pthread_t thread;
};

/* Start a worker whose first fields are filled in, by which alone it can be known until worker_join. Its note is valid before there is
 * a thread: until it has slept it counts as awake. False: the system gives no thread.
 *
 * The signals of a program are for its own threads: this one takes none but those that its instructions cause, and the profiler's.
 * Its stack is as large as the system makes them: an engine like MPI may be called on it. */
bool worker_start(struct worker *worker);

/* The same for the rank's progress thread, unless it runs already: it sleeps on the event count of that name. */
bool worker_start_progress(struct worker *worker, struct launch_self *self, void (*work)(void *argument),
                           void *argument);

/* Wait for its end. The caller has told it to end, and woken it. Of one that does not run: nothing. */
void worker_join(struct worker *worker);

#endif
