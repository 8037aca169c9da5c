/* comm.c: operations on device tensors, as the calls of dist.h see them. comm.h has the rules. */
#include "comm.h"
#include "order.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* ---- opening ---------------------------------------------------------------------------- */

static int read_environment(struct comm *comm, char *why, size_t why_size)
{
    comm->lazy = setting_is("DIST_CONNECT", "lazy");
    int status = setting_check("DIST_CONNECT", why, why_size);
    return status == DIST_OK ? link_read(&comm->link, why, why_size) : status;
}

static int comm_open(struct context *context, struct gpu *gpu, char *why, size_t why_size)
{
    struct comm *comm = calloc(1, sizeof *comm);
    unsigned char *met = calloc((size_t)context->world.size + 1, 1);
    int status = comm && met ? read_environment(comm, why, why_size) : DIST_ERR_MEMORY;
    if (status == DIST_ERR_MEMORY)
        snprintf(why, why_size, "the system gives no memory for communication in the background");
    if (status != DIST_OK) {
        free(comm);
        free(met);
        return status;
    }
    comm->gpu = gpu;
    comm->context = context;
    comm->met = met;
    comm->native = context->backend->on_streams;
    for (int i = 0; i < OP_LISTS; i++)
        comm->lists[i].end = &comm->lists[i].first;
    pthread_mutex_init(&comm->lock, NULL);
    gpu->comm = comm;
    context->gpu = gpu;
    context->quick_reach = context; /* a message must not overtake what waits for its stream */
    return DIST_OK;
}

void comm_give_back(struct dist_work *op)
{
    const struct device *device = op->gpu->device;
    if (op->ready)
        device->event_free(op->ready);
    if (op->gate)
        device->gate_free(op->gate);
    op->ready = NULL;
    op->gate = NULL;
}

void comm_stop(struct gpu *gpu)
{
    if (gpu->comm)
        comm_thread_stop(gpu->comm);
}

void comm_close(struct gpu *gpu)
{
    struct comm *comm = gpu->comm;
    if (!comm)
        return;
    order_over(gpu, NULL);
    for (int i = 0; i < OP_LISTS; i++)
        while (comm->lists[i].first) {
            struct dist_work *op = op_take(&comm->lists[i], comm->lists[i].first);
            comm_give_back(op);
            if (op->live != WORK_LIVE)
                work_recycle(comm->context, op);
        }
    pthread_mutex_destroy(&comm->lock);
    free(comm->met);
    comm->context->gpu = NULL;
    free(comm);
    gpu->comm = NULL;
}

/* ---- posting ------------------------------------------------------------------------------ */

static bool prepare(struct gpu *gpu, struct dist_work *op)
{
    const struct device *device = gpu->device;
    op->in.data = world_open_view(&gpu->self->world, op->in.data);
    op->out.data = world_open_view(&gpu->self->world, op->out.data);
    op->async = true;
    op->stream = 1 + (uint32_t)gpu->current->number;
    op->began = op->until = 0;
    op->kept = op->unwanted = false;
    atomic_store(&op->over, 0);
    op->ready = device->event_new(gpu->state, false);
    op->gate = device->gate_new(gpu->state);
    return op->ready && op->gate && device->event_record(op->ready, gpu->current->stream) == DIST_OK;
}

static int post(struct context *context, struct gpu *gpu, struct dist_work *op)
{
    op->ready = NULL;
    op->gate = NULL;
    if (!gpu->comm && (op->status = comm_open(context, gpu, op->why, sizeof op->why)) != DIST_OK)
        return op->status;
    struct comm *comm = gpu->comm;
    bool started = op->async;
    if ((!comm->native && !comm_thread_start(comm)) || !prepare(gpu, op)) {
        comm_give_back(op);
        snprintf(op->why, sizeof op->why,
                 "the system gives no memory or thread for communication in the background");
        return op->status = DIST_ERR_SYSTEM;
    }
    order_begin(gpu, op, started);
    if (comm->native) {
        native_post(comm, op);
        return DIST_OK;
    }
    pthread_mutex_lock(&comm->lock);
    op_append(&comm->lists[LIST_POSTED], op);
    pthread_mutex_unlock(&comm->lock);
    bell_ring(&gpu->slot->bell);
    return DIST_OK;
}

int comm_post(struct context *context, struct gpu *gpu, struct dist_work *op)
{
    gpu_range_begin(gpu, call_name(op->call));
    int status = post(context, gpu, op);
    gpu_range_end(gpu);
    return status;
}

/* ---- waiting -------------------------------------------------------------------------------- */

static bool is_over(void *argument)
{
    return comm_is_over(argument);
}

/* Whoever asks wants it to begin: a room may have put that off. */
bool comm_is_over(struct dist_work *op)
{
    struct comm *comm = op->gpu->comm;
    if (comm && comm->native && !atomic_load(&op->begun))
        comm->context->backend->test(comm->context->room, op);
    if (comm && comm->native)
        native_look_at(comm, op);
    return atomic_load(&op->over) != 0;
}

/* Lazy: is this the first operation with that rank, or with that many? It then makes the connection. */
static bool makes_connection(struct comm *comm, const struct dist_work *op)
{
    unsigned char *met = &comm->met[op->p2p && op->peer >= 0 ? op->peer : comm->context->world.size];
    bool first = comm->lazy && !*met;
    *met = 1;
    return first;
}

/* Who sent, must be known before the call can return; all else the stream can wait for alone. */
int comm_follow(struct context *context, struct gpu *gpu, const char *call, struct dist_work *op)
{
    bool host_waits = makes_connection(gpu->comm, op) || (op->p2p && op->peer == DIST_ANY_SOURCE);
    bool sends = op->sends, p2p = op->p2p;
    op->kept = true;
    work_forget(context, op);
    if (!host_waits) {
        comm_is_over(op);
        host_waits = gpu->device->gate_hold(op->gate, gpu->current->stream) != DIST_OK;
    }
    if (host_waits) { /* also in place of a stream that has no room for the gate */
        gpu_await(gpu, call, op->at, is_over, op, NULL);
        int status = op->status, from = op->from;
        op->kept = false;
        order_over(gpu, op);
        comm_unwant(gpu->comm, op);
        comm_settle(gpu);
        return status != DIST_OK ? -status : p2p && !sends ? from : 0;
    }
    int peer = op->peer;
    order_follow(gpu, op);
    op->kept = false;
    comm_unwant(gpu->comm, op); /* what is left of it belongs to comm_settle */
    comm_tidy(gpu->comm);
    return p2p && !sends ? peer : 0;
}
