/* open.c: joining the job, and leaving it. */
#define _GNU_SOURCE
#include "ahead.h"
#include "bundles.h"
#include "lookout.h"
#include "meet.h"
#include "../../devices/host.h"
#include "../../dist.h"
#include "../../launch/nodes.h"
#include "../../launch/spread.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

/* The Makefile says where plug-ins are built, and where they are installed. */
#ifndef TRANSPORT_FOLDER
#define TRANSPORT_FOLDER "."
#endif

/* Beside what holds this library, or where they were built. RTLD_LOCAL: its MPI is not to be the program's. */
const struct transport *transport_load(const char *name, char *why, size_t why_size)
{
    Dl_info here;
    char path[4200];
    void *plugin = NULL;
    if (dladdr((void *)(uintptr_t)transport_load, &here) && here.dli_fname) {
        const char *end = strrchr(here.dli_fname, '/');
        snprintf(path, sizeof path, "%.*sdist-%s.so", end ? (int)(end - here.dli_fname) + 1 : 0,
                 here.dli_fname, name);
        plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (!plugin) {
        snprintf(path, sizeof path, "%s/dist-%s.so", TRANSPORT_FOLDER, name);
        plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    const char *error = plugin ? NULL : dlerror();
    const struct transport *transport = plugin ? dlsym(plugin, TRANSPORT_SYMBOL) : NULL;
    if (transport && transport->version == TRANSPORT_VERSION)
        return transport;
    if (plugin)
        snprintf(why, why_size, "%.150s is of another version of the library", path);
    else
        snprintf(why, why_size, "%.200s", error ? error : path);
    return NULL;
}

/* ---- joining ------------------------------------------------------------------------------------------- */

static void open_reduce(void *inout, void *in, int64_t count, int type, int op)
{
    const void *both[] = { in, inout };
    host_reduce(inout, both, 2, count, (enum dist_type)type, (enum dist_op)op);
}

static struct transport_room *open_room(struct launch_self *self, struct dist_group *world)
{
    int size = self->world.header->size;
    struct transport_room *room = calloc(1, sizeof *room);
    if (!room || !bundles_open(room, size)) {
        free(room);
        return NULL;
    }
    room->self = self;
    room->rank = self->env.rank;
    room->size = size;
    room->slot = &self->world.header->slots[room->rank];
    room->notes = world_notes(&self->world, room->rank);
    room->ranks = world_at(&self->world, self->world.header->room_offset);
    room->spread = launch_is_far(&self->env);
    room->flat = setting_is("DIST_FLAT", "1");
    pthread_mutex_init(&room->lock, NULL);
    queue_reset(&room->sends);
    queue_reset(&room->members);
    match_open(&room->posted);
    match_open(&room->parked);
    wire_open(room);
    room->all = world;
    world->room = &room->world;
    return room;
}

static void open_room_free(struct transport_room *room)
{
    parked_forget(room);
    meetings_forget(room);
    match_close(&room->posted);
    match_close(&room->parked);
    if (!room->failed && !world_failed(&room->self->world)) /* else others may still read there */
        near_close(room);
    bundles_close(room);
    free(room->ahead);
    free(room->world.node_of);
    pthread_mutex_destroy(&room->lock);
    free(room);
}

/* In the world's memory, which outlives the room: the transport's threads may call once more when that is gone. */
static struct rank_slot *woken_slot;
static struct transport_rank *woken_rank;

static void open_wake(void)
{
    bell_ring(&woken_slot->bell);
    if (atomic_load(&woken_rank->listens))
        bell_strike(&woken_slot->helper);
}

/* What threads the transport starts get this thread's name, by which they are known (diagnose/tasks.c). A rank that they wake does not spin
 * before: their work comes first. */
static int open_modestly(struct transport_room *room, const struct transport_job *job, char *why,
                         size_t why_size)
{
    int here = room->spread ? room->self->env.local_size : room->size;
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    prctl(PR_SET_NAME, "transport");
    struct lookout lookout;
    lookout_begin(&lookout, room->self);
    int result = room->transport->open(job, why, why_size);
    lookout_end(&lookout);
    prctl(PR_SET_NAME, name);
    patience_tune(room->transport->wakes ? INT_MAX : here);
    return result;
}

/* The words of all ranks, before there are groups. */
static bool open_gather(void *argument, const void *own, void *all, size_t bytes)
{
    struct transport_room *room = argument;
    struct transport_collective what = { .call = TRANSPORT_ALL_GATHER,
                                         .type = DIST_U8,
                                         .element = 1,
                                         .block = (int)bytes,
                                         .in = own,
                                         .out = all };
    transport_request request = room->transport->collect(NULL, &what);
    int done = request ? room->transport->test(&request) : -1;
    for (; done == 0 && !world_failed(&room->self->world); done = room->transport->test(&request)) {
        launch_look_around(room->self);
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

static int open_not_opened(char *why, size_t why_size)
{
    struct dist_work op = { .call = CALL_INIT };
    if (!gave_up)
        return DIST_ERR_ENVIRONMENT;
    int status = backend_failed(opening, &op);
    return text_why(status, why, why_size, "%s; look at that rank first", op.why);
}

/* Under a launcher that is not ours (under ours the machines have met before). */
static int open_join_machines(struct transport_room *room, char *why, size_t why_size)
{
    int status = nodes_join(room->self, open_gather, room, NULL, DIST_VERSION, why, why_size);
    if (status >= 0)
        return status;
    snprintf(why, why_size, "the transport could not join the machines: %.150s", room->transport->error());
    return open_over() ? open_not_opened(why, why_size) : DIST_ERR_SYSTEM;
}

int transport_open(transport_finder *find, struct launch_self *self, struct dist_group *world, void **out,
                   char *why, size_t why_size)
{
    int status = DIST_OK;
    struct transport_room *room = open_room(self, world);
    if (!room)
        return DIST_ERR_MEMORY;
    woken_slot = room->slot;
    woken_rank = &room->ranks[room->rank];
    opening = &self->world;
    struct transport_job job = {
        .rank = room->rank, .size = room->size, .over = open_over, .reduce = open_reduce, .wake = open_wake
    };
    status = launch_read_buffering(&room->eager_bytes, why, why_size);
    if (status == DIST_OK)
        room->transport = find(self, &job, &status, why, why_size);
    if (status == DIST_OK && !ahead_open(room, room->size))
        status = DIST_ERR_MEMORY;
    if (status == DIST_OK && open_modestly(room, &job, why, why_size) != 0)
        status = open_not_opened(why, why_size);
    if (status == DIST_OK && room->spread && !world_is_spread(&self->world))
        status = open_join_machines(room, why, why_size);
    if (status == DIST_OK && !transport_form_world(room)) {
        snprintf(why, why_size, "the transport could not make a group of the machines: %.150s",
                 room->transport->error());
        status = DIST_ERR_SYSTEM;
    }
    if (status == DIST_OK)
        *out = room;
    else
        open_room_free(room);
    return status;
}

/* ---- leaving --------------------------------------------------------------------------------------------- */

/* A rank says that it has left before it waits for the others, who may wait for it. */
static void open_meet_others(struct transport_room *room)
{
    struct timespec nap = { .tv_nsec = 50000 };
    const struct world *world = &room->self->world;
    if (!room->failed)
        launch_has_left(room->self);
    while (!room->failed && !world_failed(world) && room->transport->meet() == 0) {
        nanosleep(&nap, NULL);
        nap.tv_nsec = nap.tv_nsec < 1000000 ? nap.tv_nsec * 2 : nap.tv_nsec;
    }
    if (world_failed(world))
        launch_leave_failed(room->self);
    else if (!room->failed)
        room->transport->close();
}

int transport_close(void *state)
{
    struct transport_room *room = state;
    int status = room->failed;
    open_meet_others(room);
    open_room_free(room);
    return status;
}
