/* ops_thread.c: starts what was posted, and ends what has arrived. ops.h has the rules. */
#include "ops.h"

#include <sys/prctl.h>

#define NAP 1000 /* ms; nobody depends on it */
#define FEW 16   /* are started before the flying ones are looked at, if there are no more of those */

/* ---- how long it is on the link ------------------------------------------------------------ */

/* Bytes that this rank puts on its link, and steps that follow each other, where the collective is done by the ring
 * algorithms of chapter 8; a message and a root's part are plain. */
static double ops_thread_wire_bytes(const struct dist_work *op, int *trips)
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

static void ops_thread_end(struct gpu_ops *ops, struct dist_work *op)
{
    struct launch_self *self = ops->gpu->self;
    pthread_mutex_lock(&ops->lock);
    op_take(&ops->lists[LIST_FLYING], op);
    if (self->seen_on_stream)
        self->seen_on_stream(self, -1, call_name(op->call), op->asked, op->began, launch_clock_ns());
    mark_open(op->gate);
    ops_end(ops, op);
    pthread_mutex_unlock(&ops->lock);
    eventcount_notify(&launch_slot(ops->gpu->self)->eventcount);
}

/* Asking also drives the backend, for nobody else may: so its peers need only notify us. */
bool ops_is_done(struct gpu_ops *ops, struct dist_work *op)
{
    struct context *context = ops->context;
    return context->backend->test(context->state, op) || world_failed(&ops->gpu->self->world);
}

/* What the system has refused to this rank its peers wait for. Its host may wait in a call that does not look here, in dist_new_group, and
 * all would seem to be stuck. So it is told at once, unless a handler is to hear of it, in the host's thread (settle.c). */
void ops_tell_refusal(const struct gpu_ops *ops, const struct dist_work *op)
{
    if (work_was_refused(op) && !ops->context->handler && !world_failed(&ops->gpu->self->world))
        report_op(op);
}

static bool ops_thread_has_landed(struct gpu_ops *ops, struct dist_work *op)
{
    struct context *context = ops->context;
    if (!ops_is_done(ops, op))
        return false;
    int trips;
    double bytes = ops_thread_wire_bytes(op, &trips);
    op->status = context->backend->wait(context->state, op); /* returns at once */
    /* Where the job has failed a peer may have given it up, and its stream have gone on to change what was still read from it. */
    eventcount_fence();
    if (op->status == DIST_OK && world_failed(&ops->gpu->self->world))
        op->status = backend_failed(&ops->gpu->self->world, &op->why);
    op->until = op->status == DIST_OK ? link_put(&ops->link, bytes, trips) : launch_clock_ns();
    ops_tell_refusal(ops, op);
    return true;
}

/* True: something moved. *next becomes the time at which the next op leaves the link; 0: none is on it. */
static bool ops_thread_land(struct gpu_ops *ops, int64_t *next)
{
    bool moved = false;
    *next = 0;
    ops->fly = 0;
    for (struct dist_work *op = ops->lists[LIST_FLYING].first, *after; op; op = after) {
        after = op->next_posted;
        ops->fly++;
        if (op->until == 0 && !ops_thread_has_landed(ops, op))
            continue;
        if (op->until <= launch_clock_ns()) {
            ops_thread_end(ops, op);
            moved = true;
        } else {
            *next = *next == 0 || op->until < *next ? op->until : *next;
        }
    }
    return moved;
}

/* With the lock held. */
static bool ops_thread_may_start(const struct gpu_ops *ops)
{
    const struct dist_work *op = ops->lists[LIST_POSTED].first;
    return op && mark_passed(op->ready);
}

static bool ops_thread_start_next(struct gpu_ops *ops)
{
    struct context *context = ops->context;
    pthread_mutex_lock(&ops->lock);
    if (!ops_thread_may_start(ops)) {
        pthread_mutex_unlock(&ops->lock);
        return false;
    }
    struct dist_work *op = op_take(&ops->lists[LIST_POSTED], ops->lists[LIST_POSTED].first);
    op->began = launch_clock_ns();
    op_append(&ops->lists[LIST_FLYING],
              op); /* at once: whoever finds it in neither list thinks that it is over */
    ops->starting = true;
    pthread_mutex_unlock(&ops->lock);
    /* Once the job has failed nothing may start: an op behind one that was given up could still find its peer's. */
    int status = world_failed(&ops->gpu->self->world) ? backend_failed(&ops->gpu->self->world, &op->why)
                                                      : backend_start(context->backend, context->state, op);
    pthread_mutex_lock(&ops->lock);
    ops->starting = false;
    if (status != DIST_OK) { /* it never flew; op->why has the words */
        op->status = status;
        op->until = launch_clock_ns();
    }
    pthread_mutex_unlock(&ops->lock);
    if (status != DIST_OK) /* else its status is the backend's */
        ops_tell_refusal(ops, op);
    eventcount_notify(&launch_slot(ops->gpu->self)->eventcount); /* for ops_flush */
    return true;
}

/* ---- the thread -------------------------------------------------------------------------------- */

static bool ops_thread_news(void *argument)
{
    struct gpu_ops *ops = argument;
    pthread_mutex_lock(&ops->lock);
    bool any = ops_thread_may_start(ops) || (ops->stop && !ops->lists[LIST_POSTED].first);
    pthread_mutex_unlock(&ops->lock);
    for (struct dist_work *op = ops->lists[LIST_FLYING].first; op && !any; op = op->next_posted)
        any = op->until == 0 ? ops_is_done(ops, op) : op->until <= launch_clock_ns();
    return any;
}

/* While an op is on the link this thread will go on by itself, so nobody may think that nothing moves. */
static void ops_thread_rest(struct gpu_ops *ops, int64_t until)
{
    struct sleep_note *note = ops->thread.note;
    int64_t nap = until ? until - launch_clock_ns() : (int64_t)NAP * 1000000;
    atomic_store(&note->timed, until != 0);
    if (nap > 0)
        eventcount_sleep_for(&launch_slot(ops->gpu->self)->eventcount, ops_thread_news, ops, nap, note);
    atomic_store(&note->timed, 0);
}

static bool ops_thread_goes_on(struct gpu_ops *ops)
{
    pthread_mutex_lock(&ops->lock);
    bool on = !ops->stop || ops->lists[LIST_POSTED].first;
    pthread_mutex_unlock(&ops->lock);
    return on;
}

static void ops_thread_main(void *argument)
{
    struct gpu_ops *ops = argument;
    prctl(PR_SET_TIMERSLACK, 1000); /* nanoseconds: links are quick */
    while (ops_thread_goes_on(ops)) {
        int64_t until;
        bool moved = false;
        for (int most = FEW + ops->fly; most > 0 && ops_thread_start_next(ops);
             most--) /* few looks at all that fly */
            moved = true;
        if (!(moved | ops_thread_land(ops, &until)))
            ops_thread_rest(ops, until);
    }
}

bool ops_thread_start(struct gpu_ops *ops)
{
    if (ops->thread.runs)
        return true;
    struct launch_self *self = ops->gpu->self;
    bias_revoke(&self->bias, BIAS_SEVERAL); /* it calls the backend, too: from now on that locks */
    ops->thread = (struct worker){ .self = self,
                                   .name = "dist progress",
                                   .work = ops_thread_main,
                                   .argument = ops,
                                   .note = &launch_notes(self)->streams[0],
                                   .eventcount = &launch_slot(self)->eventcount };
    return worker_start(&ops->thread);
}

/* Once all that was posted has been started. */
void ops_stop(struct gpu *gpu)
{
    struct gpu_ops *ops = gpu->ops;
    if (!ops || !ops->thread.runs)
        return;
    pthread_mutex_lock(&ops->lock);
    ops->stop = true;
    pthread_mutex_unlock(&ops->lock);
    eventcount_advance(&launch_slot(ops->gpu->self)->eventcount);
    worker_join(&ops->thread);
    ops->stop = false;
}
