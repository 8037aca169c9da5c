/* settle.c: what has become of the operations that were posted: forget what is over, tell what has failed, wait. */
#include "comm.h"

/* ---- forgetting, and telling what failed ------------------------------------------------------ */

static struct op_list *list_of(struct comm *comm, const struct dist_work *op)
{
    if (op->status != DIST_OK && (op->unwanted || work_was_refused(op)))
        return &comm->lists[LIST_FAILED];
    return &comm->lists[op->unwanted ? LIST_GOOD : LIST_WANTED];
}

void comm_end(struct comm *comm, struct dist_work *op)
{
    op_append(list_of(comm, op), op);
    atomic_store(&op->over, 1);
}

void comm_unwant(struct comm *comm, struct dist_work *op)
{
    pthread_mutex_lock(&comm->lock);
    /* Until it is over its status is the room's. */
    bool over = atomic_load(&op->over) != 0;
    if (over)
        op_take(list_of(comm, op), op);
    op->unwanted = true;
    if (over)
        op_append(list_of(comm, op), op);
    pthread_mutex_unlock(&comm->lock);
}

/* Over, and nobody will ask for it again. */
static void forget(struct context *context, struct dist_work *op)
{
    comm_give_back(op);
    work_recycle(context, op);
}

/* Works that are still to be waited for tell it then. But for what the system refused to this rank: its peers wait for that, and
 * it perhaps for them, so that they would seem to be stuck. Nobody goes on from there, unless there is a handler. */
static bool still_wanted(const struct comm *comm, const struct dist_work *op)
{
    return (op->live == WORK_LIVE && (!work_was_refused(op) || comm->context->handler)) || op->kept;
}

bool comm_has_failed(struct gpu *gpu)
{
    struct comm *comm = gpu->comm;
    bool any = false;
    if (!comm)
        return false;
    comm_look(comm);
    pthread_mutex_lock(&comm->lock);
    for (const struct dist_work *op = comm->lists[LIST_FAILED].first; op && !any; op = op->next_posted)
        any = !still_wanted(comm, op);
    pthread_mutex_unlock(&comm->lock);
    return any;
}

static struct dist_work *take_one(struct comm *comm, struct op_list *list)
{
    pthread_mutex_lock(&comm->lock);
    struct dist_work *op = list->first;
    while (op && still_wanted(comm, op))
        op = op->next_posted;
    if (op)
        op_take(list, op);
    pthread_mutex_unlock(&comm->lock);
    return op;
}

void comm_tidy(struct comm *comm)
{
    for (struct dist_work *op; (op = take_one(comm, &comm->lists[LIST_GOOD]));)
        forget(comm->context, op);
}

int comm_settle(struct gpu *gpu)
{
    struct comm *comm = gpu->comm;
    int first = 0;
    comm_look(comm);
    for (struct dist_work *op; comm && (op = take_one(comm, &comm->lists[LIST_FAILED]));) {
        int result = report_op(op);
        first = first ? first : result;
        forget(comm->context, op);
    }
    if (comm)
        comm_tidy(comm);
    return first;
}

/* ---- the host waits for the communication stream ------------------------------------------------ */

/* A room that works on streams may have put off the start of messages, to let several go together. Now somebody waits. */
static void begin_all(struct comm *comm)
{
    struct dist_work *op = comm->native ? comm->lists[LIST_POSTED].first : NULL;
    if (op && !atomic_load(&op->begun))
        comm->context->backend->test(comm->context->room, op);
    comm_look(comm);
}

static bool all_started(void *argument)
{
    struct comm *comm = argument;
    begin_all(comm);
    pthread_mutex_lock(&comm->lock);
    bool empty = !comm->lists[LIST_POSTED].first && !comm->starting;
    pthread_mutex_unlock(&comm->lock);
    return empty;
}

static bool has_one_of(const struct op_list *list, const struct dist_group *group)
{
    for (const struct dist_work *op = list->first; op; op = op->next_posted)
        if (!group || op->group == group)
            return true;
    return false;
}

struct finish {
    struct comm *comm;
    const struct dist_group *group;
};

static bool all_over(void *argument)
{
    const struct finish *finish = argument;
    struct comm *comm = finish->comm;
    begin_all(comm);
    pthread_mutex_lock(&comm->lock);
    bool any = has_one_of(&comm->lists[LIST_POSTED], finish->group) ||
               has_one_of(&comm->lists[LIST_FLYING], finish->group);
    pthread_mutex_unlock(&comm->lock);
    return !any;
}

int comm_flush(struct gpu *gpu, const char *call, struct dist_at at)
{
    struct comm *comm = gpu->comm;
    return !comm || all_started(comm) ? 0 : gpu_await(gpu, call, at, all_started, comm, NULL);
}

int comm_finish(struct gpu *gpu, const char *call, struct dist_at at, const struct dist_group *group)
{
    struct finish finish = { gpu->comm, group };
    return gpu->comm ? gpu_await(gpu, call, at, all_over, &finish, NULL) : 0;
}

/* The gate that holds a stream. One that was freed meanwhile was empty, so nothing does. */
static struct gate *held(const struct gpu *gpu, const struct dist_stream *stream)
{
    return stream && stream->live == STREAM_LIVE ? gpu->device->stream_held(stream->stream) : NULL;
}

/* While the thread makes its first call, the rank must not make one: the room takes no lock before it knows of both. */
bool comm_may_note(struct gpu *gpu)
{
    struct comm *comm = gpu->comm;
    if (!comm || comm->native)
        return true;
    pthread_mutex_lock(&comm->lock);
    bool may = comm->shared;
    pthread_mutex_unlock(&comm->lock);
    return may;
}

/* Is the room only about to learn of it? Then it may be writing its notes. */
static bool is_starting(const struct comm *comm, const struct dist_work *op)
{
    return comm->starting && !op->next_posted;
}

/* The op whose gate holds the stream; where that is not started yet, the one that holds up the first of the queue. */
struct dist_work *comm_stuck(struct gpu *gpu, struct dist_stream *stream)
{
    struct comm *comm = gpu->comm;
    if (!comm)
        return NULL;
    comm_look(comm);
    pthread_mutex_lock(&comm->lock);
    struct dist_work *stuck = comm->lists[LIST_FLYING].first;
    if (stuck && is_starting(comm, stuck))
        stuck = NULL;
    const struct dist_work *head = comm->lists[LIST_POSTED].first;
    struct gate *gate = held(gpu, stream);
    for (int turn = 0; turn < 2; turn++) {
        for (struct dist_work *op = comm->lists[LIST_FLYING].first; op && gate; op = op->next_posted)
            if (op->gate == gate && !is_starting(comm, op)) {
                pthread_mutex_unlock(&comm->lock);
                return op;
            }
        if (!head)
            break;
        gate = held(gpu, &gpu->streams[head->stream - 1]);
    }
    pthread_mutex_unlock(&comm->lock);
    return stuck;
}
