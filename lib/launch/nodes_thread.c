/*
 * nodes_thread.c: the watchers of a job on several machines whose ranks another launcher has started (mpirun): on each machine a thread of
 * its first rank. From then on they do what those of distrun do (control.h, decide.c).
 *
 * Where node 0 listens nobody tells the ranks before MPI has started: each launcher has a protocol of its own to exchange words by (PMI-1,
 * PMIx, ...), and none of them is asked here. Once it has started, MPI carries them itself. In four rounds each rank says a word to all:
 *
 *   1  which is the first rank of my machine? Rank 0, too: the name of its machine (MASTER_ADDR, or the system's)
 *   2  the first rank of node 1: the address of that name, as others see it (at home it is often 127.0.1.1)
 *   3  rank 0: it listens there, and nowhere else; the port, and a secret
 *   4  the first rank of each machine: the watchers have met
 *
 * It is a thread, and no process of its own: that would be a child which the program does not know of (and waits for, if it waits for all), with
 * the program's files open, and would have to be ended wherever a launcher ends ranks in its own way. If its rank ends, the other
 * watchers see the connection end, and know which rank that was.
 */
#define _GNU_SOURCE
#include "job.h"
#include "nodes.h"
#include "handshake.h"
#include "worker.h"
#include "../dist_base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUND_MS 10

struct nodes_watcher {
    struct worker thread;
    struct nodes nodes;
    struct job job;
    _Atomic bool stops;
};

struct word {
    int32_t number; /* round 1: a rank; 3, 4: a status */
    char text[300]; /* a name, an address, a port, why not */
    unsigned char key[SECRET_BYTES];
};

struct round {
    struct launch_self *self;
    nodes_gather *gather;
    void *argument;
    struct word own, *all;
};

static bool nodes_thread_say(struct round *r)
{
    bool said = r->gather(r->argument, &r->own, r->all, sizeof r->own);
    memset(&r->own, 0, sizeof r->own);
    return said;
}

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
    if (world_failed(&job->world))
        control_turn(job);
    else
        control_finish(job);
    if (!world_failed(&job->world) && job->control->hub)
        job->plan.review(&job->world);
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

/* All have said their machine's first rank. */
static void nodes_thread_number_nodes(struct nodes *nodes, const struct word *words, int rank)
{
    for (int i = 0; i < nodes->size; i++)
        nodes->node_of[i] = (short)(words[i].number == i ? nodes->count++ : nodes->node_of[words[i].number]);
    nodes->number = nodes->node_of[rank];
}

/* Rounds 1 and 2. */
static int nodes_thread_find_node_0(struct round *r, struct nodes *nodes, char *name, size_t name_size,
                                    char *why, size_t why_size)
{
    int rank = r->self->env.rank, first = 0;
    while (atomic_load(&r->self->world.header->slots[first].state) == RANK_ABSENT)
        first++;
    r->own.number = first;
    if (rank == 0)
        handshake_own_name(r->own.text, sizeof r->own.text);
    if (!nodes_thread_say(r))
        return -1;
    snprintf(name, name_size, "%s", r->all[0].text);
    nodes_thread_number_nodes(nodes, r->all, rank);
    int asked = nodes_first(nodes, 1);
    if (rank == asked)
        handshake_find(name, r->own.text, sizeof r->own.text);
    if (!nodes_thread_say(r))
        return -1;
    snprintf(nodes->host, sizeof nodes->host, "%.255s", r->all[asked].text);
    if (*nodes->host)
        return 0;
    return text_why(
        DIST_ERR_ENVIRONMENT, why, why_size,
        "rank 0's machine is called %.60s, by which others do not find it; set MASTER_ADDR to its address "
        "in the job's network (mpirun.openmpi -x MASTER_ADDR=..., mpirun.mpich -genv MASTER_ADDR ...)",
        name);
}

/* Round 3. Gives where node 0 listens. */
static int nodes_thread_open_door(struct round *r, struct nodes *nodes, int *door, char *why, size_t why_size)
{
    int status = 0;
    strcpy(nodes->port, "0"); /* one that is free */
    if (r->self->env.rank == 0) {
        status = nodes_listen(nodes, door, why, why_size);
        if (status == 0 && !secret_random(r->own.key, sizeof r->own.key))
            status =
                text_why(DIST_ERR_SYSTEM, why, why_size, "the system gives no random bytes for a secret");
        snprintf(r->own.text, sizeof r->own.text, "%s", status ? why : nodes->port);
        r->own.number = status;
    }
    if (!nodes_thread_say(r))
        return -1;
    if (r->all[0].number != 0)
        return text_why(r->all[0].number, why, why_size, "%s", r->all[0].text);
    memcpy(nodes->key, r->all[0].key, sizeof nodes->key);
    snprintf(nodes->port, sizeof nodes->port, "%.7s", r->all[0].text);
    return 0;
}

/* Round 4: all end with the first status that is not 0. */
static int nodes_thread_agree(struct round *r, int status, char *why, size_t why_size)
{
    r->own.number = status;
    snprintf(r->own.text, sizeof r->own.text, "%s", status ? why : "");
    if (!nodes_thread_say(r))
        return -1;
    for (int i = 0; i < r->self->env.world_size; i++)
        if (r->all[i].number != 0)
            return text_why(r->all[i].number, why, why_size, "%s", r->all[i].text);
    return 0;
}

static int nodes_thread_meet(struct round *r, struct nodes_watcher *w, char *why, size_t why_size)
{
    struct nodes *nodes = &w->nodes;
    struct launch_self *self = r->self;
    char name[sizeof r->own.text];
    int door = -1, status = nodes_thread_find_node_0(r, nodes, name, sizeof name, why, why_size);
    if (status == 0)
        status = nodes_thread_open_door(r, nodes, &door, why, why_size);
    if (status != 0)
        return status;
    if (nodes_first(nodes, nodes->number) == self->env.rank) {
        status = nodes_meet(nodes, door, self->env.meet_seconds, why, why_size);
        if (nodes->number > 0)
            snprintf(nodes->links[0].name, sizeof nodes->links[0].name, "%.63s", name);
        atomic_fetch_add(&world_notes(&self->world, self->env.rank)->tidying, 1);
        if (status == 0 && !nodes_thread_watcher_open(w, self))
            status = text_why(DIST_ERR_SYSTEM, why, why_size,
                              "the system gives no thread or no memory for a watcher");
        self->watcher = w;
    }
    return nodes_thread_agree(r, status, why, why_size);
}

int nodes_join(struct launch_self *self, nodes_gather *gather, void *argument, const char *version, char *why,
               size_t why_size)
{
    int size = self->env.world_size;
    struct round r = { .self = self, .gather = gather, .argument = argument };
    struct nodes_watcher *w = calloc(1, sizeof *w);
    r.all = calloc((size_t)size, sizeof *r.all);
    if (!r.all || !w) {
        free(r.all);
        free(w);
        return text_why(DIST_ERR_MEMORY, why, why_size, "the system gives no memory for %d words", size);
    }
    w->nodes = (struct nodes){ .size = size, .foreign = true, .version = version };
    w->job.output.events_fd = -1;
    int status = nodes_thread_meet(&r, w, why, why_size);
    if (self->watcher != w)
        nodes_thread_watcher_free(w);
    free(r.all);
    return status;
}
