/* worker.c: threads that the library starts on behalf of a rank. */
#define _GNU_SOURCE
#include "worker.h"

#include <signal.h>
#include <sys/prctl.h>

static void worker_block_signals(sigset_t *before)
{
    static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF };
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&blocked, own[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, before);
}

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    if (!worker->self->threads) /* else what is started on it is known by its rank's name (threads.c) */
        prctl(PR_SET_NAME, worker->name);
    launch_become(worker->self);
    worker->work(worker->argument);
    if (worker->note)
        atomic_store(&worker->note->epoch, 0);
    return NULL;
}

bool worker_start(struct worker *worker)
{
    sigset_t before;
    struct sleep_note *note = worker->note;
    if (note) {
        atomic_store(&note->eventcount, world_offset(&worker->self->world, worker->eventcount));
        atomic_store(&note->timed, 0);
        atomic_store(&note->epoch, 2);
    }
    worker_block_signals(&before); /* a new thread begins with the mask of its maker */
    worker->runs = pthread_create(&worker->thread, NULL, worker_main, worker) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!worker->runs && note)
        atomic_store(&note->epoch, 0);
    return worker->runs;
}

bool worker_start_progress(struct worker *worker, struct launch_self *self, void (*work)(void *argument),
                           void *argument)
{
    if (worker->runs)
        return true;
    *worker = (struct worker){ .self = self,
                               .name = "dist progress",
                               .work = work,
                               .argument = argument,
                               .note = &launch_notes(self)->progress_sleep,
                               .eventcount = &launch_slot(self)->progress };
    return worker_start(worker);
}

void worker_join(struct worker *worker)
{
    if (worker->runs)
        pthread_join(worker->thread, NULL);
    worker->runs = false;
}
