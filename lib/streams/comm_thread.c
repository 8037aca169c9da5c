/* comm_thread.c: starts what was posted, and ends what has arrived. comm.h has the rules. */
#define _GNU_SOURCE
#include "comm.h"

#include <stdio.h>
#include <sys/prctl.h>

#define NAP 1000 /* ms; nobody depends on it */
#define FEW 16   /* are started before the flying ones are looked at, if there are no more of those */

static struct sleep_note *note_of(const struct comm *comm)
{
    const struct launch_self *self = comm->gpu->self;
    return &world_notes(&self->world, self->env.rank)->streams[0];
}

/* ---- how long it is on the link ------------------------------------------------------------ */

/* Bytes that this rank puts on its link, and steps that follow each other, where the collective is done by the ring
 * algorithms of chapter 8; a message and a root's part are plain. */
static double wire_bytes(const struct dist_work *op, int *trips)
{
    int n = op->group->size;
    double block = (double)op->block * (double)dtype_size(op->type);
    *trips = n - 1;
    switch (op->call) {
    case CALL_ALL_REDUCE:
        *trips = 2 * (n - 1);
        return 2 * block * (n - 1) / n;
    case CALL_ALL_GATHER:
    case CALL_REDUCE_SCATTER:
        return block * (n - 1);
    case CALL_ALL_TO_ALL:
        if (!op->splits)
            return block * (n - 1);
        return (double)(op->in.count - op->splits[op->group->rank]) * (double)dtype_size(op->type);
    case CALL_SCATTER:
    case CALL_GATHER:
        *trips = 1;
        return op->peer == op->group->rank ? block * (n - 1) : block;
    case CALL_BROADCAST:
    case CALL_REDUCE:
        return block;
    default:
        *trips = 1;
        return (double)(op->sends ? op->in.count : op->out.count) * (double)dtype_size(op->type);
    }
}

/* ---- moving ops along; nobody else changes the list of those that fly ------------------------- */

static void end(struct comm *comm, struct dist_work *op)
{
    const struct launch_self *self = comm->gpu->self;
    pthread_mutex_lock(&comm->lock);
    op_take(&comm->lists[LIST_FLYING], op);
    if (self->seen_on_stream)
        self->seen_on_stream(comm->gpu->self, -1, call_name(op->call), op->began, link_now());
    comm->gpu->device->gate_open(op->gate);
    comm_end(comm, op);
    pthread_mutex_unlock(&comm->lock);
    bell_ring(&comm->gpu->slot->bell);
}

/* Is the room done with it? Asking also drives the room, for nobody else may: so its peers need only ring our bell. */
static bool room_is_done(struct comm *comm, struct dist_work *op)
{
    struct context *context = comm->context;
    return context->backend->test(context->room, op) || world_failed(&comm->gpu->self->world);
}

static bool has_landed(struct comm *comm, struct dist_work *op)
{
    struct context *context = comm->context;
    if (!room_is_done(comm, op))
        return false;
    int trips;
    double bytes = wire_bytes(op, &trips);
    op->status = context->backend->wait(context->room, op); /* returns at once */
    op->until = op->status == DIST_OK ? link_put(&comm->link, bytes, trips) : link_now();
    return true;
}

/* True: something moved. *next becomes the time at which the next op leaves the link; 0: none is on it. */
static bool land(struct comm *comm, int64_t *next)
{
    bool moved = false;
    *next = 0;
    comm->fly = 0;
    for (struct dist_work *op = comm->lists[LIST_FLYING].first, *after; op; op = after) {
        after = op->next_posted;
        comm->fly++;
        if (op->until == 0 && !has_landed(comm, op))
            continue;
        if (op->until <= link_now()) {
            end(comm, op);
            moved = true;
        } else {
            *next = *next == 0 || op->until < *next ? op->until : *next;
        }
    }
    return moved;
}

/* With the lock held. */
static bool may_start(const struct comm *comm)
{
    const struct dist_work *op = comm->lists[LIST_POSTED].first;
    return op && comm->gpu->device->event_passed(op->ready);
}

static bool start(struct comm *comm)
{
    struct context *context = comm->context;
    pthread_mutex_lock(&comm->lock);
    bool may = may_start(comm);
    if (!may) {
        pthread_mutex_unlock(&comm->lock);
        return false;
    }
    struct dist_work *op = op_take(&comm->lists[LIST_POSTED], comm->lists[LIST_POSTED].first);
    op->began = link_now();
    op_append(&comm->lists[LIST_FLYING],
              op); /* at once: whoever finds it in neither list thinks that it is over */
    comm->starting = true;
    pthread_mutex_unlock(&comm->lock);
    /* Once the job has failed nothing may start: an op behind one that was given up could still find its peer's. */
    int status = world_failed(&comm->gpu->self->world) ? backend_failed(&comm->gpu->self->world, op)
                                                       : backend_start(context->backend, context->room, op);
    pthread_mutex_lock(&comm->lock);
    comm->starting = false;
    comm->shared = true;
    if (status != DIST_OK) { /* it never flew; op->why has the words */
        op->status = status;
        op->until = link_now();
    }
    pthread_mutex_unlock(&comm->lock);
    bell_ring(&comm->gpu->slot->bell); /* for comm_flush */
    return true;
}

/* ---- the thread -------------------------------------------------------------------------------- */

static bool news(void *argument)
{
    struct comm *comm = argument;
    pthread_mutex_lock(&comm->lock);
    bool any = may_start(comm) || (comm->stop && !comm->lists[LIST_POSTED].first);
    pthread_mutex_unlock(&comm->lock);
    for (struct dist_work *op = comm->lists[LIST_FLYING].first; op && !any; op = op->next_posted)
        any = op->until == 0 ? room_is_done(comm, op) : op->until <= link_now();
    return any;
}

/* While an op is on the link this thread will go on by itself, so nobody may think that nothing moves. */
static void rest(struct comm *comm, int64_t until)
{
    struct sleep_note *note = note_of(comm);
    int64_t nap = until ? until - link_now() : (int64_t)NAP * 1000000;
    atomic_store(&note->timed, until != 0);
    if (nap > 0)
        bell_sleep_for(&comm->gpu->slot->bell, news, comm, nap, note);
    atomic_store(&note->timed, 0);
}

static bool goes_on(struct comm *comm)
{
    pthread_mutex_lock(&comm->lock);
    bool on = !comm->stop || comm->lists[LIST_POSTED].first;
    pthread_mutex_unlock(&comm->lock);
    return on;
}

static void *comm_main(void *argument)
{
    struct comm *comm = argument;
    launch_become(comm->gpu->self);
    prctl(PR_SET_TIMERSLACK, 1000); /* nanoseconds: links are quick */
    while (goes_on(comm)) {
        int64_t until;
        bool moved = false;
        for (int most = FEW + comm->fly; most > 0 && start(comm); most--) /* few looks at all that fly */
            moved = true;
        if (!(moved | land(comm, &until)))
            rest(comm, until);
    }
    atomic_store(&note_of(comm)->epoch, 0);
    return NULL;
}

bool comm_thread_start(struct comm *comm)
{
    struct sleep_note *note = note_of(comm);
    if (comm->runs)
        return true;
    atomic_store(&note->bell, world_offset(&comm->gpu->self->world, &comm->gpu->slot->bell));
    atomic_store(&note->timed, 0);
    atomic_store(&note->epoch, 2);
    comm->runs = pthread_create(&comm->thread, NULL, comm_main, comm) == 0;
    if (!comm->runs)
        atomic_store(&note->epoch, 0);
    return comm->runs;
}

void comm_thread_stop(struct comm *comm)
{
    if (!comm->runs)
        return;
    pthread_mutex_lock(&comm->lock);
    comm->stop = true;
    pthread_mutex_unlock(&comm->lock);
    bell_strike(&comm->gpu->slot->bell);
    pthread_join(comm->thread, NULL);
    comm->runs = comm->stop = false;
}
