/*
 * nodes_thread.c: the watchers of a job on several machines whose ranks another launcher has started (mpirun): on each machine a thread of
 * its first rank. How they meet stands in nodes_rounds.h; from then on they do what those of distrun do (control.h, decide.c).
 *
 * It is a thread, and no process of its own: that would be a child which the program does not know of (and waits for, if it waits for all), with
 * the program's files open, and would have to be ended wherever a launcher ends ranks in its own way. If its rank ends, the other
 * watchers see the connection end, and know which rank that was.
 */
#define _GNU_SOURCE
#include "job.h"
#include "nodes_rounds.h"
#include "worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUND_MS 10

struct nodes_watcher {
    struct worker thread;
    struct nodes nodes;
    struct job job;
    _Atomic bool stops;
};

/* ---- the thread ------------------------------------------------------------------------------------------ */

/* Who ends this process because the job has failed waits until the others know. */
static void nodes_thread_watch(void *argument)
{
    struct nodes_watcher *w = argument;
    struct job *job = &w->job;
    bool telling = true;
    world_tell_begins();
    while (!atomic_load(&w->stops)) {
        job_watch_round(job, ROUND_MS);
        world_check_peers(&job->world, w->thread.self->env.rank);
        if (telling && job->control->said_failure) {
            telling = false;
            world_tell_over();
        }
    }
    control_await_leavers(job);
    if (world_failed(&job->world))
        control_turn(job);
    else
        control_finish(job);
    if (!world_failed(&job->world))
        job_look_back(job, 0);
    control_bye(job, 0);
    if (telling)
        world_tell_over();
}

static void nodes_thread_watcher_free(struct nodes_watcher *w)
{
    control_close(&w->job);
    output_close(&w->job.output);
    free(w->job.statuses);
    free(w->job.notes);
    nodes_leave(&w->nodes);
    free(w);
}

/* A job without processes: another launcher sees their ends. */
static bool nodes_thread_watcher_open(struct nodes_watcher *w, struct launch_self *self)
{
    struct job *job = &w->job;
    job->plan = *self->plan;
    job->plan.size = w->nodes.size;
    job->plan.nodes = &w->nodes;
    job->world = self->world;
    job->world.author = w->nodes.size;
    job->statuses = calloc((size_t)w->nodes.size, sizeof *job->statuses);
    job->notes = calloc((size_t)w->nodes.size, sizeof *job->notes);
    w->thread =
        (struct worker){ .self = self, .name = "dist watcher", .work = nodes_thread_watch, .argument = w };
    return output_open(&job->output, 0, false, false) && job->statuses && job->notes && control_open(job) &&
           worker_start(&w->thread);
}

void nodes_part(struct launch_self *self)
{
    struct nodes_watcher *w = self->watcher;
    uint32_t unknown = PERMISSION_UNKNOWN;
    if (!w)
        return;
    atomic_store(&w->stops, true);
    worker_join(&w->thread);
    atomic_fetch_sub(&world_notes(&self->world, self->env.rank)->tidying, 1);
    atomic_compare_exchange_strong(&self->world.header->permission, &unknown, PERMISSION_GRANTED);
    nodes_thread_watcher_free(w);
    self->watcher = NULL;
}

/* ---- how they meet --------------------------------------------------------------------------------------- */

static int nodes_thread_meet(struct round *r, struct nodes_watcher *w, struct why *why)
{
    struct nodes *nodes = &w->nodes;
    struct launch_self *self = r->self;
    char name[sizeof r->own.text];
    int listener = -1, status = rounds_find_node_0(r, nodes, name, sizeof name, why);
    if (status == 0)
        status = rounds_open_listener(r, nodes, &listener, why);
    if (status != 0) {
        if (listener >= 0)
            close(listener);
        return status;
    }
    if (nodes_first(nodes, nodes->number) == self->env.rank) {
        status = nodes_meet(nodes, listener, self->env.meet_seconds, why);
        if (nodes->number > 0)
            snprintf(nodes->links[0].name, sizeof nodes->links[0].name, "%.63s", name);
        atomic_fetch_add(&world_notes(&self->world, self->env.rank)->tidying, 1);
        if (status == 0 && !nodes_thread_watcher_open(w, self))
            status = why_fail(DIST_ERR_SYSTEM, why, "the system gives no thread or no memory for a watcher");
        self->watcher = w;
    }
    return rounds_agree(r, status, why);
}

/* All know the same, so one tells. A launcher that sees a rank end may end all others: so that one first. */
static void nodes_thread_leave_it_to_0(struct world *world, int status, const char *why)
{
    for (int ms = 0; ms < LAUNCH_TELL_MS; ms += ROUND_MS) /* (a launcher's signal cuts a nap short) */
        usleep(ROUND_MS * 1000);
    world_fail_because(world, 0, status, why);
    world_told(world);
}

int nodes_join(struct launch_self *self, nodes_gather *gather, void *argument, const char *host,
               const char *version, struct why *why)
{
    int size = self->env.world_size;
    struct round r = { .self = self, .host = host, .gather = gather, .argument = argument };
    struct nodes_watcher *w = calloc(1, sizeof *w);
    r.all = calloc((size_t)size, sizeof *r.all);
    if (!r.all || !w) {
        free(r.all);
        free(w);
        return why_fail(DIST_ERR_MEMORY, why, "the system gives no memory for %d words", size);
    }
    w->nodes = (struct nodes){ .size = size, .foreign = true, .version = version };
    w->job.output.events_fd = -1;
    int status = nodes_thread_meet(&r, w, why);
    if (status > 0 && w->nodes.number > 0)
        nodes_thread_leave_it_to_0(&self->world, status, why->text);
    if (self->watcher != w)
        nodes_thread_watcher_free(w);
    free(r.all);
    return status;
}
