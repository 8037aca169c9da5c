/* open.c: joining the job, and leaving it. */
#define _GNU_SOURCE
#include "meet.h"
#include "wants.h"
#include "../../devices/host.h"
#include "../../dist.h"
#include "../../launch/nodes.h"
#include "../../launch/spread.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* The Makefile says where plug-ins are built, and where they are installed. */
#ifndef TRANSPORT_FOLDER
#define TRANSPORT_FOLDER "."
#endif

/* Beside what holds this library, else where they were built; one that is there, and does not open, is what is told. RTLD_LOCAL: its MPI is
 * not to be the program's. */
const struct transport *transport_load(const char *name, struct why *why)
{
    Dl_info here;
    char path[4200] = "";
    void *plugin = NULL;
    if (dladdr((void *)(uintptr_t)transport_load, &here) && here.dli_fname) {
        int folder = (int)(text_file(here.dli_fname) - here.dli_fname);
        snprintf(path, sizeof path, "%.*sdist-%s.so", folder, here.dli_fname, name);
        plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (!plugin && access(path, F_OK) != 0) {
        snprintf(path, sizeof path, "%s/dist-%s.so", TRANSPORT_FOLDER, name);
        plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    const char *error = plugin ? NULL : dlerror();
    const struct transport *transport = plugin ? dlsym(plugin, TRANSPORT_SYMBOL) : NULL;
    if (transport && transport->version == TRANSPORT_VERSION)
        return transport;
    if (plugin)
        why_say(why, "%.150s is of another version of the library", path);
    else
        why_say(why, "%.200s", error ? error : path);
    return NULL;
}

/* ---- joining ------------------------------------------------------------------------------------------- */

static void open_reduce(void *inout, void *in, int64_t count, int type, int op)
{
    const void *both[] = { in, inout };
    host_reduce(inout, both, 2, count, (enum dist_type)type, (enum dist_op)op);
}

static struct transport_state *open_state(struct launch_self *self, struct dist_group *world)
{
    int size = self->world.header->size;
    struct transport_state *state = calloc(1, sizeof *state);
    if (!state || !bundles_open(state, size) || !wants_open(state, size)) {
        if (state)
            bundles_close(state);
        free(state);
        return NULL;
    }
    state->self = self;
    state->rank = self->env.rank;
    state->size = size;
    state->last_group = -1;
    state->slot = &self->world.header->slots[state->rank];
    state->notes = world_notes(&self->world, state->rank);
    state->ranks = world_at(&self->world, self->world.header->backend_offset);
    state->spread = launch_is_far(&self->env);
    state->flat = setting_is("DIST_FLAT", "1");
    pthread_mutex_init(&state->lock, NULL);
    match_open(&state->posted);
    match_open(&state->unexpected);
    wire_open(state);
    state->all = world;
    world->state = &state->world;
    return state;
}

static void open_state_free(struct transport_state *state)
{
    messages_forget(state);
    while (state->meetings)
        meetings_end(state, state->meetings);
    match_close(&state->posted);
    match_close(&state->unexpected);
    if (!state->failed && !world_failed(&state->self->world)) /* else others may still read there */
        near_close(state);
    bundles_close(state);
    free(state->ahead);
    free(state->wants);
    free(state->world.node_of);
    pthread_mutex_destroy(&state->lock);
    free(state);
}

/* In the world's memory, which outlives the state: the transport's threads may call once more when that is gone. */
static struct rank_slot *woken_slot;
static struct transport_rank *woken_rank;

static void open_wake(void)
{
    eventcount_notify(&woken_slot->eventcount);
    if (atomic_load(&woken_rank->listens))
        eventcount_advance(&woken_slot->progress);
}

/* What threads the transport starts get this thread's name, by which they are known (diagnose/tasks.c). A rank that they wake does not spin
 * before: their work comes first. */
static int open_transport(struct transport_state *state, const struct transport_job *job, struct why *why)
{
    int here = state->spread ? state->self->env.local_size : state->size;
    char name[16] = "";
    atomic_store(&state->notes->engines, 1);
    prctl(PR_GET_NAME, name);
    prctl(PR_SET_NAME, "transport");
    watchdog_begin(state->self);
    int result = state->transport->open(job, why->text, sizeof why->text);
    watchdog_end();
    prctl(PR_SET_NAME, name);
    backoff_tune(state->transport->wakes ? INT_MAX : here);
    return result;
}

/* The words of all ranks, before there are groups. */
static bool open_gather(void *argument, const void *own, void *all, size_t bytes)
{
    struct transport_state *state = argument;
    struct transport_collective what = { .call = TRANSPORT_ALL_GATHER,
                                         .type = DIST_U8,
                                         .element = 1,
                                         .block = (int)bytes,
                                         .in = own,
                                         .out = all };
    transport_request request = state->transport->collect(NULL, &what);
    int done = request ? state->transport->test(&request) : -1;
    for (; done == 0 && !world_failed(&state->self->world); done = state->transport->test(&request)) {
        launch_look_around(state->self);
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
    }
    return done > 0;
}

/* The job has failed while the transport waited for the others, which then gives up. */
static const struct world *opening;
static bool gave_up;

static int open_over(void)
{
    gave_up = world_failed(opening);
    return gave_up;
}

static int open_not_opened(struct why *why)
{
    struct why cause;
    if (!gave_up)
        return DIST_ERR_ENVIRONMENT;
    int status = backend_failed(opening, &cause);
    return why_fail(status, why, "%s; look at that rank first", cause.text);
}

/* Under a launcher that is not ours (under ours the machines have met before). */
static int open_join_machines(struct transport_state *state, struct why *why)
{
    int status = nodes_join(state->self, open_gather, state, NULL, DIST_VERSION, why);
    if (status >= 0)
        return status;
    why_say(why, "the transport could not join the machines: %.150s", state->transport->error());
    return open_over() ? open_not_opened(why) : DIST_ERR_SYSTEM;
}

int transport_open(const char *name, transport_finder *find, struct launch_self *self,
                   struct dist_group *world, void **out, struct why *why)
{
    int status = DIST_OK;
    if (self->threads)
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "BACKEND is \"%s\", which joins processes, but ranks are threads; unset DIST_RANKS",
                        name);
    struct transport_state *state = open_state(self, world);
    if (!state)
        return DIST_ERR_MEMORY;
    woken_slot = state->slot;
    woken_rank = &state->ranks[state->rank];
    opening = &self->world;
    struct transport_job job = { .rank = state->rank,
                                 .size = state->size,
                                 .reduce = open_reduce,
                                 .bootstrap = (char *)world_bootstrap(&self->world, 0),
                                 .bootstrap_bytes = sizeof(struct world_bootstrap),
                                 .address = world_is_spread(&self->world) ? self->world.header->address
                                                                          : "127.0.0.1",
                                 .over = open_over,
                                 .wake = open_wake };
    status = launch_read_buffering(&state->eager_bytes, why);
    if (status == DIST_OK)
        state->transport = find(self, &status, why);
    if (status == DIST_OK && !ahead_open(state, state->size))
        status = DIST_ERR_MEMORY;
    if (status == DIST_OK && open_transport(state, &job, why) != 0)
        status = open_not_opened(why);
    if (status == DIST_OK && state->spread && !world_is_spread(&self->world))
        status = open_join_machines(state, why);
    if (status == DIST_OK && !transport_form_world(state))
        status =
            why_fail(DIST_ERR_SYSTEM, why, "the transport could not make a group of the machines: %.150s",
                     state->transport->error());
    if (status == DIST_OK)
        *out = state;
    else
        open_state_free(state);
    return status;
}

/* ---- leaving --------------------------------------------------------------------------------------------- */

/* A rank says that it has left before it waits for the others, who may wait for it. */
static void open_meet_others(struct transport_state *state)
{
    struct timespec nap = { .tv_nsec = 50000 };
    const struct world *world = &state->self->world;
    if (!state->failed)
        launch_has_left(state->self);
    while (!state->failed && !world_failed(world) && state->transport->meet() == 0) {
        nanosleep(&nap, NULL);
        nap.tv_nsec = nap.tv_nsec < 1000000 ? nap.tv_nsec * 2 : nap.tv_nsec;
    }
    if (world_failed(world))
        launch_leave_failed(state->self);
    else if (!state->failed)
        state->transport->close();
}

int transport_close(void *own)
{
    struct transport_state *state = own;
    int status = state->failed;
    open_meet_others(state);
    open_state_free(state);
    return status;
}
