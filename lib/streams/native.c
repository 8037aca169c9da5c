/*
 * native.c: the same for a room that works on streams itself (backend.on_streams): it needs no thread.
 *
 * The room's call is made at once and never blocks. From then on the rank's own calls look what has become of its ops: a
 * room that has news for a rank that sleeps rings its bell, like a stream.
 *
 *   posted   ->   flying    ->   over
 *            begun          test()
 */
#include "comm.h"

static struct dist_work *at_posted(struct comm *comm)
{
    struct dist_work *op = comm->posted.first;
    bool failed = world_failed(&comm->gpu->self->world);
    return op && (failed || atomic_load(&op->begun)) ? op_take(&comm->posted, &comm->posted.first) : NULL;
}

/* A job that has failed waits for nothing: `wait` then gives the op up. */
static bool is_done(struct comm *comm, struct dist_work *op)
{
    struct context *context = comm->context;
    return context->backend->test(context->room, op) || world_failed(&comm->gpu->self->world);
}

static void end(struct comm *comm, struct dist_work *op)
{
    struct context *context = comm->context;
    op->status = context->backend->wait(context->room, op); /* returns at once */
    op_append(&comm->over, op);
    atomic_store(&op->over, 1);
}

void native_look(struct comm *comm)
{
    for (struct dist_work *op; (op = at_posted(comm));)
        op_append(&comm->flying, op);
    for (struct dist_work **at = &comm->flying.first; *at;) {
        if (is_done(comm, *at))
            end(comm, op_take(&comm->flying, at));
        else
            at = &(*at)->next_posted;
    }
}

/* It never flew, or is over already. */
static void end_at_once(struct comm *comm, struct dist_work *op, int status)
{
    if (atomic_load(&op->over)) /* the job has failed meanwhile */
        return;
    op->status = status; /* op->why has the words */
    struct dist_work **at = &comm->posted.first;
    while (*at != op)
        at = &(*at)->next_posted;
    op_append(&comm->over, op_take(&comm->posted, at));
    comm->gpu->device->gate_open(op->gate);
    atomic_store(&op->begun, 1);
    atomic_store(&op->over, 1);
}

void native_post(struct comm *comm, struct dist_work *op)
{
    struct context *context = comm->context;
    const struct backend *backend = context->backend;
    bool host_does_it = backend->on_host && backend->on_host(context->room, op);
    atomic_store(&op->begun, 0);
    op_append(&comm->posted, op);
    int status = host_does_it ? on_host(comm, op) : backend_slot(backend, op)(context->room, op);
    if (host_does_it || status != DIST_OK)
        end_at_once(comm, op, status);
}
