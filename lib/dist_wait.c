/* dist_wait.c: waiting for works, and asking for them. dist_wait_any.c waits for whichever is first. */
#include "checked.h"
#include "diagnose/diagnose.h"
#include "noted.h"
#include "streams/order.h"
#include "waiting.h"

bool wait_check(enum call call, struct dist_at at, const dist_work *work)
{
    if (!work)
        report(call, at, DIST_ERR_ARGUMENT, "the work is NULL; only calls that start something give one");
    else if (work->live != WORK_LIVE)
        report(call, at, DIST_ERR_STATE, "the work was waited for already; wait exactly once for each");
    return work && work->live == WORK_LIVE;
}

static int wait_follow(struct context *context, struct gpu *gpu, const char *call, dist_work *work)
{
    uint32_t receive = noted_as_receive(work);
    gpu_range_begin(gpu, call);
    int result = ops_follow(context, gpu, call, work);
    noted_follow(context, receive, result);
    gpu_range_end(gpu);
    return result;
}

/* A rank that looked like computing between two waits would be rung for each message. */
static void wait_hold(struct waiting *waiting, bool held)
{
    const struct backend *backend = waiting->context->backend;
    if (backend->hold && waiting->held != held)
        backend->hold(waiting->context->room, held);
    waiting->held = held;
}

int wait_for(struct waiting *waiting, dist_work *work)
{
    struct context *context = waiting->context;
    if (!work || work->live != WORK_LIVE || work->gpu)
        wait_hold(waiting, false);
    if (!wait_check(waiting->call, waiting->at, work))
        return work ? -DIST_ERR_STATE : -DIST_ERR_ARGUMENT;
    noted_over(context, work, !waiting->may);
    if (work->gpu && !work->refused) {
        checked_end(work);
        work->group->pending--;
        return wait_follow(context, work->gpu, call_name(waiting->call), work);
    }
    int status = work->refused ? work->status : context->backend->wait(context->room, work);
    noted_source(context, work);
    checked_end(work);
    int result = work->from >= 0 ? work->from : 0;
    work->group->pending--;
    work_free(context, work); /* where it waits, and can still be read */
    if (status != DIST_OK)
        wait_hold(waiting, false);
    return status != DIST_OK ? report_op(work) : result;
}

int dist_wait_at(struct dist_at at, dist_work *work)
{
    struct context *context = context_enter(CALL_WAIT, at);
    if (!context)
        return -DIST_ERR_STATE;
    int result = wait_for(&(struct waiting){ .context = context, .call = CALL_WAIT, .at = at }, work);
    context_exit(context);
    return result;
}

int dist_wait_all_at(struct dist_at at, dist_work **works, int count)
{
    struct context *context = context_enter(CALL_WAIT_ALL, at);
    if (!context)
        return -DIST_ERR_STATE;
    int first_error = 0;
    if (count < 0 || (count > 0 && !works))
        first_error = report(CALL_WAIT_ALL, at, DIST_ERR_ARGUMENT,
                             "count is %d and works is %s; pass an array of count works", count,
                             works ? "given" : "NULL");
    struct waiting waiting = { .context = context, .call = CALL_WAIT_ALL, .at = at };
    for (int i = 0; i < count && works; i++) {
        wait_hold(&waiting, i + 1 < count && first_error == 0);
        int result = wait_for(&waiting, works[i]);
        if (result < 0 && first_error == 0)
            first_error = result;
    }
    context_exit(context);
    return first_error;
}

bool wait_is_over(struct context *context, dist_work *work)
{
    return work->refused || (work->gpu ? ops_is_over(work) : context->backend->test(context->room, work));
}

/* Was the rank's last call another one? Then it is no poller yet. */
static bool wait_asks_anew(void)
{
    const struct launch_self *self = launch_self_if_any();
    const struct context *context = self ? atomic_load(&self->context) : NULL;
    return !context ||
           atomic_load_explicit(&context->slot->last_call, memory_order_relaxed) >> 16 != CALL_IS_COMPLETED;
}

/* A poller is no sleeper: where all others are, it is told by itself. What a real GPU is at, nobody knows. */
static void wait_asked_in_vain(struct context *context, const dist_work *work, bool anew)
{
    static _Thread_local struct polling polling;
    struct launch_self *self = context->self;
    if ((work->gpu && context->backend->on_streams) ||
        !poll_ask(&polling, &self->world, self->env.rank, anew))
        return;
    if (!work->gpu)
        context->backend->note(context->room, work);
    else if (ops_may_note(work->gpu))
        context->backend->note(context->room, ops_stuck(work->gpu, NULL));
    poll_tell(&polling, &self->world, self->env.rank);
}

bool dist_is_completed_at(struct dist_at at, dist_work *work)
{
    bool anew = wait_asks_anew();
    struct context *context = context_enter(CALL_IS_COMPLETED, at);
    if (!context)
        return false;
    bool done = wait_check(CALL_IS_COMPLETED, at, work) && wait_is_over(context, work);
    if (done) {
        noted_over(context, work, false);
        noted_source(context, work);
        checked_end(work);
    }
    if (done && work->gpu && !work->refused)
        order_over(work->gpu, work);
    if (!done && work && work->live == WORK_LIVE)
        wait_asked_in_vain(context, work, anew);
    context_exit(context);
    return done;
}
