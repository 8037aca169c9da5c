/* settle.c: what has become of the operations that were posted: forget what is over, tell what has failed, wait. */
#include "ops.h"
#include "order.h"

/* ---- forgetting, and telling what failed ------------------------------------------------------ */

static struct op_list *settle_list_of(struct gpu_ops *ops, const struct dist_work *op)
{
    if (op->status != DIST_OK && (op->unwanted || work_was_refused(op)))
        return &ops->lists[LIST_FAILED];
    return &ops->lists[op->unwanted ? LIST_GOOD : LIST_WANTED];
}

void ops_end(struct gpu_ops *ops, struct dist_work *op)
{
    op_append(settle_list_of(ops, op), op);
    atomic_store(&op->over, 1);
}

void ops_unwant(struct gpu_ops *ops, struct dist_work *op)
{
    pthread_mutex_lock(&ops->lock);
    /* Until it is over its status is the backend's. */
    bool over = atomic_load(&op->over) != 0;
    if (over)
        op_take(settle_list_of(ops, op), op);
    op->unwanted = true;
    if (over)
        op_append(settle_list_of(ops, op), op);
    pthread_mutex_unlock(&ops->lock);
}

/* Over, and nobody will ask for it again. */
static void settle_forget(struct context *context, struct dist_work *op)
{
    order_over(op->gpu, op);
    ops_give_back(op);
    work_recycle(context, op);
}

/* Works that are still to be waited for tell it then. But for what the system refused to this rank: its peers wait for that, and
 * it perhaps for them, so that they would seem to be stuck. Nobody goes on from there, unless there is a handler. */
static bool settle_still_wanted(const struct gpu_ops *ops, const struct dist_work *op)
{
    return (op->live == WORK_LIVE && (!work_was_refused(op) || ops->context->handler)) ||
           op == ops->gpu->awaited;
}

bool ops_has_failed(struct gpu *gpu)
{
    struct gpu_ops *ops = gpu->ops;
    bool any = false;
    if (!ops || gpu->silent)
        return false;
    ops_look(ops);
    pthread_mutex_lock(&ops->lock);
    for (const struct dist_work *op = ops->lists[LIST_FAILED].first; op && !any; op = op->next_posted)
        any = !settle_still_wanted(ops, op);
    pthread_mutex_unlock(&ops->lock);
    return any;
}

static struct dist_work *settle_take_one(struct gpu_ops *ops, struct op_list *list)
{
    pthread_mutex_lock(&ops->lock);
    struct dist_work *op = list->first;
    while (op && settle_still_wanted(ops, op))
        op = op->next_posted;
    if (op)
        op_take(list, op);
    pthread_mutex_unlock(&ops->lock);
    return op;
}

void ops_tidy(struct gpu_ops *ops)
{
    for (struct dist_work *op; (op = settle_take_one(ops, &ops->lists[LIST_GOOD]));)
        settle_forget(ops->context, op);
}

int ops_settle(struct gpu *gpu)
{
    struct gpu_ops *ops = gpu->ops;
    int first = 0;
    ops_look(ops);
    for (struct dist_work *op;
         ops && !gpu->silent && (op = settle_take_one(ops, &ops->lists[LIST_FAILED]));) {
        settle_forget(ops->context, op); /* where it waits, and can still be read */
        int result = report_op(op);
        first = first ? first : result;
    }
    if (ops)
        ops_tidy(ops);
    return first;
}

/* ---- the host waits for the communication stream ------------------------------------------------ */

static bool settle_has_one_of(const struct op_list *list, const struct dist_group *group)
{
    for (const struct dist_work *op = list->first; op; op = op->next_posted)
        if (!group || op->group == group)
            return true;
    return false;
}

/* What the host waits for: all ops of a group (NULL: of all groups) have been started, or are over. */
struct finish {
    struct gpu_ops *ops;
    const struct dist_group *group;
    bool over;
};

static bool settle_is_through(void *argument)
{
    const struct finish *finish = argument;
    struct gpu_ops *ops = finish->ops;
    if (ops->native && ops->lists[LIST_POSTED].first) /* now somebody waits */
        native_look_at(ops, ops->lists[LIST_POSTED].first);
    ops_look(ops);
    pthread_mutex_lock(&ops->lock);
    bool flying = finish->over ? settle_has_one_of(&ops->lists[LIST_FLYING], finish->group) : ops->starting;
    bool posted = settle_has_one_of(&ops->lists[LIST_POSTED], finish->group);
    pthread_mutex_unlock(&ops->lock);
    return !flying && !posted;
}

int ops_flush(struct gpu *gpu, const char *call, struct dist_at at)
{
    struct finish flush = { gpu->ops, NULL, false };
    bool waits = gpu->ops && !settle_is_through(&flush);
    return waits ? gpu_await(gpu, call, at, settle_is_through, &flush, NULL) : 0;
}

int ops_finish(struct gpu *gpu, const char *call, struct dist_at at, const struct dist_group *group)
{
    struct finish finish = { gpu->ops, group, true };
    return gpu->ops ? gpu_await(gpu, call, at, settle_is_through, &finish, NULL) : 0;
}

/* The gate that holds a stream. One that was freed meanwhile was empty, so nothing does. */
static struct event *settle_held(const struct dist_stream *stream)
{
    return stream && stream->live == STREAM_LIVE ? mark_held(stream->stream) : NULL;
}

/* Is the backend only about to learn of it? Then it may be writing its notes. */
static bool settle_is_starting(const struct gpu_ops *ops, const struct dist_work *op)
{
    return ops->starting && !op->next_posted;
}

/* The op that flies and has this gate. */
static struct dist_work *settle_flying_with(const struct gpu_ops *ops, const struct event *gate)
{
    struct dist_work *op = gate ? ops->lists[LIST_FLYING].first : NULL;
    while (op && (op->gate != gate || settle_is_starting(ops, op)))
        op = op->next_posted;
    return op;
}

/* The op whose gate holds the stream; where that is not started yet, the one that holds up the first of the queue. */
struct dist_work *ops_stuck(struct gpu *gpu, struct dist_stream *stream)
{
    struct gpu_ops *ops = gpu->ops;
    if (!ops)
        return NULL;
    ops_look(ops);
    pthread_mutex_lock(&ops->lock);
    struct dist_work *first = ops->lists[LIST_FLYING].first;
    const struct dist_work *head = ops->lists[LIST_POSTED].first;
    struct dist_work *stuck = settle_flying_with(ops, settle_held(stream));
    if (!stuck && head)
        stuck = settle_flying_with(ops, settle_held(&gpu->streams[head->stream - 1]));
    if (!stuck && first && !settle_is_starting(ops, first))
        stuck = first;
    pthread_mutex_unlock(&ops->lock);
    return stuck;
}
