/* wrap.c: a backend around a backend: hands on what the inner one can do, and does the rest by messages. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

static bool wrap_is_ours(const struct algorithms *outer, const struct dist_work *op)
{
    if (op->p2p || op->call < CALL_BROADCAST || op->call > CALL_MONITORED_BARRIER)
        return false;
    return outer->all || !outer->inner->collectives[op->call] ||
           (op->call == CALL_ALL_REDUCE && outer->forced);
}

/* ---- what we do ------------------------------------------------------------------------- */

/* Forget a run that is over. Gives its status. */
static int wrap_end(struct algorithms *outer, struct run *run)
{
    int status = run->op->status;
    if (status == DIST_OK) {
        run_free(run);
        return status;
    }
    pthread_mutex_lock(&outer->lock);
    run->next = outer->failed;
    outer->failed = run;
    pthread_mutex_unlock(&outer->lock);
    return status;
}

static int wrap_by_messages(struct algorithms *outer, struct dist_work *op, uint32_t number)
{
    struct run *run = calloc(1, sizeof *run);
    if (!run)
        return op->status = why_fail(DIST_ERR_MEMORY, &op->why,
                                     "the system gives no memory for the messages of this collective");
    run->outer = outer;
    run->op = op;
    run->tag = -2 - (int)(number % (1u << 30));
    if (op->call == CALL_MONITORED_BARRIER)
        run->deadline = dist_time() + op->timeout;
    run_meet(run);
    if (op->async) {
        op->run = run;
        if (run_start(run) == DIST_OK) /* from here on op->status is its thread's */
            return DIST_OK;
    } else {
        run_to_end(run);
    }
    return wrap_end(outer, run);
}

/* ---- the calls ---------------------------------------------------------------------------- */

static int algorithms_open(struct launch_self *self, struct dist_group *world, void **state, struct why *why)
{
    struct algorithms *outer = self->algorithms;
    int status = outer->inner->open(self, world, &outer->state, why);
    *state = outer;
    if (status != DIST_OK) {
        self->algorithms = NULL;
        pthread_mutex_destroy(&outer->lock);
        free(outer);
    }
    return status;
}

static void wrap_free_all(struct run *run)
{
    while (run) {
        struct run *next = run->next;
        run_free(run);
        run = next;
    }
}

static void algorithms_leave(void *state)
{
    struct algorithms *outer = state;
    atomic_store(&outer->closing, true);
    eventcount_advance(&outer->self->world.header->slots[outer->self->env.rank].eventcount);
    for (struct run *run = outer->runs; run; run = run->next)
        run_await(run);
    outer->inner->leave(outer->state);
}

static int algorithms_close(void *state)
{
    struct algorithms *outer = state;
    int status = outer->inner->close(outer->state);
    wrap_free_all(outer->runs);
    wrap_free_all(outer->failed);
    outer->self->algorithms = NULL;
    pthread_mutex_destroy(&outer->lock);
    free(outer);
    return status;
}

static int algorithms_group_new(void *state, struct dist_work *op, struct dist_group *group)
{
    struct algorithms *outer = state;
    return outer->inner->group_new(outer->state, op, group);
}

static void algorithms_group_free(void *state, struct dist_group *group)
{
    struct algorithms *outer = state;
    outer->inner->group_free(outer->state, group);
}

static int algorithms_message(void *state, struct dist_work *op)
{
    struct algorithms *outer = state;
    return backend_start(outer->inner, outer->state, op);
}

/* Whoever does them, all count: so members that call two in another order do not meet in one of them. */
static int algorithms_collective(void *state, struct dist_work *op)
{
    struct algorithms *outer = state;
    uint32_t number = op->group->collectives++;
    return wrap_is_ours(outer, op) ? wrap_by_messages(outer, op, number)
                                   : backend_start(outer->inner, outer->state, op);
}

static bool algorithms_test(void *state, struct dist_work *op)
{
    struct algorithms *outer = state;
    return wrap_is_ours(outer, op) ? atomic_load(&op->done) : outer->inner->test(outer->state, op);
}

static int algorithms_wait(void *state, struct dist_work *op)
{
    struct algorithms *outer = state;
    if (!wrap_is_ours(outer, op))
        return outer->inner->wait(outer->state, op);
    struct run *run = op->run;
    if (!run)
        return op->status;
    run_await(run);
    pthread_mutex_lock(&outer->lock);
    struct run **at = &outer->runs;
    while (*at != run)
        at = &(*at)->next;
    *at = run->next;
    pthread_mutex_unlock(&outer->lock);
    op->run = NULL;
    return wrap_end(outer, run);
}

static void algorithms_note(void *state, const struct dist_work *op)
{
    struct algorithms *outer = state;
    if (outer->inner->note)
        outer->inner->note(outer->state, op && wrap_is_ours(outer, op) ? NULL : op);
}

static bool algorithms_on_host(void *state, const struct dist_work *op)
{
    return wrap_is_ours(state, op);
}

/* ---- putting it around -------------------------------------------------------------------- */

static const struct backend wrapping = {
    .open = algorithms_open,
    .leave = algorithms_leave,
    .close = algorithms_close,
    .group_new = algorithms_group_new,
    .group_free = algorithms_group_free,
    .send = algorithms_message,
    .recv = algorithms_message,
    BACKEND_COLLECTIVES(algorithms_collective),
    .collectives[CALL_ALL_TO_ALL] = algorithms_collective,
    .collectives[CALL_BARRIER] = algorithms_collective,
    .collectives[CALL_MONITORED_BARRIER] = algorithms_collective,
    .test = algorithms_test,
    .wait = algorithms_wait,
    .note = algorithms_note,
    .on_host = algorithms_on_host,
};

static bool wrap_is_complete(const struct backend *inner)
{
    for (int call = CALL_BROADCAST; call <= CALL_MONITORED_BARRIER; call++)
        if (!inner->collectives[call])
            return false;
    return true;
}

const struct backend *algorithms_wrap(struct launch_self *self, const struct backend *inner, int *status,
                                      struct why *why)
{
    const char *name = setting_text("DIST_ALGORITHM");
    *status = setting_check("DIST_ALGORITHM", why);
    if (*status != DIST_OK)
        return NULL;
    if (!name && wrap_is_complete(inner))
        return inner;
    struct algorithms *outer = calloc(1, sizeof *outer);
    *status = outer ? DIST_OK : DIST_ERR_MEMORY; /* why has its words */
    if (!outer)
        return NULL;
    outer->self = self;
    outer->inner = inner;
    outer->all = name && strcmp(name, "messages") == 0;
    outer->forced = name ? algorithm_named(name) : NULL;
    outer->table = wrapping;
    outer->table.name = inner->name;
    outer->table.on_streams = inner->on_streams;
    pthread_mutex_init(&outer->lock, NULL);
    self->algorithms = outer;
    return &outer->table;
}
