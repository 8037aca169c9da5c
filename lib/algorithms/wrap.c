/*
 * wrap.c: a backend around a backend, which does by messages what the inner one cannot. Both have one state, the inner one's, as in
 * trace/wrap.c: so calls that are none of our business go there directly.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

static struct algorithms *wrap_here(void)
{
    return launch_self_if_any()->algorithms;
}

static bool wrap_is_ours(const struct algorithms *outer, const struct dist_work *op)
{
    if (op->p2p || op->call < CALL_BROADCAST || op->call > CALL_MONITORED_BARRIER)
        return false;
    return outer->all || !backend_does(outer->inner, op->call) ||
           (op->call == CALL_ALL_REDUCE && outer->forced);
}

/* ---- what we do ------------------------------------------------------------------------- */

/* Of one that failed the inner backend may still look at a message: it is kept until that is closed. Gives its status. */
static int wrap_end(struct algorithms *outer, struct run *run)
{
    int status = run->op->status;
    run->op = NULL;
    if (status != DIST_OK)
        return status;
    pthread_mutex_lock(&outer->lock);
    struct run **at = &outer->runs;
    while (*at != run)
        at = &(*at)->next;
    *at = run->next;
    pthread_mutex_unlock(&outer->lock);
    run_free(run);
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
    pthread_mutex_lock(&outer->lock);
    run->next = outer->runs;
    outer->runs = run;
    pthread_mutex_unlock(&outer->lock);
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

static void wrap_free(struct algorithms *outer)
{
    for (struct run *run; (run = outer->runs);) {
        outer->runs = run->next;
        run_free(run);
    }
    outer->self->algorithms = NULL;
    pthread_mutex_destroy(&outer->lock);
    free(outer);
}

static int algorithms_open(struct launch_self *self, struct dist_group *world, void **state, struct why *why)
{
    struct algorithms *outer = self->algorithms;
    int status = outer->inner->open(self, world, state, why);
    outer->state = *state;
    if (status != DIST_OK)
        wrap_free(outer);
    return status;
}

static void algorithms_leave(void *state)
{
    struct algorithms *outer = wrap_here();
    atomic_store(&outer->closing, true);
    eventcount_advance(&launch_slot(outer->self)->eventcount);
    for (struct run *run = outer->runs; run; run = run->next)
        if (run->op)
            run_await(run);
    outer->inner->leave(state);
}

static int algorithms_close(void *state)
{
    struct algorithms *outer = wrap_here();
    int status = outer->inner->close(state);
    wrap_free(outer);
    return status;
}

/* Whoever does them, all count: so members that call two in another order do not meet in one of them. */
static int algorithms_collective(void *state, struct dist_work *op)
{
    struct algorithms *outer = wrap_here();
    uint32_t number = op->group->collectives++;
    return wrap_is_ours(outer, op) ? wrap_by_messages(outer, op, number)
                                   : backend_start(outer->inner, state, op);
}

static bool algorithms_test(void *state, struct dist_work *op)
{
    struct algorithms *outer = wrap_here();
    return wrap_is_ours(outer, op) ? atomic_load(&op->done) : outer->inner->test(state, op);
}

static int algorithms_wait(void *state, struct dist_work *op)
{
    struct algorithms *outer = wrap_here();
    if (!wrap_is_ours(outer, op))
        return outer->inner->wait(state, op);
    struct run *run = op->run;
    if (!run)
        return op->status;
    run_await(run);
    op->run = NULL;
    return wrap_end(outer, run);
}

static void algorithms_note(void *state, const struct dist_work *op)
{
    struct algorithms *outer = wrap_here();
    if (outer->inner->note)
        outer->inner->note(state, op && wrap_is_ours(outer, op) ? NULL : op);
}

static bool algorithms_on_host(void *state, const struct dist_work *op)
{
    (void)state;
    return wrap_is_ours(wrap_here(), op);
}

/* ---- putting it around -------------------------------------------------------------------- */

/* No quick way, and no `hold`: the messages of a collective need the backend, whatever the rank waits for. */
static void wrap_fill_table(struct backend *table, const struct backend *inner)
{
    *table = *inner;
    table->open = algorithms_open;
    table->leave = algorithms_leave;
    table->close = algorithms_close;
    table->quick_send = NULL;
    table->hold = NULL;
    table->collective = algorithms_collective;
    table->leaves = 0;
    table->test = algorithms_test;
    table->wait = algorithms_wait;
    table->note = algorithms_note;
    table->on_host = algorithms_on_host;
}

const struct backend *algorithms_wrap(struct launch_self *self, const struct backend *inner, int *status,
                                      struct why *why)
{
    const char *name = setting_text("DIST_ALGORITHM");
    *status = setting_check("DIST_ALGORITHM", why);
    if (*status != DIST_OK)
        return NULL;
    if (!name && inner->collective && !inner->leaves)
        return inner;
    struct algorithms *outer = calloc(1, sizeof *outer);
    *status = outer ? DIST_OK : DIST_ERR_MEMORY; /* why has its words */
    if (!outer)
        return NULL;
    outer->self = self;
    outer->inner = inner;
    outer->all = name && strcmp(name, "messages") == 0;
    outer->forced = name ? algorithm_named(name) : NULL;
    wrap_fill_table(&outer->table, inner);
    pthread_mutex_init(&outer->lock, NULL);
    self->algorithms = outer;
    return &outer->table;
}
