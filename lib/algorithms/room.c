/* room.c: a room around a room: hands on what the inner one can do, and does the rest by messages. */
#include "room.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_collective(enum call call)
{
    return call >= CALL_BROADCAST && call <= CALL_MONITORED_BARRIER;
}

static bool is_ours(const struct algorithms_room *room, const struct dist_work *op)
{
    if (op->p2p || !is_collective(op->call))
        return false;
    return room->all || !backend_collective(room->inner, op->call) ||
           (op->call == CALL_ALL_REDUCE && room->forced);
}

/* ---- what we do ------------------------------------------------------------------------- */

/* Forget a run that is over. Gives its status. */
static int end(struct algorithms_room *room, struct run *run)
{
    int status = run->op->status;
    if (status == DIST_OK) {
        run_free(run);
        return status;
    }
    pthread_mutex_lock(&room->lock);
    run->next = room->failed;
    room->failed = run;
    pthread_mutex_unlock(&room->lock);
    return status;
}

static int by_messages(struct algorithms_room *room, struct dist_work *op)
{
    struct run *run = calloc(1, sizeof *run);
    if (!run) {
        snprintf(op->why, sizeof op->why, "the system gives no memory for the messages of this collective");
        return op->status = DIST_ERR_MEMORY;
    }
    run->room = room;
    run->op = op;
    run->tag = -2 - (int)(op->group->by_messages++ % (1u << 30));
    if (op->call == CALL_MONITORED_BARRIER)
        run->deadline = dist_time() + op->timeout;
    if (op->async) {
        op->aside = run;
        return run_start(run); /* from here on op->status is its thread's */
    }
    run_to_end(run);
    return end(room, run);
}

/* ---- the calls ---------------------------------------------------------------------------- */

static int algorithms_open(struct launch_self *self, struct dist_group *world, void **state, char *why,
                           size_t why_size)
{
    struct algorithms_room *room = self->algorithms;
    *state = room;
    return room->inner->open(self, world, &room->room, why, why_size);
}

static void free_all(struct run *run)
{
    while (run) {
        struct run *next = run->next;
        run_free(run);
        run = next;
    }
}

static void algorithms_leave(void *state)
{
    struct algorithms_room *room = state;
    atomic_store(&room->closing, true);
    bell_strike(&room->self->world.header->slots[room->self->env.rank].bell);
    for (struct run *run = room->runs; run; run = run->next)
        run_await(run);
    room->inner->leave(room->room);
}

static int algorithms_close(void *state)
{
    struct algorithms_room *room = state;
    int status = room->inner->close(room->room);
    free_all(room->runs);
    free_all(room->failed);
    room->self->algorithms = NULL;
    pthread_mutex_destroy(&room->lock);
    free(room);
    return status;
}

static int algorithms_group_new(void *state, struct dist_work *op)
{
    struct algorithms_room *room = state;
    return room->inner->group_new(room->room, op);
}

static void algorithms_group_free(void *state, struct dist_group *group)
{
    struct algorithms_room *room = state;
    room->inner->group_free(room->room, group);
}

static int algorithms_send(void *state, struct dist_work *op)
{
    struct algorithms_room *room = state;
    return room->inner->send(room->room, op);
}

static int algorithms_recv(void *state, struct dist_work *op)
{
    struct algorithms_room *room = state;
    return room->inner->recv(room->room, op);
}

static int algorithms_collective(void *state, struct dist_work *op)
{
    struct algorithms_room *room = state;
    return is_ours(room, op) ? by_messages(room, op)
                             : backend_collective(room->inner, op->call)(room->room, op);
}

static bool algorithms_test(void *state, struct dist_work *op)
{
    struct algorithms_room *room = state;
    return is_ours(room, op) ? atomic_load(&op->done) : room->inner->test(room->room, op);
}

static int algorithms_wait(void *state, struct dist_work *op)
{
    struct algorithms_room *room = state;
    if (!is_ours(room, op))
        return room->inner->wait(room->room, op);
    struct run *run = op->aside;
    if (!run)
        return op->status;
    run_await(run);
    pthread_mutex_lock(&room->lock);
    struct run **at = &room->runs;
    while (*at != run)
        at = &(*at)->next;
    *at = run->next;
    pthread_mutex_unlock(&room->lock);
    op->aside = NULL;
    return end(room, run);
}

static void algorithms_note(void *state, const struct dist_work *op)
{
    struct algorithms_room *room = state;
    if (room->inner->note)
        room->inner->note(room->room, op && is_ours(room, op) ? NULL : op);
}

static bool algorithms_on_host(void *state, const struct dist_work *op)
{
    return is_ours(state, op);
}

/* ---- putting it around -------------------------------------------------------------------- */

static const struct backend wrapping = {
    .open = algorithms_open,
    .leave = algorithms_leave,
    .close = algorithms_close,
    .group_new = algorithms_group_new,
    .group_free = algorithms_group_free,
    .send = algorithms_send,
    .recv = algorithms_recv,
    .broadcast = algorithms_collective,
    .reduce = algorithms_collective,
    .all_reduce = algorithms_collective,
    .scatter = algorithms_collective,
    .gather = algorithms_collective,
    .all_gather = algorithms_collective,
    .reduce_scatter = algorithms_collective,
    .all_to_all = algorithms_collective,
    .barrier = algorithms_collective,
    .monitored_barrier = algorithms_collective,
    .test = algorithms_test,
    .wait = algorithms_wait,
    .note = algorithms_note,
    .on_host = algorithms_on_host,
};

static bool is_complete(const struct backend *inner)
{
    for (int call = CALL_BROADCAST; call <= CALL_MONITORED_BARRIER; call++)
        if (!backend_collective(inner, (enum call)call))
            return false;
    return true;
}

const struct backend *algorithms_wrap(struct launch_self *self, const struct backend *inner, int *status,
                                      char *why, size_t why_size)
{
    const char *name = setting_text("DIST_ALGORITHM");
    bool asked = name, all = asked && strcmp(name, "messages") == 0;
    *status = setting_check("DIST_ALGORITHM", why, why_size);
    if (*status != DIST_OK)
        return NULL;
    if (!asked && is_complete(inner))
        return inner;
    struct algorithms_room *room = calloc(1, sizeof *room);
    *status = room ? DIST_OK : DIST_ERR_MEMORY; /* why has its words */
    if (!room)
        return NULL;
    room->self = self;
    room->inner = inner;
    room->all = all;
    room->forced = asked && !all ? algorithm_named(name) : NULL;
    room->table = wrapping;
    room->table.name = inner->name;
    room->table.on_streams = inner->on_streams;
    pthread_mutex_init(&room->lock, NULL);
    self->algorithms = room;
    return &room->table;
}
