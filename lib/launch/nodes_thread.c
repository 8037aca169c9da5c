/*
 * nodes_thread.c: the watchers of a job on several machines whose ranks another launcher has started (mpirun): on each machine a thread of
 * its first rank. Once they have met they do what those of distrun do (control.h, decide.c).
 *
 * It is a thread, and no process of its own: that would be a child which the program does not know of (and waits for, if it waits for all), with
 * the program's files open, and would have to be ended wherever a launcher ends ranks in its own way. If its rank ends, the other
 * watchers see the connection end, and know which rank that was.
 *
 * How they meet: where node 0 listens nobody tells the ranks before MPI has started: each launcher has a protocol of its own to exchange
 * words by (PMI-1, PMIx, ...), and none of them is asked here. Once it has started, MPI carries them itself. In four rounds each rank says
 * a word to all:
 *
 *   1  which is the first rank of my machine? What has it chosen (alike.h)? Rank 0, too: the name of its machine (MASTER_ADDR, or the system's)
 *   2  the first rank of node 1: the address of that name, as others see it (at home it is often 127.0.1.1)
 *   3  rank 0: it listens there, and nowhere else; the port, and a secret
 *   4  the first rank of each machine: the watchers have met
 */
#define _GNU_SOURCE
#include "job.h"
#include "join.h"
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
        if (telling && job->said_failure) {
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
    output_close(&w->job.output);
    job_forget(&w->job);
    nodes_leave(&w->nodes);
    free(w);
}

/* A job without processes: another launcher sees their ends. */
static bool nodes_thread_watcher_open(struct nodes_watcher *w, struct launch_self *self)
{
    struct job *job = &w->job;
    job->plan = (struct job_plan){ .size = w->nodes.size, .nodes = &w->nodes };
    job->world = self->world;
    job->world.author = w->nodes.size;
    job->ranks = calloc((size_t)w->nodes.size, sizeof *job->ranks);
    w->thread =
        (struct worker){ .self = self, .name = "dist watcher", .work = nodes_thread_watch, .argument = w };
    return output_open(&job->output, 0, false, false) && job->ranks && control_open(job) &&
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

void nodes_forget(const struct launch_self *self)
{
    const struct nodes_watcher *w = self->watcher;
    for (int node = 0; w && node < w->nodes.count; node++)
        if (w->nodes.links[node].fd >= 0)
            close(w->nodes.links[node].fd);
}

/* ---- how they meet --------------------------------------------------------------------------------------- */

struct word {
    int32_t status; /* of whoever says it; then `text` is why */
    int32_t first;  /* round 1: a rank, and */
    struct alike alike;
    char text[400]; /* a name, an address, a port */
    unsigned char key[SECRET_BYTES];
};

struct round {
    struct launch_self *self;
    const char *host; /* where all have reached rank 0 already; NULL: they have not met before */
    nodes_gather *gather;
    void *argument;
    struct word own, *all;
    char name[400]; /* round 1: of rank 0's machine */
};

/* 0; the first status of all that is not 0, with its sentence: the same on all ranks; or -1: gather has failed. */
static int nodes_thread_say(struct round *r, int status, struct why *why)
{
    r->own.status = status;
    if (status != 0)
        snprintf(r->own.text, sizeof r->own.text, "%s", why->text);
    bool said = r->gather(r->argument, &r->own, r->all, sizeof r->own);
    memset(&r->own, 0, sizeof r->own);
    for (int i = 0; said && i < r->self->env.world_size; i++)
        if (r->all[i].status != 0)
            return why_fail(r->all[i].status, why, "%s", r->all[i].text);
    return said ? 0 : -1;
}

/* Rounds 1 and 2. The same status. */
static int nodes_thread_find_node_0(struct round *r, struct nodes *nodes, struct why *why)
{
    int rank = r->self->env.rank, first = 0;
    while (atomic_load(&r->self->world.header->slots[first].state) == RANK_ABSENT)
        first++;
    r->own.first = first;
    r->own.alike = alike_of(r->self->world.header->slots[rank].alike.backend, false);
    strcpy(r->own.alike.trace, setting_text("DIST_TRACE") ? "set" : "");
    if (rank == 0)
        handshake_own_name(r->own.text, sizeof r->own.text);
    int status = nodes_thread_say(r, 0, why);
    if (status != 0)
        return status;
    snprintf(r->name, sizeof r->name, "%s", r->all[0].text);
    for (int i = 0; i < nodes->size; i++)
        nodes->node_of[i] = (short)(r->all[i].first == i ? nodes->count++ : nodes->node_of[r->all[i].first]);
    nodes->number = nodes->node_of[rank];
    for (int i = 1; i < nodes->size; i++) {
        char other[24];
        snprintf(other, sizeof other, "rank %d", i);
        if (!alike_differ(&r->all[i].alike, other, &r->all[0].alike, "rank 0", why))
            continue;
        why_add(why, " (mpirun.openmpi -x NAME=..., mpirun.mpich -genv NAME ...)");
        return DIST_ERR_ENVIRONMENT;
    }
    int asked = nodes_first(nodes, 1);
    if (rank == asked && r->host)
        snprintf(r->own.text, sizeof r->own.text, "%s", r->host);
    else if (rank == asked)
        handshake_find(r->name, r->own.text, sizeof r->own.text);
    status = nodes_thread_say(r, 0, why);
    snprintf(nodes->host, sizeof nodes->host, "%.255s", r->all[asked].text);
    if (status != 0 || *nodes->host)
        return status;
    return why_fail(
        DIST_ERR_ENVIRONMENT, why,
        "rank 0's machine is called %.60s, by which others do not find it; set MASTER_ADDR to its address "
        "in the job's network (mpirun.openmpi -x MASTER_ADDR=..., mpirun.mpich -genv MASTER_ADDR ...)",
        r->name);
}

/* Round 3. Gives where node 0 listens. */
static int nodes_thread_open_listener(struct round *r, struct nodes *nodes, int *listener, struct why *why)
{
    int status = 0;
    strcpy(nodes->port, "0"); /* one that is free */
    if (r->self->env.rank == 0) {
        status = nodes_listen(nodes, listener, why);
        if (status == 0 && !secret_random(r->own.key, sizeof r->own.key))
            status = why_fail(DIST_ERR_SYSTEM, why, "the system gives no random bytes for a secret");
        snprintf(r->own.text, sizeof r->own.text, "%s", nodes->port);
    }
    status = nodes_thread_say(r, status, why);
    memcpy(nodes->key, r->all[0].key, sizeof nodes->key);
    snprintf(nodes->port, sizeof nodes->port, "%.7s", r->all[0].text);
    return status;
}

static int nodes_thread_meet(struct round *r, struct nodes_watcher *w, struct why *why)
{
    struct nodes *nodes = &w->nodes;
    struct launch_self *self = r->self;
    int listener = -1, status = nodes_thread_find_node_0(r, nodes, why);
    if (status == 0)
        status = nodes_thread_open_listener(r, nodes, &listener, why);
    if (status != 0) {
        if (listener >= 0)
            close(listener);
        return status;
    }
    if (nodes_first(nodes, nodes->number) == self->env.rank) {
        status = nodes_meet(nodes, listener, why);
        if (status == 0 && nodes->number > 0)
            snprintf(nodes->links[0].name, sizeof nodes->links[0].name, "%.63s", r->name);
        atomic_fetch_add(&world_notes(&self->world, self->env.rank)->tidying, 1);
        if (status == 0 && !nodes_thread_watcher_open(w, self))
            status = why_fail(DIST_ERR_SYSTEM, why, "the system gives no thread or no memory for a watcher");
        self->watcher = w;
    }
    return nodes_thread_say(r, status, why);
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
    w->nodes = (struct nodes){
        .size = size, .foreign = true, .self = self, .version = version, .seconds = self->env.meet_seconds
    };
    w->job.output.events_fd = -1;
    int status = nodes_thread_meet(&r, w, why);
    if (status > 0 && w->nodes.number > 0)
        launch_leave_it_to_0(&self->world, status, why->text);
    if (self->watcher != w)
        nodes_thread_watcher_free(w);
    free(r.all);
    return status;
}
