/*
 * background.c: asynchronous collectives by messages: a thread for each, and how the watcher learns of it.
 *
 * The thread sleeps on the rank's event count, like the rank's own. Its own note is taken before it starts: so there is no
 * moment at which all others sleep and nobody knows that it will go on.
 */
#include "run.h"

#include <stdio.h>

#define NAP 100 /* ms after which a sleeper looks whether the job still stands */

/* The system gave no thread or memory for it. Its peers wait for this rank's part, and this rank perhaps for them before it looks
 * what became of it: so all are told now. */
static void background_fail_job(const struct run *run)
{
    struct launch_self *self = run->outer->self;
    const struct site *site = world_site_at(&self->world, self->env.rank, run->op->site);
    char sentence[200];
    snprintf(sentence, sizeof sentence, "rank %d: %s (%s:%d): %.100s", self->env.rank,
             call_name(run->op->call), site->file, site->line, run->op->why.text);
    launch_fail(self, run->op->status, sentence);
}

static void background_work(void *argument)
{
    struct run *run = argument; /* whoever waits for it frees it only once this thread has ended */
    run_to_end(run);
    if (work_was_refused(run->op))
        background_fail_job(run);
    eventcount_notify(&launch_slot(run->outer->self)->eventcount);
    launch_drop_note(run->outer->self, run->note);
}

int run_start(struct run *run)
{
    struct algorithms *outer = run->outer;
    run->note = launch_take_note(outer->self);
    if (run->note)
        atomic_store(&run->note->eventcount,
                     world_offset(&outer->self->world, &launch_slot(outer->self)->eventcount));
    run->thread = (struct worker){
        .self = outer->self, .name = "dist collective", .work = background_work, .argument = run
    };
    if (worker_start(&run->thread))
        return DIST_OK;
    launch_drop_note(outer->self, run->note);
    struct dist_work *op = run->op;
    op->run = NULL;
    return op->status = why_fail(DIST_ERR_SYSTEM, &op->why, BACKEND_NO_THREAD);
}

static bool background_is_done(void *argument)
{
    const struct run *run = argument;
    return atomic_load(&run->op->done);
}

/* Where it takes long, sleep where the watcher sees it, with what is open noted. */
void run_await(struct run *run)
{
    struct algorithms *outer = run->outer;
    struct backoff backoff = { 0 };
    while (!background_is_done(run)) {
        if (backoff_spin(&backoff))
            continue;
        if (outer->inner->note)
            outer->inner->note(outer->state, NULL);
        launch_sleep(outer->self, &launch_slot(outer->self)->eventcount, background_is_done, run, NAP, false);
    }
    worker_join(&run->thread);
}
