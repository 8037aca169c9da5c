/*
 * native.c: the same for a room that works on streams itself (backend.on_streams): it needs no thread.
 *
 * The room's call is made at once and never blocks. From then on the rank's own calls look what has become of its ops: a
 * room that has news for a rank that sleeps rings its bell, like a stream.
 *
 *   posted   ->   flying    ->   over
 *            begun          test()
 */
#define _GNU_SOURCE
#include "comm.h"

#include <time.h>

#define DRAIN_NAP 50000L /* ns */

static struct dist_work *at_posted(struct comm *comm)
{
    struct dist_work *op = comm->lists[LIST_POSTED].first;
    bool failed = world_failed(&comm->gpu->self->world);
    return op && (failed || atomic_load(&op->begun)) ? op_take(&comm->lists[LIST_POSTED], op) : NULL;
}

/* A job that has failed waits for nothing: `wait` then gives the op up. */
static bool is_done(struct comm *comm, struct dist_work *op)
{
    struct context *context = comm->context;
    return context->backend->test(context->room, op) || world_failed(&comm->gpu->self->world);
}

static void end_if_done(struct comm *comm, struct dist_work *op)
{
    struct context *context = comm->context;
    if (!is_done(comm, op))
        return;
    op->status = context->backend->wait(context->room, op); /* returns at once */
    comm_end(comm, op_take(&comm->lists[LIST_FLYING], op));
}

static void let_fly(struct comm *comm)
{
    for (struct dist_work *op; (op = at_posted(comm));)
        op_append(&comm->lists[LIST_FLYING], op);
}

void native_look(struct comm *comm)
{
    let_fly(comm);
    for (struct dist_work *op = comm->lists[LIST_FLYING].first, *next; op; op = next) {
        next = op->next_posted;
        end_if_done(comm, op);
    }
}

/* Ops begin in the order in which they were posted: so this one flies if it has begun. */
void native_look_at(struct comm *comm, struct dist_work *op)
{
    let_fly(comm);
    if (!atomic_load(&op->over) && (atomic_load(&op->begun) || world_failed(&comm->gpu->self->world)))
        end_if_done(comm, op);
}

/* It never flew, or is over already. */
static void end_at_once(struct comm *comm, struct dist_work *op, int status)
{
    if (atomic_load(&op->over)) /* the job has failed meanwhile */
        return;
    op->status = status; /* op->why has the words */
    comm->gpu->device->gate_open(op->gate);
    atomic_store(&op->begun, 1);
    comm_end(comm, op_take(&comm->lists[LIST_POSTED], op));
}

/* The room was left: all that it has given to the device passes there by itself, also where peers' streams do it. */
void comm_drain(struct gpu *gpu)
{
    struct comm *comm = gpu->comm;
    comm_look(comm);
    while (comm && comm->native && comm->lists[LIST_FLYING].first && !world_failed(&gpu->self->world)) {
        nanosleep(&(struct timespec){ .tv_nsec = DRAIN_NAP }, NULL);
        native_look(comm);
    }
}

void native_post(struct comm *comm, struct dist_work *op)
{
    struct context *context = comm->context;
    const struct backend *backend = context->backend;
    bool host_does_it = backend->on_host && backend->on_host(context->room, op);
    atomic_store(&op->begun, 0);
    op_append(&comm->lists[LIST_POSTED], op);
    int status = host_does_it ? on_host(comm, op) : backend_start(backend, context->room, op);
    if (host_does_it || status != DIST_OK)
        end_at_once(comm, op, status);
}
